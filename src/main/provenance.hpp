/// What this program is: version, commit, compiler.
#pragma once

#include "tasfg/sweep/grid_layout.hpp"

namespace tasfg {

[[nodiscard]] Provenance program_provenance();

}  // namespace tasfg
