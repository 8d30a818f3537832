/// A number that stands for a sequence of values: two sequences that differ have different ones, but for a
/// chance of 2⁻⁶⁴.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "tasfg/base/philox.hpp"

namespace tasfg {

class Digest {
 public:
  void add(std::integral auto value) { key_ = stream_key(key_.value, value); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  /// The elements of a vector, after their number.
  template <typename Values>
  void add_all(const Values& values) {
    add(values.size());
    for (const auto& value : values) add(value);
  }
  [[nodiscard]] std::uint64_t value() const { return key_.value; }

 private:
  StreamKey key_;
};

}  // namespace tasfg
