#include "overrides.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <variant>

#include <fmt/format.h>

namespace tasfg {
namespace {

using Step = std::variant<std::string, std::size_t>;  // a member's key, or an item's index

struct Override {
  std::string key;  // as Field::path writes it
  std::vector<Step> steps;
  std::string value;
};

[[noreturn]] void bad_syntax(std::string_view text) {
  throw InputError("--set", bad_state(in_quotes(text), "must be key=value, as in graph[0].K=5"));
}

/// Takes a bare or quoted key off the front of `rest`.
std::optional<std::string> take_key(std::string_view& rest) {
  if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
    const auto end = rest.find(rest.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string key(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return key;
  }
  const auto end =
      static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_bare) - rest.begin());
  if (end == 0) return std::nullopt;
  std::string key(rest.substr(0, end));
  rest.remove_prefix(end);
  return key;
}

/// Takes "[3]" off the front of `rest`.
std::optional<std::size_t> take_index(std::string_view& rest) {
  const auto end = rest.find(']');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view digits = rest.substr(1, end - 1);
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  rest.remove_prefix(end + 1);
  return index;
}

void trim(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
}

Override parse_override(std::string_view text) {
  constexpr std::size_t kMostSteps = 8;
  Override result;
  std::string_view rest = text;
  trim(rest);
  for (;;) {
    const std::optional<std::string> key = take_key(rest);
    if (!key || result.steps.size() >= kMostSteps) bad_syntax(text);
    result.key += (result.steps.empty() ? "" : ".") + key_text(*key);
    result.steps.emplace_back(*key);
    while (!rest.empty() && rest.front() == '[') {
      const std::optional<std::size_t> index = take_index(rest);
      if (!index || result.steps.size() >= kMostSteps) bad_syntax(text);
      result.key += fmt::format("[{}]", *index);
      result.steps.emplace_back(*index);
    }
    trim(rest);
    if (rest.empty() || (rest.front() != '.' && rest.front() != '=')) bad_syntax(text);
    const bool ends = rest.front() == '=';
    rest.remove_prefix(1);
    if (ends) break;
  }
  trim(rest);
  result.value = rest;
  return result;
}

/// The value as TOML, or else as text, in a table of its own under the key "v".
toml::table parse_value(const Override& override) {
  const std::string origin = "--set " + override.key;
  if (override.value.find('\n') == std::string::npos) {
    try {
      return parse_toml("v = " + override.value, origin);
    } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): then it is a word
    }
  }
  // Parsed too, so that the value knows where it came from; only what JSON escapes needs escaping.
  std::string quoted;
  for (const char c : override.value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      quoted += fmt::format("\\{}", c);
    else if (byte < 0x20 || byte == 0x7f)
      quoted += fmt::format("\\u{:04x}", byte);
    else
      quoted += c;
  }
  return parse_toml(fmt::format("v = \"{}\"", quoted), origin);
}

/// Moves the value to `assign`, which puts it in place: a copy would forget its origin.
template <typename Assign>
void with_value(const Override& override, Assign assign) {
  toml::table holder = parse_value(override);
  holder.get("v")->visit([&](auto& value) { assign(std::move(value)); });
}

class Setter {
 public:
  explicit Setter(const Override& override) : override_(override) {}

  void set(toml::node& node, std::span<const Step> steps, const std::string& path) const {
    if (toml::array* list = node.as_array()) {
      if (const auto* index = std::get_if<std::size_t>(&steps.front())) {
        set_item(*list, *index, steps, path);
      } else {
        // "graph.K": every block.
        for (std::size_t i = 0; i < list->size(); ++i) set((*list)[i], steps, fmt::format("{}[{}]", path, i));
      }
      return;
    }
    toml::table* table = node.as_table();
    const auto* key = std::get_if<std::string>(&steps.front());
    if (table == nullptr || key == nullptr)
      throw InputError(option(),
                       remark(fmt::format("{} is {}", path, key == nullptr ? "no list" : "no table")));
    const std::string below = path.empty() ? key_text(*key) : fmt::format("{}.{}", path, key_text(*key));
    if (steps.size() == 1) {
      with_value(override_, [&](auto value) { table->insert_or_assign(*key, std::move(value)); });
      return;
    }
    toml::node* child = table->get(*key);
    if (child == nullptr) {
      if (std::holds_alternative<std::size_t>(steps[1]))
        throw InputError(option(), remark(fmt::format("the job has no {}", below)));
      child = &table->insert_or_assign(*key, toml::table{}).first->second;
    }
    set(*child, steps.subspan(1), below);
  }

 private:
  [[nodiscard]] std::string option() const { return "--set " + override_.key; }

  void set_item(toml::array& list, std::size_t index, std::span<const Step> steps,
                const std::string& path) const {
    if (index >= list.size())
      throw InputError(option(), remark(fmt::format("the job has no {}[{}]", path, index),
                                        fmt::format("it has {}, counted from 0", list.size())));
    if (steps.size() == 1) {
      with_value(override_, [&](auto value) {
        const auto at = list.begin() + static_cast<std::ptrdiff_t>(index);
        list.replace(at, std::move(value));
      });
      return;
    }
    set(list[index], steps.subspan(1), fmt::format("{}[{}]", path, index));
  }

  const Override& override_;
};

}  // namespace

void apply_overrides(toml::table& job, const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides) {
    const Override override = parse_override(text);
    Setter(override).set(job, override.steps, "");
    // The two ways to list confidences exclude each other: the option replaces the file's.
    if (override.key == "delta") job.erase("log_inv_delta");
    if (override.key == "log_inv_delta") job.erase("delta");
  }
}

}  // namespace tasfg
