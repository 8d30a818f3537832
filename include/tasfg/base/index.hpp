/// Positions of different kinds that must not be mixed up: the number of a case is not the number of a cell.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tasfg {

/// A position in a list of `Kind`s, from 0.
template <typename Kind>
class Index {
 public:
  constexpr Index() = default;
  template <std::integral Number>
  constexpr explicit Index(Number position) : position_(static_cast<std::size_t>(position)) {}

  /// For subscripts.
  [[nodiscard]] constexpr std::size_t value() const { return position_; }
  /// For files and messages, whose numbers are signed.
  [[nodiscard]] constexpr std::int64_t number() const { return static_cast<std::int64_t>(position_); }

  constexpr Index& operator++() {
    ++position_;
    return *this;
  }
  constexpr auto operator<=>(const Index&) const = default;

 private:
  std::size_t position_ = 0;
};

}  // namespace tasfg
