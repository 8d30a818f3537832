// The HDF5 side of the result file: its empty form, and what a reader needs to find its bytes.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>

#include "hdf5_handle.hpp"
#include "result_impl.hpp"
#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5_hl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

static_assert(std::endian::native == std::endian::little, "results are written as little-endian bytes");

constexpr int kFormatVersion = 1;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Texts of the layout that are attributes of the root.
struct TextAttribute {
  const char* name;
  std::string ResultLayout::*member;
};
constexpr TextAttribute kTexts[] = {{"created", &ResultLayout::created},
                                    {"job", &ResultLayout::job},
                                    {"job_overrides", &ResultLayout::job_overrides},
                                    {"job_name", &ResultLayout::job_name},
                                    {"job_origin", &ResultLayout::job_origin},
                                    {"shard", &ResultLayout::shard},
                                    {"setting", &ResultLayout::setting},
                                    {"conventions", &ResultLayout::conventions},
                                    {"convention_points", &ResultLayout::convention_points},
                                    {"threshold", &ResultLayout::threshold},
                                    {"stream", &ResultLayout::stream},
                                    {"results_version", &ResultLayout::results_version},
                                    {"code_version", &ResultLayout::code_version},
                                    {"git_commit", &ResultLayout::git_commit},
                                    {"build", &ResultLayout::build}};

/// A call of the HDF5 library failed while a file was being made: as a rule the disk is full.
class CreationFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename Id>
Id must(Id id, std::string_view what) {
  if (id < 0) throw CreationFailure(std::string(what));
  return id;
}

Handle text_type() {
  Handle type(must(H5Tcopy(H5T_C_S1), "type"), &H5Tclose);
  must(H5Tset_size(type, H5T_VARIABLE), "type");
  must(H5Tset_cset(type, H5T_CSET_UTF8), "type");
  return type;
}

/// Access without HDF5's own locks: they fail on some file systems, and our own lock guards the writer.
Handle file_access() {
  Handle access(must(H5Pcreate(H5P_FILE_ACCESS), "access"), &H5Pclose);
  must(H5Pset_file_locking(access, false, true), "access");
  return access;
}

// Writing.

void write_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  const Handle space(must(H5Screate(H5S_SCALAR), name), &H5Sclose);
  const Handle attribute(must(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), name),
                         &H5Aclose);
  must(H5Awrite(attribute, type, value), name);
}
void write_attribute(hid_t object, const std::string& name, std::string_view text) {
  const std::string owned(text);
  const char* pointer = owned.c_str();
  write_attribute(object, name, text_type(), &pointer);
}
void write_attribute(hid_t object, const std::string& name, std::int64_t value) {
  write_attribute(object, name, H5T_STD_I64LE, &value);
}

class GroupWriter {
 public:
  GroupWriter(hid_t file, std::string_view name, const ResultLayout& layout)
      : layout_(layout),
        group_(must(H5Gcreate2(file, std::string(name).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name),
               &H5Gclose) {}

  /// A coordinate: values along one dimension, which other datasets then refer to.
  template <typename T>
  void scale(Dimension dimension, hid_t type, const std::vector<T>& values, std::string_view units,
             std::string_view long_name) {
    const std::string name(to_string(dimension));
    Handle dataset = column(name, {dimension}, type, type, values, units, long_name, false);
    must(H5DSset_scale(dataset, name.c_str()), name);
    scales_.emplace_back(dimension, std::move(dataset));
  }

  template <typename T>
  Handle column(std::string_view name, const std::vector<Dimension>& dimensions, hid_t file_type,
                hid_t memory_type, const std::vector<T>& values, std::string_view units,
                std::string_view long_name, bool attach = true) {
    Handle dataset = dataset_of(name, dimensions, file_type, H5P_DEFAULT, units, long_name, attach);
    if (!values.empty())
      must(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
    return dataset;
  }

  void text_column(std::string_view name, Dimension dimension, const std::vector<std::string>& texts,
                   std::string_view long_name) {
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    const Handle type = text_type();
    (void)column(name, {dimension}, type, type, pointers, "", long_name);
  }

  void field(const StoredField& field) {
    const Handle creation(must(H5Pcreate(H5P_DATASET_CREATE), field.name), &H5Pclose);
    must(H5Pset_layout(creation, H5D_CONTIGUOUS), field.name);
    must(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), field.name);
    must(H5Pset_fill_time(creation, H5D_FILL_TIME_ALLOC), field.name);
    const hid_t type = field.file_type();
    const Handle owned(field.type == FieldType::text ? type : H5I_INVALID_HID, &H5Tclose);
    if (field.type != FieldType::text)
      must(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &field.fill), field.name);
    std::vector<Dimension> dimensions(field.dimensions.begin(),
                                      field.dimensions.begin() + static_cast<std::ptrdiff_t>(field.rank()));
    const bool has_scales = field.dimensions[0] != Dimension::entry;
    const Handle dataset =
        dataset_of(field.name, dimensions, type, creation, field.units, field.long_name, has_scales);
    if (field.fill_is_missing) {
      if (field.type == FieldType::f64) {
        write_attribute(dataset, "_FillValue", H5T_IEEE_F64LE, &field.fill);
      } else {
        const Handle space(must(H5Screate(H5S_SCALAR), field.name), &H5Sclose);
        const Handle attribute(
            must(H5Acreate2(dataset, "_FillValue", type, space, H5P_DEFAULT, H5P_DEFAULT), field.name),
            &H5Aclose);
        must(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &field.fill), field.name);
      }
    }
    if (field.id == FieldId::status || field.id == FieldId::case_status) {
      const std::int8_t flags[] = {0, 1, 2, 3};
      const hsize_t four = 4;
      const Handle space(must(H5Screate_simple(1, &four, nullptr), "flags"), &H5Sclose);
      const Handle attribute(
          must(H5Acreate2(dataset, "flag_values", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT), "flags"),
          &H5Aclose);
      must(H5Awrite(attribute, H5T_NATIVE_INT8, flags), "flags");
      write_attribute(dataset, "flag_meanings", "pending done capped failed");
    }
    if (field.id == FieldId::tau || field.id == FieldId::status)
      write_attribute(dataset, "coordinates",
                      field.id == FieldId::tau ? "log_inv_delta graph label K p q r" : "graph label K p q r");
  }

 private:
  Handle dataset_of(std::string_view name_view, const std::vector<Dimension>& dimensions, hid_t type,
                    hid_t creation, std::string_view units, std::string_view long_name, bool attach) {
    const std::string name(name_view);
    std::vector<hsize_t> extents;
    extents.reserve(dimensions.size());
    for (const Dimension dimension : dimensions) extents.push_back(extent(dimension, layout_));
    const Handle space(
        must(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), name), &H5Sclose);
    Handle dataset(
        must(H5Dcreate2(group_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), name),
        &H5Dclose);
    if (!units.empty()) write_attribute(dataset, "units", units);
    write_attribute(dataset, "long_name", long_name);
    if (attach)
      for (std::size_t i = 0; i < dimensions.size(); ++i)
        for (const auto& [dimension, scale] : scales_)
          if (dimension == dimensions[i])
            must(H5DSattach_scale(dataset, scale, static_cast<unsigned>(i)), name);
    return dataset;
  }

  const ResultLayout& layout_;
  Handle group_;
  std::vector<std::pair<Dimension, Handle>> scales_;
};

template <typename T>
std::vector<T> count_up(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(i);
  return values;
}

template <typename Get>
auto each_case(const ResultLayout& layout, Get get) {
  std::vector<std::decay_t<decltype(get(layout.cases.front()))>> values;
  for (const CaseInfo& info : layout.cases) values.push_back(get(info));
  return values;
}

/// The columns that say which case is which, in both groups.
void describe_cases(GroupWriter& group, const ResultLayout& layout) {
  const Dimension along = Dimension::case_index;
  group.text_column("graph", along, each_case(layout, [](const CaseInfo& c) { return c.graph; }),
                    "graph family");
  group.text_column("label", along, each_case(layout, [](const CaseInfo& c) { return c.label; }),
                    "the case in words");
  (void)group.column("K", {along}, H5T_STD_I32LE, H5T_NATIVE_INT32,
                     each_case(layout, [](const CaseInfo& c) { return std::int32_t{c.K}; }), "1",
                     "number of vertices");
  const auto parameter = [&](const char* name, double CaseInfo::*member) {
    (void)group.column(name, {along}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                       each_case(layout, [&](const CaseInfo& c) { return c.*member; }), "1",
                       fmt::format("parameter {} of the graph", name));
  };
  parameter("p", &CaseInfo::p);
  parameter("q", &CaseInfo::q);
  parameter("r", &CaseInfo::r);
}

void write_cases(hid_t file, const ResultLayout& layout) {
  GroupWriter group(file, "cases", layout);
  const Dimension along = Dimension::case_index;
  group.scale(along, H5T_STD_I32LE, count_up<std::int32_t>(layout.cases.size()), "1", "case");
  group.scale(Dimension::vertex, H5T_STD_I32LE, count_up<std::int32_t>(layout.vertices()), "1",
              "vertex, from 0");
  describe_cases(group, layout);
  group.text_column("parameters", along, each_case(layout, [](const CaseInfo& c) { return c.parameters; }),
                    "all parameters of the graph");
  group.text_column("reward", along, each_case(layout, [](const CaseInfo& c) { return c.reward; }),
                    "reward family");
  group.text_column("observability", along,
                    each_case(layout, [](const CaseInfo& c) { return c.observability; }),
                    "observability of the graph");
  (void)group.column("variance", {along}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                     each_case(layout, [](const CaseInfo& c) { return c.variance; }), "1",
                     "variance of Gaussian rewards");
  (void)group.column("best", {along}, H5T_STD_I32LE, H5T_NATIVE_INT32,
                     each_case(layout, [](const CaseInfo& c) { return std::int32_t{c.best}; }), "1",
                     "best vertex, from 0");
  (void)group.column("edges", {along}, H5T_STD_I64LE, H5T_NATIVE_INT64,
                     each_case(layout, [](const CaseInfo& c) { return c.edges; }), "1", "number of edges");
  (void)group.column("key", {along}, H5T_STD_U64LE, H5T_NATIVE_UINT64,
                     each_case(layout, [](const CaseInfo& c) { return c.key; }), "1",
                     "key of the instance's content, which its random streams depend on");
  std::vector<double> means(layout.cases.size() * layout.vertices(), kNaN);
  for (std::size_t c = 0; c < layout.cases.size(); ++c)
    std::copy(layout.cases[c].means.begin(), layout.cases[c].means.end(),
              means.begin() + static_cast<std::ptrdiff_t>(c * layout.vertices()));
  (void)group.column("means", {along, Dimension::vertex}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, means, "1",
                     "mean rewards");
  for (const StoredField& field : fields())
    if (field.group == "cases") group.field(field);
}

void write_runs(hid_t file, const ResultLayout& layout) {
  GroupWriter group(file, "runs", layout);
  group.scale(Dimension::case_index, H5T_STD_I32LE, count_up<std::int32_t>(layout.cases.size()), "1", "case");
  std::vector<const char*> names;
  for (const AlgorithmInfo& each : layout.algorithms) names.push_back(each.name.c_str());
  const Handle text = text_type();
  group.scale(Dimension::algorithm, text, names, "", "algorithm");
  group.scale(Dimension::delta, H5T_IEEE_F64LE, layout.delta, "1", "error probability allowed");
  group.scale(Dimension::seed, H5T_STD_I64LE,
              count_up<std::int64_t>(static_cast<std::size_t>(layout.replications)), "1", "seed");
  group.scale(Dimension::vertex, H5T_STD_I32LE, count_up<std::int32_t>(layout.vertices()), "1",
              "vertex, from 0");
  (void)group.column("log_inv_delta", {Dimension::delta}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                     layout.log_inv_delta, "nat", "ln(1/delta)");
  std::vector<std::string> options;
  for (const AlgorithmInfo& each : layout.algorithms) options.push_back(each.options);
  group.text_column("algorithm_options", Dimension::algorithm, options, "options that are not the defaults");
  describe_cases(group, layout);
  for (const StoredField& field : fields())
    if (field.group == "runs") group.field(field);
}

/// Texts and numbers that stand nowhere else in the file, to find their bytes by.
struct Sentinels {
  std::array<std::string, 3> texts;
  std::array<std::int64_t, 2> numbers;
};
Sentinels make_sentinels() {
  std::random_device device;
  std::uniform_int_distribution<int> letter('a', 'z');
  Sentinels made;
  for (std::size_t i = 0; i < made.texts.size(); ++i)
    for (std::size_t k = 0; k < kLiveRoom[i]; ++k) made.texts[i].push_back(static_cast<char>(letter(device)));
  std::uniform_int_distribution<std::int64_t> any;
  for (std::int64_t& number : made.numbers) number = any(device);
  return made;
}

void write_root(hid_t file, const ResultLayout& layout, const Sentinels& sentinels) {
  write_attribute(file, "format", "tasfg");
  write_attribute(file, "format_version", std::int64_t{kFormatVersion});
  constexpr const char* kLiveTexts[] = {"status", "updated", "hosts"};
  for (std::size_t i = 0; i < sentinels.texts.size(); ++i)
    write_attribute(file, kLiveTexts[i], sentinels.texts[i]);
  write_attribute(file, "ranks", sentinels.numbers[0]);
  write_attribute(file, "threads", sentinels.numbers[1]);
  write_attribute(file, "seed", H5T_STD_U64LE, &layout.seed);
  write_attribute(file, "max_steps", layout.max_steps);
  for (const auto& [name, member] : kTexts) write_attribute(file, name, layout.*member);
  const LiveOffsets none;
  const hsize_t count = LiveOffsets::count;
  const Handle space(must(H5Screate_simple(1, &count, nullptr), "live_offsets"), &H5Sclose);
  const Handle attribute(
      must(H5Acreate2(file, "live_offsets", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), "live_offsets"),
      &H5Aclose);
  must(H5Awrite(attribute, H5T_NATIVE_INT64, none.at.data()), "live_offsets");
}

/// Where each sentinel's bytes are. They are written before any dataset, so that they stand near the start.
LiveOffsets find(const std::string& path, const Sentinels& sentinels) {
  std::vector<std::string> wanted(sentinels.texts.begin(), sentinels.texts.end());
  for (const std::int64_t number : sentinels.numbers)
    wanted.emplace_back(reinterpret_cast<const char*>(&number), sizeof number);
  LiveOffsets found;
  found.at.fill(-1);
  std::ifstream file(path, std::ios::binary);
  constexpr std::size_t kBlock = 1 << 20;
  constexpr std::size_t kOverlap = 2048;
  std::string window;
  std::int64_t start = 0;  // of the window
  std::size_t missing = wanted.size();
  std::string block(kBlock, '\0');
  while (missing > 0 && file) {
    file.read(block.data(), kBlock);
    window.append(block, 0, static_cast<std::size_t>(file.gcount()));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (found.at[i] >= 0) continue;
      if (const std::size_t at = window.find(wanted[i]); at != std::string::npos) {
        found.at[i] = start + static_cast<std::int64_t>(at);
        --missing;
      }
    }
    if (window.size() > kOverlap) {
      start += static_cast<std::int64_t>(window.size() - kOverlap);
      window.erase(0, window.size() - kOverlap);
    }
  }
  if (missing > 0) throw CreationFailure("live attributes");
  return found;
}

// Reading.

[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  throw InputError(fmt::format("{}: {} cannot be read (damaged?)", path, what));
}

std::string read_text(hid_t file, const char* name, const std::string& path) {
  const Handle attribute(H5Aopen(file, name, H5P_DEFAULT), &H5Aclose);
  const Handle type(attribute.valid() ? H5Aget_type(attribute) : H5I_INVALID_HID, &H5Tclose);
  const Handle space(attribute.valid() ? H5Aget_space(attribute) : H5I_INVALID_HID, &H5Sclose);
  if (!type.valid() || !space.valid() || H5Tis_variable_str(type) <= 0 ||
      H5Sget_simple_extent_npoints(space) != 1)
    damaged(path, fmt::format("attribute {}", name));
  char* text = nullptr;
  if (H5Aread(attribute, text_type(), static_cast<void*>(&text)) < 0 || text == nullptr)
    damaged(path, fmt::format("attribute {}", name));
  std::string owned(text);
  H5free_memory(text);
  return owned;
}

template <typename T>
void read_number(hid_t file, const char* name, hid_t type, std::span<T> out, const std::string& path) {
  const Handle attribute(H5Aopen(file, name, H5P_DEFAULT), &H5Aclose);
  const Handle space(attribute.valid() ? H5Aget_space(attribute) : H5I_INVALID_HID, &H5Sclose);
  if (!space.valid() || H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(out.size()) ||
      H5Aread(attribute, type, out.data()) < 0)
    damaged(path, fmt::format("attribute {}", name));
}

/// A dataset's extents.
std::vector<hsize_t> extents_of(hid_t dataset, const std::string& path, const std::string& name) {
  const Handle space(dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID, &H5Sclose);
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space) : -1;
  if (rank < 1 || rank > 4) damaged(path, name);
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0) damaged(path, name);
  return extents;
}

template <typename T>
std::vector<T> read_column(hid_t file, const std::string& name, hid_t type, const std::string& path) {
  const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), &H5Dclose);
  hsize_t count = 1;
  constexpr hsize_t kMost = hsize_t{1} << 32;
  for (const hsize_t n : extents_of(dataset, path, name)) {
    if (n > kMost || count * n > kMost) damaged(path, name);
    count *= n;
  }
  std::vector<T> values(count);
  if (count > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    damaged(path, name);
  return values;
}

std::vector<std::string> read_texts(hid_t file, const std::string& name, const std::string& path) {
  const Handle type = text_type();
  std::vector<char*> pointers = read_column<char*>(file, name, type, path);
  std::vector<std::string> texts;
  for (char* pointer : pointers) {
    texts.emplace_back(pointer != nullptr ? pointer : "");
    H5free_memory(pointer);
  }
  return texts;
}

void read_cases(hid_t file, const std::string& path, ResultLayout& layout) {
  const std::vector<std::string> graph = read_texts(file, "cases/graph", path);
  const std::size_t n = graph.size();
  const auto numbers = [&](const char* name) {
    std::vector<double> values =
        read_column<double>(file, fmt::format("cases/{}", name), H5T_NATIVE_DOUBLE, path);
    if (values.size() != n) damaged(path, fmt::format("cases/{}", name));
    return values;
  };
  const auto texts = [&](const char* name) {
    std::vector<std::string> values = read_texts(file, fmt::format("cases/{}", name), path);
    if (values.size() != n) damaged(path, fmt::format("cases/{}", name));
    return values;
  };
  const std::vector<std::string> label = texts("label"), parameters = texts("parameters"),
                                 reward = texts("reward"), observability = texts("observability");
  const std::vector<double> K = numbers("K"), p = numbers("p"), q = numbers("q"), r = numbers("r"),
                            variance = numbers("variance"), best = numbers("best"), edges = numbers("edges");
  const std::vector<std::uint64_t> key =
      read_column<std::uint64_t>(file, "cases/key", H5T_NATIVE_UINT64, path);
  const std::vector<double> means = read_column<double>(file, "cases/means", H5T_NATIVE_DOUBLE, path);
  if (key.size() != n || (n > 0 && means.size() % n != 0)) damaged(path, "cases/key");
  const std::size_t vertices = n > 0 ? means.size() / n : 0;
  for (std::size_t c = 0; c < n; ++c) {
    if (!(K[c] >= 1 && K[c] <= static_cast<double>(vertices))) damaged(path, "cases/K");
    CaseInfo info{
        graph[c], label[c], parameters[c], reward[c], observability[c], 0, 0, p[c], q[c], r[c], 0.0, 0,
        0,        {}};
    info.K = static_cast<int>(K[c]);
    info.best = static_cast<int>(best[c]);
    info.variance = variance[c];
    info.edges = static_cast<std::int64_t>(edges[c]);
    info.key = key[c];
    const auto first = means.begin() + static_cast<std::ptrdiff_t>(c * vertices);
    info.means.assign(first, first + info.K);
    layout.cases.push_back(std::move(info));
  }
  if (layout.vertices() != vertices) damaged(path, "cases/means");
}

void read_runs(hid_t file, const std::string& path, ResultLayout& layout) {
  const std::vector<std::string> names = read_texts(file, "runs/algorithm", path);
  const std::vector<std::string> options = read_texts(file, "runs/algorithm_options", path);
  if (names.size() != options.size()) damaged(path, "runs/algorithm");
  for (std::size_t a = 0; a < names.size(); ++a) layout.algorithms.push_back({names[a], options[a]});
  layout.delta = read_column<double>(file, "runs/delta", H5T_NATIVE_DOUBLE, path);
  layout.log_inv_delta = read_column<double>(file, "runs/log_inv_delta", H5T_NATIVE_DOUBLE, path);
  if (layout.delta.size() != layout.log_inv_delta.size()) damaged(path, "runs/delta");
  const Handle seeds(H5Dopen2(file, "runs/seed", H5P_DEFAULT), &H5Dclose);
  layout.replications = static_cast<std::int64_t>(extents_of(seeds, path, "runs/seed").front());
}

}  // namespace

void write_empty_file(const std::string& path, const std::string& shown, const ResultLayout& layout) {
  const QuietHdf5 quiet;
  const std::uint64_t needed = file_size(layout);
  const auto full = [&](std::string_view why) {
    return InputError(fmt::format("{}: cannot be made: {} (it needs {:.1f} MB of disk space)", shown, why,
                                  static_cast<double>(needed) / 1e6));
  };
  struct statvfs disk {};
  const std::string folder = path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/') + 1);
  if (statvfs(folder.c_str(), &disk) == 0 &&
      static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize < needed)
    throw full(fmt::format("{:.1f} MB are free",
                           static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) / 1e6));
  const Sentinels sentinels = make_sentinels();
  errno = 0;
  try {
    const Handle access = file_access();
    {
      Handle file(must(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access), "file"), &H5Fclose);
      write_root(file, layout, sentinels);
      write_cases(file, layout);
      write_runs(file, layout);
      GroupWriter group(file, "failures", layout);
      for (const StoredField& field : fields())
        if (field.group == "failures") group.field(field);
      must(H5Fflush(file, H5F_SCOPE_GLOBAL), "flush");
      must(file.reset(), "close");
    }
    const LiveOffsets found = find(path, sentinels);
    Handle file(must(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), "file"), &H5Fclose);
    {
      const Handle attribute(must(H5Aopen(file, "live_offsets", H5P_DEFAULT), "live_offsets"), &H5Aclose);
      must(H5Awrite(attribute, H5T_NATIVE_INT64, found.at.data()), "live_offsets");
    }
    must(file.reset(), "close");
  } catch (const CreationFailure& failure) {
    throw full(errno != 0 ? std::strerror(errno) : fmt::format("HDF5 failed at {}", failure.what()));
  }
}

void read_structure(const std::string& path, ResultLayout& layout,
                    std::array<std::uint64_t, kFields>& offsets, LiveOffsets& live) {
  const QuietHdf5 quiet;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw io_error(path, "cannot be opened", errno);
  if (!S_ISREG(info.st_mode)) throw InputError(fmt::format("{}: is not a regular file", path));
  if (::access(path.c_str(), R_OK) != 0) throw io_error(path, "cannot be read", errno);
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw InputError(fmt::format("{}: is not an HDF5 file (it was left as it is)", path));
  const Handle access = file_access();
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), &H5Fclose);
  if (!file.valid())
    throw InputError(
        fmt::format("{}: cannot be opened as HDF5: truncated or damaged (it was left as it is)", path));
  if (H5Aexists(file, "format") <= 0 || H5Aexists(file, "format_version") <= 0 ||
      read_text(file, "format", path) != "tasfg")
    throw InputError(fmt::format("{}: is not a tasfg result file (it was left as it is)", path));
  std::int64_t version = 0;
  read_number<std::int64_t>(file, "format_version", H5T_NATIVE_INT64, {&version, 1}, path);
  if (version != kFormatVersion)
    throw InputError(fmt::format("{}: has format version {}, this program knows {} ({})", path, version,
                                 kFormatVersion,
                                 version > kFormatVersion ? "use a newer tasfg" : "use an older tasfg"));
  read_number<std::uint64_t>(file, "seed", H5T_NATIVE_UINT64, {&layout.seed, 1}, path);
  read_number<std::int64_t>(file, "max_steps", H5T_NATIVE_INT64, {&layout.max_steps, 1}, path);
  read_number<std::int64_t>(file, "live_offsets", H5T_NATIVE_INT64, live.at, path);
  for (const auto& [name, member] : kTexts) {
    const bool before_it = member == &ResultLayout::results_version && H5Aexists(file, name) == 0;
    layout.*member = before_it ? "1" : read_text(file, name, path);
  }
  read_cases(file, path, layout);
  read_runs(file, path, layout);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  for (const StoredField& field : fields()) {
    const std::string name = fmt::format("{}/{}", field.group, field.name);
    const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), &H5Dclose);
    const std::vector<hsize_t> extents = extents_of(dataset, path, name);
    bool fits = extents.size() == field.rank();
    for (std::size_t i = 0; fits && i < extents.size(); ++i)
      fits = extents[i] == extent(field.dimensions[i], layout);
    const Handle type(H5Dget_type(dataset), &H5Tclose);
    const hid_t expected = field.file_type();
    fits = fits && H5Tequal(type, expected) > 0;
    if (field.type == FieldType::text) H5Tclose(expected);
    if (!fits) damaged(path, name);
    const std::uint64_t bytes = values(field, layout) * field.bytes();
    if (bytes == 0) continue;
    const haddr_t offset = H5Dget_offset(dataset);
    if (offset == HADDR_UNDEF || offset > size || bytes > size - offset) damaged(path, name);
    offsets[static_cast<std::size_t>(field.id)] = offset;
  }
  constexpr std::size_t kRoom[] = {kLiveRoom[0], kLiveRoom[1], kLiveRoom[2], 8, 8};
  for (std::size_t i = 0; i < live.at.size(); ++i)
    if (live.at[i] < 0 || static_cast<std::uint64_t>(live.at[i]) + kRoom[i] > size)
      damaged(path, "attribute live_offsets");
}

std::uint64_t file_size(const ResultLayout& layout) {
  std::uint64_t bytes = 64 * 1024 + layout.job.size();
  for (const StoredField& field : fields()) bytes += values(field, layout) * field.bytes();
  bytes += layout.cases.size() * (600 + 8 * layout.vertices()) +
           8 * static_cast<std::uint64_t>(layout.replications);
  return bytes;
}

}  // namespace tasfg
