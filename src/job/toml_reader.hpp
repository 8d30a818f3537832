/// TOML with errors in the project's grammar: every value knows the file (or `--set` option) and the key that
/// it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "tasfg/base/enum_names.hpp"
#include "tasfg/base/error.hpp"

namespace tasfg {

/// The most values that one list or range may hold.
inline constexpr std::size_t kMostValues = 1'000'000;

/// Parses; a syntax error is an InputError "file:line:column: …". `origin` is kept as the source of all
/// nodes.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& origin);

/// Whether a key may hold the character without quotes.
[[nodiscard]] bool is_bare(char c);

/// A key as TOML writes it: bare where possible, else quoted.
[[nodiscard]] std::string key_text(std::string_view key);

/// Neither empty nor with control characters in it: fit to be part of a label or a message.
[[nodiscard]] bool is_printable(std::string_view text);

/// "holds 5000 values (must be at most 1000)".
[[nodiscard]] Complaint too_many_values(std::size_t count, std::size_t most);

/// One value with its place.
class Field {
 public:
  /// `path` as in "graph[0].p"; empty for the whole document. `file` is the origin of nodes that have none.
  Field(const toml::node& node, std::string path, const std::string& file)
      : node_(&node), path_(std::move(path)), file_(&file) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  /// "jobs/ring.toml", or "--set graph[0].p" where that option gave the value.
  [[nodiscard]] std::string origin() const;
  /// "jobs/ring.toml: graph[0].p", or "--set graph[0].p".
  [[nodiscard]] std::string where() const;
  /// Throws "where = value (must)", or "where is a list (must)".
  [[noreturn]] void fail(std::string_view must) const;

  [[nodiscard]] bool is_number() const { return node_->is_number(); }
  [[nodiscard]] bool is_text() const { return node_->is_string(); }
  [[nodiscard]] bool is_list() const { return node_->is_array(); }
  [[nodiscard]] bool is_table() const { return node_->is_table(); }

  /// A finite number.
  [[nodiscard]] double number(std::string_view must = "must be a number") const;
  /// A whole number in [low, high]; 1e9 counts as one.
  [[nodiscard]] std::int64_t whole(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] std::string text(std::string_view must = "must be text") const;
  /// The position of the text among `known`.
  [[nodiscard]] std::size_t one_of(std::span<const std::string_view> known) const;
  template <typename Enum>
  [[nodiscard]] Enum one_of(const EnumNames<Enum>& names) const {
    return names.at(one_of(names.all()));
  }

  /// The items of a list; the value itself, alone, where it is no list.
  [[nodiscard]] std::vector<Field> items() const;
  /// A number, a list of numbers or a range { from, to, count, scale }.
  [[nodiscard]] std::vector<double> numbers() const;
  /// The values of a range table.
  [[nodiscard]] std::vector<double> range() const;

  /// The member of a table, if it is there.
  [[nodiscard]] std::optional<Field> find(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Refuses members of a table that are not among `known`.
  void check_keys(std::span<const std::string_view> known) const;
  [[nodiscard]] Field member(std::string_view key) const;

 private:
  [[nodiscard]] const toml::table& table() const;

  const toml::node* node_;
  std::string path_;
  const std::string* file_;
};

/// Keys that may stand at the top of a job file.
[[nodiscard]] std::span<const std::string_view> top_keys();

}  // namespace tasfg
