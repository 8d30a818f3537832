/// Rules that Python gives: classes, and functions that Numba compiled.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "tasfg/algo/algorithm.hpp"

namespace tasfg::python {

/// An algorithm as simulate() takes it.
struct AlgorithmModel {
  Algorithm algorithm;
  bool needs_interpreter = false;  // runs in the calling thread, which holds the interpreter's lock
};

void bind_rules(nanobind::module_& module);

}  // namespace tasfg::python
