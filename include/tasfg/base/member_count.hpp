/// The number of members of a plain struct, so that a table of its members can be held against it.
#pragma once

#include <cstddef>

namespace tasfg {

/// Converts to anything; never evaluated.
struct AnyValue {
  template <typename T>
  operator T() const;
};

/// The largest number of values that the struct can be initialised from. Members must not be arrays, and
/// there must be no bases.
template <typename Struct, typename... Values>
[[nodiscard]] consteval std::size_t member_count() {
  if constexpr (requires { Struct{Values{}..., AnyValue{}}; })
    return member_count<Struct, Values..., AnyValue>();
  else
    return sizeof...(Values);
}

}  // namespace tasfg
