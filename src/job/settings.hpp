/// Names of the settings that a job file and `tasfg simulate` share, in the order of their enumerations.
#pragma once

#include <string_view>

namespace tasfg {

inline constexpr std::string_view kSettingNames[] = {"informed", "uninformed", "known-graph"};
inline constexpr std::string_view kStreamNames[] = {"philox", "numpy"};
inline constexpr std::string_view kConventionNames[] = {"paper", "reference"};

}  // namespace tasfg
