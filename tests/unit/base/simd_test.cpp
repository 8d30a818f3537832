#include "base/simd.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

template <typename Lanes>
void expect_bits_of_log_gap(const std::vector<double>& x) {
  for (std::size_t i = 0; i + 4 <= x.size(); ++i) {
    std::array<double, 4> four{};
    log_gap(Lanes::load(x.data() + i)).store(four.data());
    for (std::size_t k = 0; k < 4; ++k)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(four[k]), std::bit_cast<std::uint64_t>(log_gap(x[i + k])))
          << x[i + k];
  }
}

TEST(Simd, LogGapOfFourGivesTheBitsOfOne) {
  std::vector<double> x{0.0,  -0.0, -0.2928, 0.4142,    1.8,        -0.5, -1.0, 1e-300,
                        0.41, 1e9,  -0.3,    kInfinity, -kInfinity, 0.5,  -0.4, 1.7};
  PhiloxStream stream(stream_key(6));
  for (int i = 0; i < 100000; ++i) {
    const double scale = i % 3 == 0 ? 8.0 : i % 3 == 1 ? 2.0 : 1e-6;
    x.push_back(std::max(-1.0, scale * (stream.uniform() - 0.4)));
  }
  expect_bits_of_log_gap<FourInOne>(x);
  expect_bits_of_log_gap<FourInTwo>(x);
}

}  // namespace
}  // namespace tasfg
