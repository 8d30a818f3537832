/// The tables of extension points (families, algorithms, thresholds): rows found by their names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tasfg/base/enum_names.hpp"

namespace tasfg {

/// The row of that name; null where there is none.
template <typename Row>
[[nodiscard]] const Row* find_row(std::span<const Row> rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [name](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

/// The names of all rows, for messages.
template <typename Row>
[[nodiscard]] std::vector<std::string_view> names_of(std::span<const Row> rows) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

/// Whether there is one row for each value of the enumeration, in its order: then a value is also the
/// position of its row.
template <typename Row, std::size_t N, typename Enum>
[[nodiscard]] consteval bool one_row_each(const Row (&rows)[N], Enum Row::*value) {
  bool in_order = N == enumerator_count<Enum>();
  for (std::size_t i = 0; i < N; ++i) in_order = in_order && static_cast<std::size_t>(rows[i].*value) == i;
  return in_order;
}

}  // namespace tasfg
