/// `--set key=value`: changes to a job before it is checked.
#pragma once

#include <string>
#include <vector>

#include "toml_reader.hpp"

namespace tasfg {

/// Sets each "key=value" in turn. A key is dotted ("graph[0].K", `algorithm."tas-fg".period`); "graph.K"
/// means all blocks. A value is TOML, or else text. What is set has the origin "--set KEY".
void apply_overrides(toml::table& job, const std::vector<std::string>& overrides);

}  // namespace tasfg
