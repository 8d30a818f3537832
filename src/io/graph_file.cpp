#include "tasfg/io/graph_file.hpp"

#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <hdf5.h>

#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_csv.hpp"

namespace tasfg {
namespace {

constexpr hsize_t kLargestK = 4096;

/// Closes an HDF5 identifier.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// HDF5 prints its error stack to stderr unless told otherwise; our messages are one line.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Names of the root group's datasets.
std::vector<std::string> datasets_of(hid_t file) {
  std::vector<std::string> names;
  H5Literate(
      file, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t group, const char* name, const H5L_info_t*, void* out) -> herr_t {
        const Handle object(H5Oopen(group, name, H5P_DEFAULT), &H5Oclose);
        if (object.valid() && H5Iget_type(object) == H5I_DATASET)
          static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return 0;
      },
      &names);
  return names;
}

FeedbackGraph read_graph_hdf5(const std::string& path, const std::string& dataset_name) {
  const QuietHdf5 quiet;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose);
  if (!file.valid())
    throw InputError(fmt::format("{}: cannot be opened as HDF5 (truncated or damaged?)", path));
  std::string name = dataset_name;
  if (name.empty()) {
    const std::vector<std::string> names = datasets_of(file);
    if (names.size() != 1)
      throw InputError(
          fmt::format("{}: holds {} datasets at its root; name one as {}:DATASET (there are: {})", path,
                      names.size(), path, fmt::join(names, ", ")));
    name = names.front();
  }
  const std::string origin = fmt::format("{}:{}", path, quotable(name));
  const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), &H5Dclose);
  if (!dataset.valid()) throw InputError(fmt::format("{}: no such dataset", origin));
  const Handle space(H5Dget_space(dataset), &H5Sclose);
  const Handle type(H5Dget_type(dataset), &H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER)
    throw InputError(
        fmt::format("{}: does not hold numbers (must be a K x K matrix of probabilities)", origin));
  if (H5Sget_simple_extent_ndims(space) != 2)
    throw InputError(fmt::format("{}: has {} dimensions (must be a K x K matrix)", origin,
                                 H5Sget_simple_extent_ndims(space)));
  hsize_t extent[2] = {0, 0};
  if (H5Sget_simple_extent_dims(space, extent, nullptr) < 0)
    throw InputError(fmt::format("{}: its extent cannot be read", origin));
  if (extent[0] != extent[1])
    throw InputError(
        fmt::format("{}: {} x {} values (the matrix must be square)", origin, extent[0], extent[1]));
  if (extent[0] < 2 || extent[0] > kLargestK)
    throw InputError(fmt::format("{}: K = {} (must lie in 2..{})", origin, extent[0], kLargestK));
  std::vector<double> values(static_cast<std::size_t>(extent[0] * extent[1]));
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw InputError(fmt::format("{}: cannot be read (truncated or damaged?)", origin));
  return {static_cast<int>(extent[0]), std::move(values), origin};
}

bool is_hdf5(const std::string& path) {
  const QuietHdf5 quiet;
  return std::filesystem::is_regular_file(path) && H5Fis_hdf5(path.c_str()) > 0;
}

}  // namespace

FeedbackGraph read_graph_file(const std::string& path) {
  if (is_hdf5(path)) return read_graph_hdf5(path, "");
  if (const auto colon = path.rfind(':'); colon != std::string::npos && !std::filesystem::exists(path)) {
    const std::string file = path.substr(0, colon);
    if (is_hdf5(file)) return read_graph_hdf5(file, path.substr(colon + 1));
  }
  return read_graph_csv(path);
}

}  // namespace tasfg
