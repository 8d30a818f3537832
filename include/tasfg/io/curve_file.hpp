/// Curves and maps of T* as HDF5 files (docs/curves.md). Written whole and once; nothing in them ever
/// changes.
#pragma once

#include <string>

#include "tasfg/solve/curve.hpp"

namespace tasfg {

/// The program that made a curve.
struct CurveOrigin {
  std::string version, commit, build;
  std::string command;  // what was asked for, as options
};

/// Refuses to replace anything but another curve; an InputError says so. Call it before the work.
void expect_place_for_curve(const std::string& path);

/// Writes the file under another name first, so that `path` is complete whenever it is there.
void write_curve_file(const std::string& path, const Curve& curve, const CurveOrigin& origin);

}  // namespace tasfg
