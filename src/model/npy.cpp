#include "tasfg/model/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostValues = std::size_t{1} << 27;

[[noreturn]] void damaged(const std::string& origin) {
  throw InputError(origin, remark("is not a whole .npy file", "must be one array, as numpy.save writes it"));
}

/// The text after `'key':` of the header, a Python dictionary.
std::string_view entry(std::string_view header, std::string_view key, const std::string& origin) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) damaged(origin);
  header.remove_prefix(at + quoted.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

std::string_view between(std::string_view text, char open, char close, const std::string& origin) {
  const std::size_t end = text.find(close, 1);
  if (text.empty() || text.front() != open || end == std::string_view::npos) damaged(origin);
  return text.substr(1, end - 1);
}

std::vector<std::size_t> shape_of(std::string_view text, const std::string& origin) {
  std::vector<std::size_t> shape;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, end);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (item.empty()) continue;
    const std::optional<double> size = to_number(item);
    if (!size || *size < 0 || *size > static_cast<double>(kMostValues)) damaged(origin);
    shape.push_back(static_cast<std::size_t>(*size));
  }
  return shape;
}

using Read = double (*)(const char*);

template <typename Value>
double read(const char* at) {
  Value value{};
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

struct Type {
  std::string_view name;  // without the sign of the byte order
  std::size_t bytes;
  Read read;
};
constexpr Type kTypes[] = {
    {"f8", 8, &read<double>},        {"f4", 4, &read<float>},         {"i8", 8, &read<std::int64_t>},
    {"i4", 4, &read<std::int32_t>},  {"i2", 2, &read<std::int16_t>},  {"i1", 1, &read<std::int8_t>},
    {"u8", 8, &read<std::uint64_t>}, {"u4", 4, &read<std::uint32_t>}, {"u2", 2, &read<std::uint16_t>},
    {"u1", 1, &read<std::uint8_t>},  {"b1", 1, &read<std::uint8_t>},
};

const Type& type_of(std::string_view text, const std::string& origin) {
  static_assert(std::endian::native == std::endian::little);
  for (const Type& type : kTypes)
    if (text.size() == 3 && text.substr(1) == type.name && (text[0] == '<' || text[0] == '|')) return type;
  throw InputError(origin, remark(fmt::format("holds values of type {}", in_quotes(text)),
                                  "must be little-endian numbers, as float64"));
}

}  // namespace

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

NpyArray parse_npy(std::string_view bytes, const std::string& origin) {
  // Magic, two bytes of version, the header's length in two bytes (version 1) or four.
  const std::size_t version_at = kMagic.size();
  if (!is_npy(bytes) || bytes.size() < version_at + 6) damaged(origin);
  const std::size_t width = bytes[version_at] == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[version_at + 2 + i])) << (8 * i);
  bytes.remove_prefix(version_at + 2 + width);
  if (length > bytes.size()) damaged(origin);
  const std::string_view header = bytes.substr(0, length);
  bytes.remove_prefix(length);

  const Type& type = type_of(between(entry(header, "descr", origin), '\'', '\'', origin), origin);
  const bool by_columns = entry(header, "fortran_order", origin).starts_with("True");
  NpyArray array{shape_of(between(entry(header, "shape", origin), '(', ')', origin), origin), {}};
  if (array.shape.empty() || array.shape.size() > 2)
    throw InputError(origin,
                     remark(fmt::format("has {} dimensions", array.shape.size()), "must have one or two"));
  const std::size_t rows = array.shape.front(), columns = array.shape.size() == 2 ? array.shape[1] : 1;
  if (columns > 0 && rows > kMostValues / columns) damaged(origin);
  if (bytes.size() != rows * columns * type.bytes) damaged(origin);
  array.values.resize(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      array.values[i * columns + j] =
          type.read(bytes.data() + (by_columns ? j * rows + i : i * columns + j) * type.bytes);
  return array;
}

}  // namespace tasfg
