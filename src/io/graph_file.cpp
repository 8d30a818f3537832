#include "tasfg/io/graph_file.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "hdf5_handle.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/model/graph_csv.hpp"
#include "tasfg/model/matrix_market.hpp"
#include "tasfg/model/npy.hpp"

namespace tasfg {
namespace {

/// The root group's datasets: how many, and the first few names.
struct RootDatasets {
  static constexpr std::size_t kNamesShown = 10;
  std::size_t count = 0;
  std::vector<std::string> names;
};

RootDatasets datasets_of(hid_t file, hid_t access, const std::string& path) {
  struct Visit {
    hid_t access;
    RootDatasets found;
  } visit{access, {}};
  const herr_t done = H5Literate(
      file, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t group, const char* name, const H5L_info_t*, void* out) -> herr_t {
        auto& [link_access, found] = *static_cast<Visit*>(out);
        const Handle object(H5Oopen(group, name, link_access), &H5Oclose);
        if (!object.valid() || H5Iget_type(object) != H5I_DATASET) return 0;
        if (++found.count <= RootDatasets::kNamesShown) found.names.emplace_back(name);
        return 0;
      },
      &visit);
  if (done < 0) throw InputError(path, remark("its root group cannot be read", "damaged?"));
  return visit.found;
}

/// Whether HDF5 converts `type` to double by an ordinary numeric conversion. A file can declare any layout
/// of bits, of any size, to be a number; the usual ones are let through and nothing else.
bool is_plain_number(hid_t type) {
  for (const hid_t plain :
       {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_NATIVE_LDOUBLE, H5T_STD_U8LE,
        H5T_STD_I8LE,   H5T_STD_U16LE,  H5T_STD_I16LE,  H5T_STD_U32LE,  H5T_STD_I32LE,      H5T_STD_U64LE,
        H5T_STD_I64LE,  H5T_STD_U8BE,   H5T_STD_I8BE,   H5T_STD_U16BE,  H5T_STD_I16BE,      H5T_STD_U32BE,
        H5T_STD_I32BE,  H5T_STD_U64BE,  H5T_STD_I64BE})
    if (H5Tequal(type, plain) > 0) return true;
  return false;
}

/// Refuses what would make a small matrix costly or unsafe to read: values in other files, chunks far larger
/// than any matrix, compressed chunks larger than plain ones (they would unpack to anything), filters other
/// than the common ones (the rarer decoders trust the file too much).
void check_storage(hid_t dataset, hsize_t K, hsize_t bytes_per_value, const std::string& origin) {
  const Handle creation(H5Dget_create_plist(dataset), &H5Pclose);
  const H5D_layout_t layout = creation.valid() ? H5Pget_layout(creation) : H5D_LAYOUT_ERROR;
  if (layout == H5D_LAYOUT_ERROR) throw InputError(origin, remark("its storage cannot be read", "damaged?"));
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation) != 0)
    throw InputError(origin, remark("its values are in other files", "must be in this one"));
  if (layout != H5D_CHUNKED) return;
  hsize_t chunk[2] = {0, 0};
  if (H5Pget_chunk(creation, 2, chunk) != 2)
    throw InputError(origin, remark("its chunks cannot be read", "damaged?"));
  if (chunk[0] < 1 || chunk[1] < 1 || chunk[0] > kLargestGraph || chunk[1] > kLargestGraph)
    throw InputError(origin, remark(fmt::format("chunks of {} x {} values", chunk[0], chunk[1]),
                                    fmt::format("must be at most {} x {}", kLargestGraph, kLargestGraph)));
  const hsize_t chunks = ((K + chunk[0] - 1) / chunk[0]) * ((K + chunk[1] - 1) / chunk[1]);
  constexpr hsize_t kOverhead = 1024;
  if (const hsize_t stored = H5Dget_storage_size(dataset);
      stored > chunks * (2 * chunk[0] * chunk[1] * bytes_per_value + kOverhead))
    throw InputError(origin, remark(fmt::format("{} bytes for {} x {} values", stored, K, K), "damaged?"));
  const int filters = H5Pget_nfilters(creation);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t parameters = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &parameters, nullptr, 0, nullptr, &config);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      throw InputError(origin, remark(fmt::format("stored with HDF5 filter {}", static_cast<int>(filter)),
                                      "must be gzip, shuffle, fletcher32 or none"));
  }
}

FeedbackGraph read_graph_hdf5(const std::string& path, const std::string& dataset_name) {
  const QuietHdf5 quiet;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose);
  if (!file.valid()) throw InputError(path, remark("cannot be opened as HDF5", "truncated or damaged?"));
  const Handle access = dataset_access();
  std::string name = dataset_name;
  if (name.empty()) {
    RootDatasets root = datasets_of(file, access, path);
    if (root.count == 0 && H5Lexists(file, "edges", H5P_DEFAULT) > 0)
      throw InputError(path, remark("is a result file",
                                    fmt::format("name the graph of one of its cases as {}:/edges[0]", path)));
    if (root.count != 1) {
      for (std::string& each : root.names) each = quotable(each);
      throw InputError(
          path,
          remark(fmt::format("holds {} datasets at its root; name one as {}:DATASET", root.count, path),
                 fmt::format("there are: {}{}",
                             root.names.empty() ? "none" : fmt::format("{}", fmt::join(root.names, ", ")),
                             root.count > root.names.size() ? ", ..." : "")));
    }
    name = root.names.front();
  }
  const std::string origin = fmt::format("{}:{}", path, quotable(name));
  const Handle dataset(H5Dopen2(file, name.c_str(), access), &H5Dclose);
  if (!dataset.valid()) throw InputError(origin, remark("no such dataset"));
  const Handle space(H5Dget_space(dataset), &H5Sclose);
  const Handle type(H5Dget_type(dataset), &H5Tclose);
  if (!space.valid() || !type.valid())
    throw InputError(origin, remark("its type and extent cannot be read", "damaged?"));
  if (!is_plain_number(type))
    throw InputError(origin, remark("does not hold plain numbers",
                                    "must be a K x K matrix of 32- or 64-bit floats, or integers"));
  const int dimensions = H5Sget_simple_extent_ndims(space);
  if (dimensions != 2)
    throw InputError(origin, remark(fmt::format("has {} dimensions", dimensions), "must be a K x K matrix"));
  hsize_t extent[2] = {0, 0};
  if (H5Sget_simple_extent_dims(space, extent, nullptr) < 0)
    throw InputError(origin, remark("its extent cannot be read", "damaged?"));
  if (extent[0] != extent[1])
    throw InputError(
        origin, remark(fmt::format("{} x {} values", extent[0], extent[1]), "the matrix must be square"));
  if (extent[0] < 2 || extent[0] > kLargestGraph)
    throw InputError(within(origin, "K"),
                     bad_value(extent[0], fmt::format("must lie in 2..{}", kLargestGraph)));
  check_storage(dataset, extent[0], H5Tget_size(type), origin);
  std::vector<double> values(static_cast<std::size_t>(extent[0] * extent[1]));
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw InputError(origin, remark("cannot be read", "truncated or damaged?"));
  return {static_cast<int>(extent[0]), std::move(values), origin};
}

/// The graph of a case out of a result file: `selection` is "" or "[3]".
FeedbackGraph read_stored_graph(const std::string& path, std::string_view selection) {
  const ResultFile file = ResultFile::open(path, Access::read);
  const std::vector<CaseDescription>& cases = file.layout().cases;
  if (selection.empty() && cases.size() == 1) return file.graph(CaseId(0));
  for (CaseId c; c.value() < cases.size(); ++c)
    if (selection == fmt::format("[{}]", c.value())) return file.graph(c);
  constexpr std::size_t kShown = 10;
  std::vector<std::string> choices;
  for (std::size_t c = 0; c < std::min(cases.size(), kShown); ++c)
    choices.push_back(fmt::format("{} ({})", c, quotable(cases[c].label)));
  throw InputError(
      fmt::format("{}:/edges{}", path, quotable(selection)),
      remark(fmt::format("holds the graphs of {} cases; name one as {}:/edges[0]", cases.size(), path),
             fmt::format("there are: {}{}", fmt::join(choices, ", "), cases.size() > kShown ? ", ..." : "")));
}

bool is_hdf5(const std::string& path) {
  const QuietHdf5 quiet;
  std::error_code error;  // a path too long or not to be searched: read_text_file says so
  return std::filesystem::is_regular_file(path, error) && H5Fis_hdf5(path.c_str()) > 0;
}

/// The bytes of a file that is no HDF5 file.
std::string read_plain_file(const std::string& path) {
  std::string bytes = read_text_file(path, kLargestGraphFile);
  if (bytes.starts_with("PK\x03\x04"))
    throw InputError(
        path, remark("is an archive (.npz, .xlsx or the like)", "save one array by numpy.save, or as CSV"));
  return bytes;
}

FeedbackGraph graph_of_array(NpyArray array, const std::string& origin) {
  if (array.shape.size() != 2 || array.shape[0] != array.shape[1])
    throw InputError(origin, remark(fmt::format("an array of shape ({})", fmt::join(array.shape, ", ")),
                                    fmt::format("must be {}", kMatrixOrientation)));
  if (array.shape[0] < 2 || array.shape[0] > kLargestGraph)
    throw InputError(within(origin, "K"),
                     bad_value(array.shape[0], fmt::format("must lie in 2..{}", kLargestGraph)));
  return {static_cast<int>(array.shape[0]), std::move(array.values), origin};
}

}  // namespace

FeedbackGraph read_graph_file(const std::string& path) {
  if (is_hdf5(path)) return read_graph_hdf5(path, "");
  std::error_code error;
  const auto colon = path.rfind(':');
  if (colon != std::string::npos && !std::filesystem::exists(path, error)) {
    const std::string file = path.substr(0, colon);
    const std::string name = path.substr(colon + 1);
    constexpr std::string_view kEdges = "/edges";
    if (is_hdf5(file) && name.starts_with(kEdges) &&
        (name.size() == kEdges.size() || name[kEdges.size()] == '['))
      return read_stored_graph(file, std::string_view(name).substr(kEdges.size()));
    if (is_hdf5(file)) return read_graph_hdf5(file, name);
  }
  const std::string bytes = read_plain_file(path);
  if (is_npy(bytes)) return graph_of_array(parse_npy(bytes, path), path);
  if (is_matrix_market(bytes)) return parse_matrix_market(bytes, path);
  return parse_graph_csv(bytes, path);
}

std::vector<double> read_numbers_file(const std::string& path) {
  const std::string bytes = read_plain_file(path);
  return is_npy(bytes) ? parse_npy(bytes, path).values : parse_vector(bytes, path);
}

}  // namespace tasfg
