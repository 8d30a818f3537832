#include "tasfg/io/curve_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <variant>

#include "draft_file.hpp"
#include "hdf5_writing.hpp"
#include <fmt/format.h>
#include <unistd.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"

namespace tasfg {
namespace {

constexpr char kFormat[] = "tasfg-curve";

using Values = std::variant<std::vector<double>, std::vector<std::int8_t>>;

struct Axis {
  std::string name;
  std::size_t length;
};

/// One group of the file: datasets along one dimension, some of them with `vertex` as a second one.
class Group {
 public:
  Group(hid_t file, std::string name, const std::string& along, std::size_t length, std::size_t vertices,
        std::int32_t& next_id)
      : file_(file), name_(std::move(name)), next_id_(next_id) {
    make_group(file_, name_);
    dimensions_ = {{along, length}, {"vertex", vertices}};
    for (const Axis& each : dimensions_) {
      ids_.push_back(next_id_++);
      scale(each, ids_.back());
    }
  }

  enum class Shape { one, per_vertex };
  Handle dataset(const std::string& name, const Values& values, const std::string& units,
                 const std::string& long_name, Shape shape = Shape::one) {
    const std::size_t rank = shape == Shape::one ? 1 : 2;
    std::vector<hsize_t> extents;
    for (std::size_t i = 0; i < rank; ++i) extents.push_back(dimensions_[i].length);
    const Handle space(must(H5Screate_simple(static_cast<int>(rank), extents.data(), nullptr), name),
                       &H5Sclose);
    const bool numbers = std::holds_alternative<std::vector<double>>(values);
    Handle made = create(name, numbers ? H5T_IEEE_F64LE : H5T_STD_I8LE, space);
    mark_scale(made, name, next_id_++);
    write_list(made, "_Netcdf4Coordinates", H5T_STD_I32LE,
               std::vector<std::int32_t>(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(rank)));
    write_attribute(made, "long_name", long_name);
    write_attribute(made, "units", units);
    std::visit(
        [&](const auto& list) {
          std::size_t count = 1;
          for (const hsize_t extent : extents) count *= extent;
          TASFG_EXPECT(list.size() == count);
          const hid_t type = numbers ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT8;
          if (count > 0) must(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data()), name);
        },
        values);
    return made;
  }

 private:
  Handle create(const std::string& name, hid_t type, hid_t space) {
    const std::string path = fmt::format("{}/{}", name_, name);
    return {
        must(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation_list(), H5P_DEFAULT), path),
        &H5Dclose};
  }

  /// A dimension's name and length, without values.
  void scale(const Axis& dimension, std::int32_t id) {
    const hsize_t length = dimension.length;
    const Handle space(must(H5Screate_simple(1, &length, nullptr), dimension.name), &H5Sclose);
    const Handle made = create(dimension.name, H5T_STD_I8LE, space);
    mark_scale(made, fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", length), id);
    write_list(made, "_Netcdf4Coordinates", H5T_STD_I32LE, std::vector<std::int32_t>{id});
  }

  hid_t file_;
  std::string name_;
  std::vector<Axis> dimensions_;
  std::vector<std::int32_t> ids_;
  std::int32_t& next_id_;
};

/// One number of each record.
template <typename Record, typename Get>
std::vector<double> numbers_of(const std::vector<Record>& records, Get get) {
  std::vector<double> values;
  values.reserve(records.size());
  for (const Record& record : records) values.push_back(get(record));
  return values;
}

class CurveWriter {
 public:
  CurveWriter(hid_t file, const Curve& curve) : file_(file), curve_(curve) {}

  void write(const CurveOrigin& origin) {
    write_root(origin);
    write_points();
    write_cells();
    write_regimes();
  }

 private:
  void write_root(const CurveOrigin& origin) const {
    const std::int64_t version = 2, minor = 1;
    write_attribute(file_, "format", kFormat);
    write_attribute(file_, "format_version", H5T_NATIVE_INT64, &version);
    write_attribute(file_, "format_minor", H5T_NATIVE_INT64, &minor);
    write_attribute(file_, "description", curve_.description);
    write_attribute(file_, "command", origin.command);
    write_attribute(file_, "code_version", origin.version);
    write_attribute(file_, "git_commit", origin.commit);
    write_attribute(file_, "build", origin.build);
    write_attribute(file_, "created", iso_time());
    std::string axes, sampled;
    for (const CurveAxis& axis : curve_.axes) {
      axes += (axes.empty() ? "" : " ") + axis.name;
      if (!axis.certified())
        sampled += fmt::format("{}{}: {}", sampled.empty() ? "" : "\n", axis.name, axis.sampled_because);
    }
    write_attribute(file_, "axes", axes);
    write_attribute(file_, "sampled", sampled);
    write_attribute(file_, "tolerance", H5T_NATIVE_DOUBLE, &curve_.options.tolerance);
    write_attribute(file_, "divergent_width", H5T_NATIVE_DOUBLE, &curve_.options.divergent_width);
  }

  void write_points() {
    Group group(file_, "points", "point", curve_.points.size(), curve_.vertices, next_id_);
    for (std::size_t k = 0; k < curve_.axes.size(); ++k)
      group.dataset(curve_.axes[k].name,
                    numbers_of(curve_.points, [k](const MapPoint& p) { return p.at[k]; }), "1",
                    "parameter " + curve_.axes[k].name);
    group.dataset("T_star", numbers_of(curve_.points, [](const MapPoint& p) { return p.upper; }),
                  "draws per nat", "characteristic time: the value of omega, an upper end");
    group.dataset("T_star_lower", numbers_of(curve_.points, [](const MapPoint& p) { return p.lower; }),
                  "draws per nat", "certified lower end of the characteristic time");
    std::vector<double> omega(curve_.points.size() * curve_.vertices, kNaN);
    std::vector<std::int8_t> support(omega.size(), -1);
    for (std::size_t i = 0; i < curve_.points.size(); ++i) {
      const MapPoint& point = curve_.points[i];
      for (std::size_t v = 0; v < point.allocation.size(); ++v) {
        omega[i * curve_.vertices + v] = point.allocation[v];
        support[i * curve_.vertices + v] = static_cast<std::int8_t>(point.support[v]);
      }
    }
    group.dataset("omega", std::move(omega), "1",
                  "optimal allocation (the analytic centre where it is not unique)",
                  Group::Shape::per_vertex);
    group.dataset("support", std::move(support), "1",
                  "1: the vertex has a part in some optimal allocation; -1: there is none, or no such vertex",
                  Group::Shape::per_vertex);
  }

  void write_cells() {
    Group group(file_, "cells", "cell", curve_.cells.size(), curve_.vertices, next_id_);
    for (std::size_t k = 0; k < curve_.axes.size(); ++k) {
      const std::string& name = curve_.axes[k].name;
      group.dataset(name + "_low", numbers_of(curve_.cells, [k](const Cell& c) { return c.box.low[k]; }), "1",
                    "lower end of the cell in " + name);
      group.dataset(name + "_high", numbers_of(curve_.cells, [k](const Cell& c) { return c.box.high[k]; }),
                    "1", "upper end of the cell in " + name);
    }
    group.dataset("T_low", numbers_of(curve_.cells, [](const Cell& c) { return c.time.low; }),
                  "draws per nat", "the characteristic time is nowhere smaller in the cell");
    group.dataset("T_high", numbers_of(curve_.cells, [](const Cell& c) { return c.time.high; }),
                  "draws per nat", "the characteristic time is nowhere larger in the cell");
    std::vector<std::int8_t> outcomes;
    for (const Cell& cell : curve_.cells) outcomes.push_back(static_cast<std::int8_t>(cell.outcome));
    const Handle made = group.dataset("outcome", std::move(outcomes), "1", "what is known of the cell");
    std::vector<std::int8_t> flags;
    for (std::size_t i = 0; i < kCellOutcomeNames.all().size(); ++i)
      flags.push_back(static_cast<std::int8_t>(i));
    write_list(made, "flag_values", H5T_STD_I8LE, flags);
    write_attribute(made, "flag_meanings", fmt::format("{}", fmt::join(kCellOutcomeNames.all(), " ")));
  }

  void write_regimes() {
    Group group(file_, "regimes", "change", curve_.regimes.size(), curve_.vertices, next_id_);
    for (std::size_t k = 0; k < curve_.axes.size(); ++k) {
      const CurveAxis& axis = curve_.axes[k];
      if (!axis.certified()) {
        group.dataset(axis.name,
                      numbers_of(curve_.regimes, [k](const CurveRegime& r) { return r.sampled[k]; }), "1",
                      "parameter " + axis.name);
        continue;
      }
      group.dataset(axis.name + "_low",
                    numbers_of(curve_.regimes, [](const CurveRegime& r) { return r.change.low; }), "1",
                    "the support of the optimal allocation changes above this");
      group.dataset(axis.name + "_high",
                    numbers_of(curve_.regimes, [](const CurveRegime& r) { return r.change.high; }), "1",
                    "and below this");
    }
    const auto vertices = [&](std::vector<int> RegimeChange::*list) {
      std::vector<std::int8_t> flags(curve_.regimes.size() * curve_.vertices, 0);
      for (std::size_t i = 0; i < curve_.regimes.size(); ++i)
        for (const int v : curve_.regimes[i].change.*list)
          flags[i * curve_.vertices + static_cast<std::size_t>(v)] = 1;
      return flags;
    };
    group.dataset("entering", vertices(&RegimeChange::entering), "1",
                  "1: the vertex comes into the support with the rising parameter", Group::Shape::per_vertex);
    group.dataset("leaving", vertices(&RegimeChange::leaving), "1",
                  "1: the vertex leaves the support with the rising parameter", Group::Shape::per_vertex);
  }

  hid_t file_;
  const Curve& curve_;
  std::int32_t next_id_ = 0;
};

bool is_curve(const std::string& path) {
  const QuietHdf5 quiet;
  if (H5Fis_hdf5(path.c_str()) <= 0) return false;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, file_access()), &H5Fclose);
  if (!file.valid() || H5Aexists(file, "format") <= 0) return false;
  const Handle attribute(H5Aopen(file, "format", H5P_DEFAULT), &H5Aclose);
  if (!attribute.valid() || H5Aget_storage_size(attribute) != sizeof kFormat - 1) return false;
  char text[sizeof kFormat] = {};
  return H5Aread(attribute, text_type(sizeof kFormat - 1), text) >= 0 && std::strcmp(text, kFormat) == 0;
}

}  // namespace

void expect_place_for_curve(const std::string& path) {
  struct stat info {};
  const std::string folder = folder_of(behind_links(path));
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    throw InputError(path, remark("its folder is not there", "make it first, or give another -o"));
  if (::stat(path.c_str(), &info) == 0 && (!S_ISREG(info.st_mode) || !is_curve(path)))
    throw InputError(path, remark("is there and is not a curve", "give another -o; it was left as it is"));
}

void write_curve_file(const std::string& path, const Curve& curve, const CurveOrigin& origin) {
  expect_place_for_curve(path);
  const QuietHdf5 quiet;
  const std::string target = behind_links(path);
  const std::string draft = draft_of(target, ::getpid());
  errno = 0;
  try {
    Handle file = make_file(draft, H5F_ACC_TRUNC);
    CurveWriter(file, curve).write(origin);
    must(file.reset(), "close");
  } catch (const CreationFailure& failure) {
    const int why = errno;
    ::unlink(draft.c_str());
    throw SystemError(
        path, remark(fmt::format("cannot be made: {}", why != 0 ? std::strerror(why) : failure.what())));
  }
  if (std::rename(draft.c_str(), target.c_str()) != 0) {
    const int why = errno;
    ::unlink(draft.c_str());
    throw io_error(path, "cannot be made", why);
  }
}

}  // namespace tasfg
