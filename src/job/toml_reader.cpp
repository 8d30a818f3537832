#include "toml_reader.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/model/reward.hpp"

namespace tasfg {
namespace {

constexpr std::string_view kSetOption = "--set ";

/// Refuses beforehand what toml++ 3.3 does not survive. It bounds the depth of brackets but not the dots of a
/// key, and takes a deep tree apart recursively; some characters beyond ASCII in keys, brackets that do not
/// match, headers without a key and malformed times are undefined behaviour (tests/fuzz/fuzz_job.cpp found
/// them). A job that means something has none of these: its keys are ASCII, and a few levels suffice.
class Screen {
 public:
  Screen(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  void run() {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // byte order mark
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        pass_string(c);
        previous_ = c;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        pass(c);
        if (c != ' ' && c != '\t' && c != '\r') previous_ = c;
        ++at_;
      }
    }
  }

 private:
  static constexpr std::size_t kDeepest = 16;

  [[nodiscard]] std::string place_of(std::size_t at) const {
    return fmt::format("{}:{}:{}", origin_, line_, at - line_begin_ + 1);
  }
  [[noreturn]] void fail(std::size_t at, std::string what) const {
    throw InputError(place_of(at), remark(std::move(what)));
  }
  [[nodiscard]] bool next_is(std::string_view expected) const {
    return text_.substr(std::min(at_, text_.size())).starts_with(expected);
  }

  void pass(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) fail(at_, "a character beyond ASCII (only texts and comments may hold one)");
    if ((byte < 0x20 && c != '\t' && c != '\n' && !next_is("\r\n")) || byte == 0x7f)
      fail(at_, "a control character");
    if (c == ':') fail(at_, "a colon outside text (a job holds no times)");
    if (c == '.')
      ++dots_;
    else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos)
      dots_ = 0;
    if (c == '[' || c == '{') {
      if (c == '[' && previous_ == '\n' && open_.empty()) enter_header();
      open_ += c;
    }
    if (c == ']' || c == '}') {
      if (open_.empty() || open_.back() != (c == ']' ? '[' : '{'))
        fail(at_, "a bracket that closes no other");
      open_.pop_back();
    }
    if (dots_ > kDeepest || open_.size() > kDeepest)
      fail(at_, fmt::format("nests too deep (at most {} levels)", kDeepest));
    if (c == '\n') {
      next_line();
      in_header_ = false;
    }
  }

  /// At the first '[' of a table header.
  void enter_header() {
    in_header_ = true;
    std::size_t key = at_ + 1;
    if (text_.substr(key, 1) == "[") ++key;
    key = text_.find_first_not_of(" \t", key);
    if (key == std::string_view::npos) return;  // the parser says what is missing
    const char c = text_[key];
    if (!is_bare(c) && c != '"' && c != '\'' && c != ']') fail(key, "a table header must start with a key");
  }

  void pass_string(char quote) {
    if (std::string_view("\n=,[{.").find(previous_) == std::string_view::npos)
      fail(at_, "a quote in the midst of a word");
    const bool is_item = !in_header_ && !open_.empty() && open_.back() == '[' && previous_ != '.';
    const bool is_key = previous_ != '=' && !is_item;
    const std::string place = place_of(at_);
    const std::string one(1, quote);
    const std::string three(3, quote);
    const std::string& closing = next_is(three) ? three : one;
    for (at_ += closing.size(); at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) >= 0x80 && is_key) fail(at_, "a character beyond ASCII in a key");
      if (c == '\n') {
        if (closing == one) break;
        next_line();
      } else if (c == '\\' && quote == '"') {
        ++at_;
        if (next_is("\n")) next_line();
        if (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80) fail(at_, "no such escape");
      } else if (next_is(closing)) {
        at_ += closing.size();
        // In texts of many lines, up to two quotes may stand before the closing three.
        for (int extra = 0; closing == three && extra < 2 && next_is(one); ++extra) ++at_;
        return;
      }
    }
    throw InputError(place, remark("a text that is not closed"));
  }

  void next_line() {
    ++line_;
    line_begin_ = at_ + 1;
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
  char previous_ = '\n';  // the last character outside strings and comments that is no blank
  std::string open_;      // brackets not yet closed
  std::size_t dots_ = 0;  // of the key at hand
  bool in_header_ = false;
};

std::string scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return in_quotes(text->get());
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
  if (text.size() > kLargestJob)
    throw InputError(origin, remark(fmt::format("{} bytes", text.size()),
                                    fmt::format("a job file must have at most {}", kLargestJob)));
  Screen(text, origin).run();
  try {
    return toml::parse(text, std::string_view(origin));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError(fmt::format("{}:{}:{}", origin, at.line, at.column),
                     remark(printable(error.description().substr(0, 300))));
  }
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool is_printable(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), is_bare);
  return bare ? quotable(key) : fmt::format("\"{}\"", quotable(key));
}

Complaint too_many_values(std::size_t count, std::size_t most) {
  return bad_state(fmt::format("holds {} values", count), fmt::format("must be at most {}", most));
}

std::string Field::origin() const {
  const auto& path = node_->source().path;
  return path == nullptr || path->empty() ? *file_ : *path;
}

std::string Field::where() const {
  std::string from = origin();
  const bool says_it =
      from.starts_with(kSetOption) && std::string_view(from).substr(kSetOption.size()) == path_;
  if (!says_it) from += ": " + path_;
  return from;
}

void Field::fail(std::string_view must) const {
  std::string value = scalar_text(*node_);
  if (value.empty())
    throw InputError(where(), bad_state(fmt::format("is {}", kind_text(*node_)), std::string(must)));
  throw InputError(where(), Complaint{Complaint::Form::value, std::move(value), std::string(must)});
}

double Field::number(std::string_view must) const {
  double value = 0.0;
  if (const auto* whole_value = node_->as_integer())
    value = static_cast<double>(whole_value->get());
  else if (const auto* real = node_->as_floating_point())
    value = real->get();
  else
    fail(must);
  if (!std::isfinite(value)) fail(fmt::format("{}; it must be finite", must));
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

bool Field::flag() const {
  if (const auto* value = node_->as_boolean()) return value->get();
  fail("must be true or false");
}

std::string Field::text(std::string_view must) const {
  const auto* value = node_->as_string();
  if (value == nullptr) fail(must);
  return value->get();
}

std::size_t Field::one_of(std::span<const std::string_view> known) const {
  const std::string value = text(fmt::format("must be one of {}", fmt::join(known, ", ")));
  const auto found = std::find(known.begin(), known.end(), value);
  if (found == known.end()) throw InputError(where(), bad_text(value, suggest(value, known)));
  return static_cast<std::size_t>(found - known.begin());
}

std::vector<Field> Field::items() const {
  const auto* list = node_->as_array();
  if (list == nullptr) return {*this};
  if (list->size() > kMostValues) throw InputError(where(), too_many_values(list->size(), kMostValues));
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
  if (values.empty()) throw InputError(where(), bad_state("is empty", "must hold at least one number"));
  return values;
}

std::vector<double> Field::range() const {
  constexpr std::string_view kKeys[] = {"from", "to", "count", "scale"};
  constexpr std::string_view kScales[] = {"linear", "log"};
  check_keys(kKeys);
  for (const std::string_view key : {"from", "to", "count"})
    if (!find(key))
      throw InputError(where(), bad_state(fmt::format("has no {}", key), "a range needs from, to and count"));
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
      throw InputError(where(), bad_state("spans too much", "its values must be finite"));
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
    throw InputError(field.origin(),
                     remark(fmt::format("unknown key {}", field.path()),
                            misplaced ? fmt::format("{} belongs at the top, above the first table", key)
                                      : suggest(key, known)));
  }
}

std::span<const std::string_view> top_keys() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> keys = {"name",       "seed",    "replications", "log_inv_delta", "delta",
                                          "algorithms", "setting", "conventions",  "threshold",     "stream",
                                          "max_steps",  "reward",  "means"};
    for (const RewardParameter& parameter : reward_parameters()) keys.push_back(parameter.name);
    keys.insert(keys.end(), {"graph", "algorithm", "convention", "checkpoints", "pulls_by_delta", "skip",
                             "rules", "skip_infeasible", "measure", "precision"});
    return keys;
  }();
  return all;
}

}  // namespace tasfg
