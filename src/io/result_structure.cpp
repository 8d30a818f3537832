// The HDF5 side of the result file: its empty form, and what a reader needs to find its bytes.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>

#include "draft_file.hpp"
#include "hdf5_writing.hpp"
#include "result_impl.hpp"
#include <fmt/format.h>
#include <sys/statvfs.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

static_assert(std::endian::native == std::endian::little, "results are written as little-endian bytes");

using Bytes = std::vector<unsigned char>;

std::uint32_t checksum_of(const Bytes& bytes) {
  Checksum sum;
  sum.process_bytes(bytes.data(), bytes.size());
  return sum.checksum();
}

Handle type_of(const Column& column) {
  switch (column.type) {
    case Stored::i8:
      return {H5Tcopy(H5T_STD_I8LE), &H5Tclose};
    case Stored::i32:
      return {H5Tcopy(H5T_STD_I32LE), &H5Tclose};
    case Stored::u32:
      return {H5Tcopy(H5T_STD_U32LE), &H5Tclose};
    case Stored::i64:
      return {H5Tcopy(H5T_STD_I64LE), &H5Tclose};
    case Stored::u64:
      return {H5Tcopy(H5T_STD_U64LE), &H5Tclose};
    case Stored::f64:
      return {H5Tcopy(H5T_IEEE_F64LE), &H5Tclose};
    case Stored::text:
      break;
  }
  return text_type(column.value_bytes);
}

/// Every dataset that is written once, with its bytes: what the cases and the coordinates are.
struct HeaderColumn {
  Column column;
  Bytes bytes;
};

template <typename Record>
void add_header(const Table<Record>& table, const Extents& extents, const RecordShape& shape,
                std::span<const Record> records, std::vector<HeaderColumn>& header) {
  std::vector<Column> columns = columns_of(table, extents, shape);
  fit_texts(table, std::span(columns), records);
  BatchBytes batch;
  batch.columns.resize(columns.size());
  for (const Record& record : records) {
    std::size_t K = 0;
    if constexpr (std::is_same_v<Record, CaseDescription>) K = record.means.size();
    put_row(table, columns, record, K, batch, 0, 0);
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    header.push_back({columns[i], std::move(batch.columns[i])});
}

std::vector<HeaderColumn> header_of(const ResultLayout& layout) {
  const Extents extents(layout);
  const RecordShape shape = layout.shape();
  std::vector<HeaderColumn> header;
  add_header(table<AlgorithmInfo>(), extents, shape, std::span(layout.algorithms), header);
  for (const Table<ResultLayout>& each : layout_tables())
    add_header(each, extents, shape, std::span(&layout, 1), header);
  const std::size_t cases = header.size();
  add_header(table<CaseDescription>(), extents, shape, std::span(layout.cases), header);
  for (std::size_t i = cases, end = header.size(); i < end; ++i)
    if (is_run_coordinate(header[i].column.name)) {
      HeaderColumn copy = header[i];
      copy.column.group = table<RunRecord>().group;
      header.push_back(std::move(copy));
    }
  return header;
}

// Writing.

/// The dataset that numbers the places along a dimension.
Column index_column(std::string_view group, Dimension dimension) {
  Column column;
  column.group = group;
  column.name = to_string(dimension);
  column.units = "1";
  column.long_name = dimension == Dimension::vertex ? "vertex, from 0" : column.name;
  column.dimensions = {dimension};
  column.type = dimension == Dimension::seed ? Stored::i64 : Stored::i32;
  column.value_bytes = dimension == Dimension::seed ? 8 : 4;
  return column;
}

/// Makes datasets. xarray finds the names of their dimensions by the attributes with which netCDF-4 describes
/// a coordinate of several dimensions: _Netcdf4Coordinates lists identifiers, and _Netcdf4Dimid is a
/// dataset's own. (HDF5's DIMENSION_LIST would do the same by references of variable length.)
class Maker {
 public:
  Maker(hid_t file, const ResultLayout& layout) : file_(file), extents_(layout) {}

  /// A group with the datasets of its dimensions, which are those of all its columns.
  void group(std::string_view name, std::span<const Column> columns) {
    make_group(file_, std::string(name));
    ids_.clear();
    std::vector<Dimension> dimensions;
    for (const Column& column : columns)
      for (const Dimension each : column.dimensions)
        if (ids_.emplace(each, next_id_).second) {
          ++next_id_;
          dimensions.push_back(each);
        }
    for (const Dimension each : dimensions) {
      const bool is_column = std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
        return column.name == to_string(each) && column.dimensions == std::vector{each};
      });
      if (!is_column) index(name, each);
    }
  }

  /// A dataset that is full of missing values, its space allocated.
  Handle results(const Column& column, const std::string& covers = {}, const std::string& coordinates = {}) {
    const Handle creation = creation_list();
    must(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), column.name);
    must(H5Pset_fill_time(creation, H5D_FILL_TIME_ALLOC), column.name);
    const Handle type = type_of(column);
    if (column.type != Stored::text) must(H5Pset_fill_value(creation, type, column.fill.data()), column.name);
    Handle dataset = make(column, type, creation);
    if (!coordinates.empty()) write_attribute(dataset, "coordinates", coordinates);
    if (column.name == "checksum") write_attribute(dataset, "covers", covers);
    if (column.name == "status" && column.type == Stored::i8) {
      std::vector<std::int8_t> flags(kTaskStatuses);
      for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = static_cast<std::int8_t>(i);
      write_list(dataset, "flag_values", H5T_STD_I8LE, flags);
      write_attribute(dataset, "flag_meanings", "pending done capped failed not_needed");
    }
    return dataset;
  }

  /// A dataset that never changes, with the checksum of its bytes.
  void constant(const Column& column, const Bytes& bytes) {
    const Handle type = type_of(column);
    const Handle dataset = make(column, type, creation_list());
    if (!bytes.empty())
      must(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), column.name);
    const std::uint32_t sum = checksum_of(bytes);
    write_attribute(dataset, "checksum", H5T_STD_U32LE, &sum);
  }

 private:
  Handle make(const Column& column, hid_t type, hid_t creation) {
    const std::string path = column.path();
    std::vector<hsize_t> extents;
    std::vector<std::int32_t> ids;
    for (const Dimension each : column.dimensions) {
      extents.push_back(extents_[each]);
      ids.push_back(ids_.at(each));
    }
    const Handle space(
        extents.empty()
            ? must(H5Screate(H5S_SCALAR), path)
            : must(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), path),
        &H5Sclose);
    Handle dataset(
        must(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), path),
        &H5Dclose);
    if (!ids.empty()) {
      const bool is_scale = ids.size() == 1 && column.name == to_string(column.dimensions[0]);
      mark_scale(dataset, std::string(column.name), is_scale ? ids[0] : next_id_++);
      write_list(dataset, "_Netcdf4Coordinates", H5T_STD_I32LE, ids);
    }
    write_attribute(dataset, "long_name", column.long_name);
    if (!column.units.empty()) write_attribute(dataset, "units", column.units);
    if (column.type == Stored::text) write_attribute(dataset, "_Encoding", "utf-8");
    if (column.traits.fill_is_missing) write_attribute(dataset, "_FillValue", type, column.fill.data());
    return dataset;
  }

  /// 0, 1, 2, … along a dimension; where nobody needs them, the dimension's name and length without values.
  void index(std::string_view group, Dimension dimension) {
    const bool bare =
        dimension == Dimension::edge || dimension == Dimension::entry || dimension == Dimension::sitting;
    const Column column = index_column(group, dimension);
    const Handle dataset =
        make(column, bare ? Handle(H5Tcopy(H5T_STD_I8LE), &H5Tclose) : type_of(column), creation_list());
    const std::size_t count = extents_[dimension];
    if (bare) {
      must(H5Adelete(dataset, "NAME"), column.name);
      name_scale(dataset, fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", count));
    } else if (count > 0) {
      std::vector<std::int64_t> values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int64_t>(i);
      must(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), column.name);
    }
  }

  hid_t file_;
  Extents extents_;
  std::map<Dimension, std::int32_t> ids_;  // of the group's dimensions
  std::int32_t next_id_ = 0;
};

std::string names_of(std::span<const Column> columns, bool (*chosen)(const Column&)) {
  std::vector<std::string_view> names;
  for (const Column& column : columns)
    if (chosen(column)) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, " "));
}

void write_results(Maker& maker, std::span<const Column> columns, bool with_coordinates) {
  const std::string covers = names_of(columns, [](const Column& c) { return c.traits.summed; });
  for (const Column& column : columns) {
    std::string coordinates;
    if (with_coordinates) {
      const std::vector<Column> descriptions = columns_of(table<CaseDescription>(), {}, {});
      coordinates = names_of(descriptions, [](const Column& c) { return is_run_coordinate(c.name); });
      if (column.inner.before.is(Dimension::delta)) coordinates += " log_inv_delta";
    }
    (void)maker.results(column, covers, coordinates);
  }
}

/// All edges, some cases at a time.
void write_edges(Maker& maker, std::span<const Column> columns, const ResultLayout& layout,
                 const GraphOf& graph_of) {
  constexpr std::size_t kBlock = 1 << 18;
  std::vector<Handle> datasets;
  std::vector<Checksum> sums(columns.size());
  for (const Column& column : columns) datasets.push_back(maker.results(column));
  BatchBytes batch;
  hsize_t written = 0;
  const auto flush = [&] {
    const hsize_t count = batch.size();
    for (std::size_t i = 0; i < columns.size() && count > 0; ++i) {
      const Handle memory(must(H5Screate_simple(1, &count, nullptr), "edges"), &H5Sclose);
      const Handle space(must(H5Dget_space(datasets[i]), "edges"), &H5Sclose);
      must(H5Sselect_hyperslab(space, H5S_SELECT_SET, &written, nullptr, &count, nullptr), "edges");
      must(H5Dwrite(datasets[i], type_of(columns[i]), memory, space, H5P_DEFAULT, batch.columns[i].data()),
           "edges");
      sums[i].process_bytes(batch.columns[i].data(), batch.columns[i].size());
    }
    written += count;
    batch.clear();
  };
  for (CaseId c; c.value() < layout.cases.size(); ++c) {
    const FeedbackGraph graph = graph_of(c);
    TASFG_EXPECT(graph.edge_count() == static_cast<std::size_t>(layout.cases[c.value()].edges));
    for (int v = 0; v < graph.size(); ++v)
      for (const Edge& edge : graph.out(v))
        put_row(table<EdgeRow>(), columns,
                EdgeRow{static_cast<std::int32_t>(c.value()), v, edge.vertex, edge.probability}, 0, batch, 0,
                0);
    if (batch.size() > kBlock) flush();
  }
  flush();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint32_t sum = sums[i].checksum();
    write_attribute(datasets[i], "checksum", H5T_STD_U32LE, &sum);
  }
}

/// The root's attributes by name, as bytes.
using Attributes = std::map<std::string, Bytes>;

template <typename T>
Bytes bytes_of(const T& value) {
  const auto* begin = reinterpret_cast<const unsigned char*>(&value);
  return {begin, begin + sizeof value};
}
template <>
Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

/// Names and bytes, in the order of the names.
std::uint32_t checksum_of(const Attributes& attributes) {
  Checksum sum;
  for (const auto& [name, bytes] : attributes) {
    if (name == "header_checksum") continue;
    sum.process_bytes(name.data(), name.size());
    sum.process_bytes(bytes.data(), bytes.size());
  }
  return sum.checksum();
}

void write_root(hid_t file, const ResultLayout& layout) {
  const std::string format = "tasfg";
  write_attribute(file, "format", format);
  write_attribute(file, "format_version", H5T_STD_I64LE, &kFormatVersion);
  write_attribute(file, "format_minor", H5T_STD_I64LE, &layout.format_minor);
  Attributes attributes{{"format", bytes_of(format)},
                        {"format_version", bytes_of(kFormatVersion)},
                        {"format_minor", bytes_of(layout.format_minor)}};
  for (const RootAttribute& each : root_attributes())
    std::visit(
        [&]<typename T>(T ResultLayout::*member) {
          const T& value = layout.*member;
          if constexpr (std::is_same_v<T, std::string>)
            write_attribute(file, each.name, value);
          else
            write_attribute(file, each.name, std::is_same_v<T, std::uint64_t> ? H5T_STD_U64LE : H5T_STD_I64LE,
                            &value);
          attributes[each.name] = bytes_of(value);
        },
        each.member);
  const std::uint32_t sum = checksum_of(attributes);
  write_attribute(file, "header_checksum", H5T_STD_U32LE, &sum);
}

/// The columns of every table, with those of the header.
struct Everything {
  std::vector<HeaderColumn> header;
  std::vector<Column> runs, cases, edges, failures, sittings, live;

  explicit Everything(const ResultLayout& layout) : header(header_of(layout)) {
    const Extents extents(layout);
    const RecordShape shape = layout.shape();
    runs = columns_of(table<RunRecord>(), extents, shape);
    cases = columns_of(table<CaseSolution>(), extents, shape);
    edges = columns_of(table<EdgeRow>(), extents, shape);
    failures = columns_of(table<Failure>(), extents, shape);
    sittings = columns_of(table<Sitting>(), extents, shape);
    live = columns_of(table<LiveState>(), extents, shape);
  }
  /// The columns of a group, header first.
  [[nodiscard]] std::vector<Column> of(std::string_view group) const {
    std::vector<Column> found;
    for (const HeaderColumn& each : header)
      if (each.column.group == group) found.push_back(each.column);
    for (const auto* list : {&runs, &cases, &edges, &failures, &sittings, &live})
      for (const Column& each : *list)
        if (each.group == group) found.push_back(each);
    return found;
  }
};

// Reading.

[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  throw InputError(path, remark(fmt::format("{} cannot be read", what), "damaged?"));
}

/// An attribute's bytes: a text of fixed length, or one number.
bool read_attribute(hid_t attribute, Bytes& bytes) {
  constexpr std::size_t kLongest = 1 << 24;
  const Handle type(H5Aget_type(attribute), &H5Tclose);
  const Handle space(H5Aget_space(attribute), &H5Sclose);
  if (!type.valid() || !space.valid() || H5Sget_simple_extent_npoints(space) != 1) return false;
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t size = H5Tget_size(type);
  if (size < 1 || size > kLongest) return false;
  if (kind == H5T_STRING ? H5Tis_variable_str(type) != 0 : kind != H5T_INTEGER || size > 8) return false;
  bytes.resize(size);
  if (H5Aread(attribute, type, bytes.data()) < 0) return false;
  if (kind == H5T_STRING) bytes.erase(std::find(bytes.begin(), bytes.end(), 0), bytes.end());
  return true;
}

Bytes read_attribute(hid_t object, const char* name, const std::string& path) {
  const Handle attribute(H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID,
                         &H5Aclose);
  Bytes bytes;
  if (!attribute.valid() || !read_attribute(attribute, bytes))
    damaged(path, fmt::format("attribute {}", name));
  return bytes;
}

template <typename T>
T number(const Bytes& bytes, const std::string& path, std::string_view name) {
  T value{};
  if (bytes.size() != sizeof value) damaged(path, fmt::format("attribute {}", name));
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

Attributes read_attributes(hid_t file, const std::string& path) {
  struct Visit {
    Attributes found;
    bool good = true;
  } visit;
  hsize_t position = 0;
  const auto each = [](hid_t object, const char* name, const H5A_info_t*, void* out) -> herr_t {
    auto& [found, good] = *static_cast<Visit*>(out);
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), &H5Aclose);
    good = attribute.valid() && read_attribute(attribute, found[name]);
    return good ? 0 : -1;
  };
  if (H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, &position, each, &visit) < 0 || !visit.good)
    damaged(path, "an attribute of its root");
  return std::move(visit.found);
}

/// Finds datasets in an open file.
class Finder {
 public:
  Finder(hid_t file, const std::string& path, std::uint64_t size)
      : file_(file), path_(path), size_(size), access_(dataset_access()) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool exists(const std::string& name) const {
    return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
  }

  /// The only extent of a dataset of one dimension, each of whose values takes a byte at least.
  [[nodiscard]] std::size_t length(const std::string& name) const {
    const std::vector<hsize_t> extents = extents_of(open(name), name);
    if (extents.size() != 1 || extents[0] > size_) damaged(path_, name);
    return static_cast<std::size_t>(extents[0]);
  }

  /// Notes where a column's bytes are; its dimensions and its type must be what they should.
  Handle locate(Column& column, const Extents& extents) {
    const std::string name = column.path();
    Handle dataset = open(name);
    std::vector<hsize_t> wanted;
    for (const Dimension each : column.dimensions) wanted.push_back(extents[each]);
    if (extents_of(dataset, name) != wanted) damaged(path_, name);
    const Handle type(H5Dget_type(dataset), &H5Tclose);
    if (!type.valid()) damaged(path_, name);
    if (column.type == Stored::text && column.traits.text_room == 0) {
      if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) damaged(path_, name);
      column.value_bytes = H5Tget_size(type);
    }
    if (H5Tequal(type, type_of(column)) <= 0) damaged(path_, name);
    std::uint64_t bytes = column.value_bytes;
    for (const hsize_t each : wanted)
      if (__builtin_mul_overflow(bytes, each, &bytes)) damaged(path_, name);
    if (bytes == 0) return dataset;
    const haddr_t offset = H5Dget_offset(dataset);
    if (offset == HADDR_UNDEF || offset > size_ || bytes > size_ - offset) damaged(path_, name);
    column.offset = offset;
    const auto [after, fresh] = taken_.emplace(offset, offset + bytes);
    const bool overlaps = !fresh || (after != taken_.begin() && std::prev(after)->second > offset) ||
                          (std::next(after) != taken_.end() && std::next(after)->first < offset + bytes);
    if (overlaps) damaged(path_, name);
    return dataset;
  }

 private:
  [[nodiscard]] Handle open(const std::string& name) const {
    Handle dataset(H5Dopen2(file_, name.c_str(), access_), &H5Dclose);
    if (!dataset.valid()) damaged(path_, name);
    return dataset;
  }
  [[nodiscard]] std::vector<hsize_t> extents_of(hid_t dataset, const std::string& name) const {
    const Handle space(H5Dget_space(dataset), &H5Sclose);
    const int rank = space.valid() ? H5Sget_simple_extent_ndims(space) : -1;
    constexpr int kHighest = 5;
    if (rank < 0 || rank > kHighest) damaged(path_, name);
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    if (H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0) damaged(path_, name);
    return extents;
  }

  hid_t file_;
  const std::string& path_;
  std::uint64_t size_;
  Handle access_;
  std::map<std::uint64_t, std::uint64_t> taken_;  // the bytes of the datasets found so far
};

/// Reads the datasets of one kind of record that are written once.
template <typename Record>
void read_header(const ResultFile::Impl& file, Finder& finder, const Table<Record>& table,
                 const Extents& extents, const RecordShape& shape, std::span<Record> records) {
  std::vector<Column> columns = columns_of(table, extents, shape);
  BatchBytes batch;
  for (Column& column : columns) {
    const Handle dataset = finder.locate(column, extents);
    Bytes& bytes = batch.columns.emplace_back(column.stride() * records.size());
    file.read_bytes(column.offset, bytes.data(), bytes.size());
    const Bytes sum = read_attribute(dataset, "checksum", file.path);
    if (number<std::uint32_t>(sum, file.path, "checksum") != checksum_of(bytes))
      damaged(file.path, column.path());
  }
  for (std::size_t i = 0; i < records.size(); ++i)
    get_row(table, columns, batch, i, extents[Dimension::vertex], records[i]);
}

void check_layout(const ResultLayout& layout, std::size_t vertices, const std::string& path) {
  for (const CaseDescription& each : layout.cases) {
    if (each.K < 2 || each.K > kLargestGraph || static_cast<std::size_t>(each.K) > vertices)
      damaged(path, "cases/K");
    if (each.best < 0 || each.best >= each.K) damaged(path, "cases/best");
    if (each.edges < 0 || each.edges > std::int64_t{each.K} * each.K) damaged(path, "cases/edges");
  }
  if (layout.shape().vertices != vertices) damaged(path, "cases/vertex");
  if (layout.max_steps < 1) damaged(path, "attribute max_steps");
  for (const std::int64_t each : layout.checkpoints)
    if (each < 1 || each > layout.max_steps) damaged(path, "runs/checkpoint");
  if (layout.pulls_by_delta != 0 && layout.pulls_by_delta != 1) damaged(path, "attribute pulls_by_delta");
  if (layout.precision.empty()) return;
  try {
    const Precision precision = parse_precision(layout.precision, path);
    const bool of_error = precision.target(Quantity::error) > 0.0;
    if (of_error == layout.weighted) return;
  } catch (const InputError&) {
  }
  damaged(path, "attribute precision");
}

void read_layout(const ResultFile::Impl& file, Finder& finder, const Attributes& attributes,
                 ResultLayout& layout) {
  for (const RootAttribute& each : root_attributes()) {
    const auto found = attributes.find(each.name);
    if (found == attributes.end() && each.since > 0)
      continue;  // an older file; its checksum vouches for that
    if (found == attributes.end()) damaged(file.path, fmt::format("attribute {}", each.name));
    std::visit(
        [&]<typename T>(T ResultLayout::*member) {
          if constexpr (std::is_same_v<T, std::string>)
            layout.*member = std::string(found->second.begin(), found->second.end());
          else
            layout.*member = number<T>(found->second, file.path, each.name);
        },
        each.member);
  }
  layout.weighted = finder.exists("runs/log_weight");
  RecordShape shape{.deltas = finder.length("runs/delta"),
                    .checkpoints = finder.exists("runs/checkpoint") ? finder.length("runs/checkpoint") : 0,
                    .vertices = finder.length("cases/vertex"),
                    .pulls_by_delta = layout.pulls_by_delta != 0,
                    .weighted = layout.weighted,
                    .minor = layout.format_minor};
  Extents extents(shape);
  extents[Dimension::case_] = finder.length("cases/K");
  extents[Dimension::algorithm] = finder.length("runs/algorithm");
  layout.replications = static_cast<std::int64_t>(finder.length("runs/seed"));
  const auto fits = [&](std::size_t count) { return count <= finder.size() / 64; };  // a case takes more
  if (!fits(extents[Dimension::case_]) || !fits(extents[Dimension::algorithm])) damaged(file.path, "cases/K");
  layout.cases.resize(extents[Dimension::case_]);
  layout.algorithms.resize(extents[Dimension::algorithm]);
  read_header(file, finder, table<AlgorithmInfo>(), extents, shape, std::span(layout.algorithms));
  for (const Table<ResultLayout>& each : layout_tables())
    read_header(file, finder, each, extents, shape, std::span(&layout, 1));
  read_header(file, finder, table<CaseDescription>(), extents, shape, std::span(layout.cases));
  check_layout(layout, shape.vertices, file.path);
  for (CaseDescription& each : layout.cases) each.means.resize(static_cast<std::size_t>(each.K));
}

}  // namespace

void write_empty_file(const std::string& path, const std::string& shown, const ResultLayout& layout,
                      const GraphOf& graph_of) {
  const QuietHdf5 quiet;
  const std::uint64_t needed = file_size(layout);
  const auto full = [&](std::string_view why) {
    return SystemError(
        shown, remark(fmt::format("cannot be made: {}", why),
                      fmt::format("it needs {:.1f} MB of disk space", static_cast<double>(needed) / 1e6)));
  };
  struct statvfs disk {};
  if (statvfs(folder_of(path).c_str(), &disk) == 0 &&
      static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize < needed)
    throw full(fmt::format("{:.1f} MB are free",
                           static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) / 1e6));
  const Everything all(layout);
  errno = 0;
  try {
    Handle file = make_file(path, H5F_ACC_EXCL);
    write_root(file, layout);
    Maker maker(file, layout);
    for (const std::string_view group : {"live", "cases", "runs", "edges", "failures", "sittings"}) {
      if (all.of(group).empty()) continue;
      maker.group(group, all.of(group));
      for (const auto& [column, bytes] : all.header)
        if (column.group == group) maker.constant(column, bytes);
      if (group == "live") write_results(maker, all.live, false);
      if (group == "cases") write_results(maker, all.cases, false);
      if (group == "runs") write_results(maker, all.runs, true);
      if (group == "edges") write_edges(maker, all.edges, layout, graph_of);
      if (group == "failures") write_results(maker, all.failures, false);
      if (group == "sittings") write_results(maker, all.sittings, false);
    }
    must(file.reset(), "close");
  } catch (const CreationFailure& failure) {
    throw full(errno != 0 ? std::strerror(errno) : fmt::format("HDF5 failed at {}", failure.what()));
  }
}

void read_structure(ResultFile::Impl& opened) {
  const QuietHdf5 quiet;
  const std::string& path = opened.path;
  constexpr const char* kUntouched = "it was left as it is";
  if (H5Fis_hdf5(path.c_str()) <= 0) throw InputError(path, remark("is not an HDF5 file", kUntouched));
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, file_access()), &H5Fclose);
  if (!file.valid())
    throw InputError(path, remark("cannot be opened as HDF5: truncated or damaged", kUntouched));
  const htri_t format = H5Aexists(file, "format"), numbered = H5Aexists(file, "format_version");
  if (format < 0 || numbered < 0) damaged(path, "its root");
  if (format == 0 || numbered == 0) throw InputError(path, remark("is not a tasfg result file", kUntouched));
  const auto version =
      number<std::int64_t>(read_attribute(file, "format_version", path), path, "format_version");
  if (version != kFormatVersion)
    throw InputError(
        path, remark(fmt::format("has format version {}, this program knows {}", version, kFormatVersion),
                     version > kFormatVersion
                         ? "use a newer tasfg"
                         : "from before the first release: run its job again, into another file"));
  if (read_attribute(file, "format", path) != bytes_of(std::string("tasfg")))
    throw InputError(path, remark("is not a tasfg result file", kUntouched));
  const Attributes attributes = read_attributes(file, path);
  if (number<std::uint32_t>(read_attribute(file, "header_checksum", path), path, "header_checksum") !=
      checksum_of(attributes))
    throw InputError(path, remark("its attributes do not fit their checksum", "damaged?"));
  ResultLayout& layout = opened.layout;
  layout.format_minor =
      number<std::int64_t>(read_attribute(file, "format_minor", path), path, "format_minor");
  Finder finder(file, path, opened.length);
  read_layout(opened, finder, attributes, layout);
  const Extents extents(layout);
  const RecordShape shape = layout.shape();
  const auto locate = [&]<typename Record>(const Table<Record>& of, StoredTable& stored) {
    stored.columns = columns_of(of, extents, shape);
    if (of.own_count > 0) stored.along = extents[of.own[of.own_count - 1]];
    for (Column& column : stored.columns) (void)finder.locate(column, extents);
  };
  locate(table<RunRecord>(), opened.runs);
  locate(table<CaseSolution>(), opened.cases);
  locate(table<EdgeRow>(), opened.edges);
  locate(table<Failure>(), opened.failure_list);
  locate(table<Sitting>(), opened.sitting_list);
  locate(table<LiveState>(), opened.live_state);
  opened.run_format = RunFormat(shape);
  opened.case_format = CaseFormat(shape);
}

void check_constants(const ResultFile::Impl& opened, const std::function<void(std::string)>& tell) {
  const QuietHdf5 quiet;
  const ResultLayout& layout = opened.layout;
  const Handle file(H5Fopen(opened.path.c_str(), H5F_ACC_RDONLY, file_access()), &H5Fclose);
  if (!file.valid()) return tell("cannot be opened as HDF5 any more");
  const Extents extents(layout);
  Finder finder(file, opened.path, opened.length);
  const auto check = [&](Column column, const Bytes* expected) {
    try {
      const Handle dataset = finder.locate(column, extents);
      constexpr std::uint64_t kPart = 1 << 20;
      const std::uint64_t bytes = column.values(extents) * column.value_bytes;
      Checksum sum;
      Bytes part;
      bool same = expected == nullptr || expected->size() == bytes;
      for (std::uint64_t at = 0; at < bytes; at += part.size()) {
        part.resize(std::min(kPart, bytes - at));
        opened.read_bytes(column.offset + at, part.data(), part.size());
        sum.process_bytes(part.data(), part.size());
        same = same &&
               (expected == nullptr || std::memcmp(part.data(), expected->data() + at, part.size()) == 0);
      }
      const bool has_sum = H5Aexists(dataset, "checksum") > 0;
      if (has_sum && number<std::uint32_t>(read_attribute(dataset, "checksum", opened.path), opened.path,
                                           "checksum") != sum.checksum())
        return tell(fmt::format("{}: does not fit its checksum", column.path()));
      if (!same) tell(fmt::format("{}: is not what the header says", column.path()));
    } catch (const InputError&) {
      tell(fmt::format("{}: cannot be read", column.path()));
    }
  };
  const Everything all(layout);
  for (const auto& [column, bytes] : all.header) check(column, &bytes);
  for (const Column& column : all.edges) check(column, nullptr);
  for (const auto& [group, dimension] : {std::pair{"cases", Dimension::case_},
                                         {"cases", Dimension::vertex},
                                         {"runs", Dimension::case_},
                                         {"runs", Dimension::seed},
                                         {"runs", Dimension::vertex}}) {
    const Column column = index_column(group, dimension);
    Bytes expected(extents[dimension] * column.value_bytes);
    for (std::size_t i = 0; i < extents[dimension]; ++i)
      std::memcpy(expected.data() + i * column.value_bytes, &i, column.value_bytes);  // little-endian
    check(column, &expected);
  }
}

std::uint64_t file_size(const ResultLayout& layout) {
  const Extents extents(layout);
  const Everything all(layout);
  constexpr std::uint64_t kHeader = 1300;  // of a dataset: its object header, with its attributes
  std::uint64_t bytes = 8 * 1024 + 2 * (layout.job.size() + layout.job_overrides.size());
  for (const auto& [column, values] : all.header) bytes += kHeader + values.size();
  for (const auto* list : {&all.runs, &all.cases, &all.edges, &all.failures, &all.sittings, &all.live})
    for (const Column& column : *list) bytes += kHeader + column.values(extents) * column.value_bytes;
  return bytes + 16 * (extents[Dimension::case_] + extents[Dimension::seed] + extents[Dimension::vertex]);
}

}  // namespace tasfg
