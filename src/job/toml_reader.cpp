#include "toml_reader.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kLargestText = std::size_t{4} << 20;
constexpr std::string_view kSetOption = "--set ";

/// Bounds how deep brackets nest and how many dots a key has. toml++ bounds brackets only, and takes a tree
/// apart recursively: a key of a million dots would overflow the stack. Strings and comments are skipped as
/// TOML does; where the text is no TOML the parser stops no later than this loses its way.
class NestingCheck {
 public:
  NestingCheck(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  void run() {
    for (at_ = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      count(c);
      ++at_;
    }
  }

 private:
  static constexpr int kDeepest = 16;

  void count(char c) {
    switch (c) {
      case '\n':
        ++line_;
        dots_ = 0;
        break;
      case '.':
        ++dots_;
        break;
      case '[':
      case '{':
        ++brackets_;
        dots_ = 0;
        break;
      case ']':
      case '}':
        brackets_ = std::max(brackets_ - 1, 0);
        dots_ = 0;
        break;
      case '=':
      case ',':
        dots_ = 0;
        break;
      default:
        break;
    }
    if (dots_ > kDeepest || brackets_ > kDeepest)
      throw InputError(
          fmt::format("{}: line {} nests too deep (at most {} levels)", origin_, line_, kDeepest));
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool escapes = quote == '"';
    if (text_.substr(at_, 3) != triple) {
      for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
        if (text_[at_] == '\\' && escapes && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
          ++at_;
        } else if (text_[at_] == quote) {
          ++at_;
          return;
        }
      }
      return;
    }
    for (at_ += 3; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && escapes) {
        ++at_;
        if (at_ < text_.size() && text_[at_] == '\n') ++line_;
      } else if (text_.substr(at_, 3) == triple) {
        at_ += 3;
        // Up to two quotes may stand before the closing three.
        for (int extra = 0; extra < 2 && at_ < text_.size() && text_[at_] == quote; ++extra) ++at_;
        return;
      }
    }
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  int line_ = 1;
  int dots_ = 0;
  int brackets_ = 0;
};

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 300)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}

std::string scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return fmt::format("\"{}\"", quotable(text->get()));
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return to_text(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return {};
}

std::string_view kind_text(const toml::node& node) {
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  return "a date or time";
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& origin) {
  if (text.size() > kLargestText)
    throw InputError(
        fmt::format("{}: {} bytes (a job file must have at most {})", origin, text.size(), kLargestText));
  NestingCheck(text, origin).run();
  try {
    return toml::parse(text, std::string_view(origin));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError(fmt::format("{}:{}:{}: {}", origin, at.line, at.column, printable(error.description())));
  }
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? quotable(key) : fmt::format("\"{}\"", quotable(key));
}

std::string Field::origin() const {
  const auto& path = node_->source().path;
  return path == nullptr || path->empty() ? *file_ : *path;
}

std::string Field::where() const {
  const std::string from = origin();
  if (from.starts_with(kSetOption) && std::string_view(from).substr(kSetOption.size()) == path_) return from;
  return fmt::format("{}: {}", from, path_);
}

void Field::fail(std::string_view must) const {
  const std::string value = scalar_text(*node_);
  if (value.empty()) throw InputError(fmt::format("{} is {} ({})", where(), kind_text(*node_), must));
  throw InputError(fmt::format("{} = {} ({})", where(), value, must));
}

double Field::number(std::string_view must) const {
  double value = 0.0;
  if (const auto* whole_value = node_->as_integer())
    value = static_cast<double>(whole_value->get());
  else if (const auto* real = node_->as_floating_point())
    value = real->get();
  else
    fail(must);
  if (!std::isfinite(value)) fail("must be a finite number");
  return value + 0.0;  // −0 is 0
}

std::int64_t Field::whole(std::int64_t low, std::int64_t high) const {
  constexpr double kExact = 0x1p53;
  const std::string must = fmt::format("must be a whole number from {} to {}", low, high);
  std::int64_t value = 0;
  if (const auto* given = node_->as_integer()) {
    value = given->get();
  } else {
    const double real = number(must);
    if (real != std::floor(real) || std::abs(real) > kExact) fail(must);
    value = static_cast<std::int64_t>(real);
  }
  if (value < low || value > high) fail(must);
  return value;
}

std::string Field::text(std::string_view must) const {
  const auto* value = node_->as_string();
  if (value == nullptr) fail(must);
  return value->get();
}

std::size_t Field::one_of(std::span<const std::string_view> known) const {
  const std::string value = text(fmt::format("must be one of {}", fmt::join(known, ", ")));
  const auto found = std::find(known.begin(), known.end(), value);
  if (found == known.end())
    throw InputError(fmt::format("{} = \"{}\" {}", where(), quotable(value), suggest(value, known)));
  return static_cast<std::size_t>(found - known.begin());
}

std::vector<Field> Field::items() const {
  const auto* list = node_->as_array();
  if (list == nullptr) return {*this};
  if (list->size() > kMostValues)
    throw InputError(
        fmt::format("{} holds {} values (must be at most {})", where(), list->size(), kMostValues));
  std::vector<Field> fields;
  fields.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i)
    fields.emplace_back((*list)[i], fmt::format("{}[{}]", path_, i), *file_);
  return fields;
}

std::vector<double> Field::numbers() const {
  if (is_table()) return range();
  std::vector<double> values;
  for (const Field& item : items())
    values.push_back(
        item.number(is_list() ? "must be a number" : "must be a number, a list of numbers or a range"));
  if (values.empty()) throw InputError(fmt::format("{} is empty (must hold at least one number)", where()));
  return values;
}

std::vector<double> Field::range() const {
  constexpr std::string_view kKeys[] = {"from", "to", "count", "scale"};
  constexpr std::string_view kScales[] = {"linear", "log"};
  check_keys(kKeys);
  for (const std::string_view key : {"from", "to", "count"})
    if (!find(key))
      throw InputError(fmt::format("{} has no {} (a range needs from, to and count)", where(), key));
  const double from = member("from").number();
  const double to = member("to").number();
  const auto count =
      static_cast<std::size_t>(member("count").whole(1, static_cast<std::int64_t>(kMostValues)));
  const std::optional<Field> scale = find("scale");
  const bool logarithmic = scale && scale->one_of(kScales) == 1;
  if (logarithmic) {
    for (const std::string_view key : {"from", "to"})
      if (!(member(key).number() > 0.0)) member(key).fail("must be positive where scale is \"log\"");
  }
  if ((count == 1) != (from == to))
    member("count").fail(count == 1 ? "must be at least 2 where from and to differ"
                                    : "must be 1 where from and to are equal");
  std::vector<double> values(count, from);
  const double last = static_cast<double>(count - 1);
  const double low = logarithmic ? log(from) : from;
  const double width = (logarithmic ? log(to) : to) - low;
  for (std::size_t i = 1; i + 1 < count; ++i) {
    const double x = low + static_cast<double>(i) * width / last;
    values[i] = logarithmic ? exp(x) : x;
    if (!std::isfinite(values[i]))
      throw InputError(fmt::format("{} spans too much (its values must be finite)", where()));
  }
  values.back() = to;
  return values;
}

const toml::table& Field::table() const {
  const toml::table* members = node_->as_table();
  TASFG_EXPECT(members != nullptr);
  return *members;
}

std::optional<Field> Field::find(std::string_view key) const {
  const toml::node* found = table().get(key);
  if (found == nullptr) return std::nullopt;
  return Field(*found, path_.empty() ? key_text(key) : fmt::format("{}.{}", path_, key_text(key)), *file_);
}

Field Field::member(std::string_view key) const {
  const std::optional<Field> found = find(key);
  TASFG_EXPECT(found.has_value());
  return *found;
}

std::vector<std::string> Field::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : table()) keys.emplace_back(key.str());
  return keys;
}

void Field::check_keys(std::span<const std::string_view> known) const {
  for (const std::string& key : keys()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const Field field = member(key);
    const auto top = top_keys();
    // In TOML a key belongs to the table header above it: the usual slip is a key meant for the job.
    const bool misplaced = !path_.empty() && std::find(top.begin(), top.end(), key) != top.end();
    throw InputError(fmt::format("{}: unknown key {} {}", field.origin(), field.path(),
                                 misplaced
                                     ? fmt::format("({} belongs at the top, above the first table)", key)
                                     : suggest(key, known)));
  }
}

std::span<const std::string_view> top_keys() {
  static constexpr std::string_view kKeys[] = {
      "name",    "seed",        "replications", "log_inv_delta", "delta",     "algorithms",
      "setting", "conventions", "threshold",    "stream",        "max_steps", "reward",
      "means",   "variance",    "graph",        "algorithm",     "convention"};
  return kKeys;
}

}  // namespace tasfg
