#include "tasfg/base/numpy_sums.hpp"

#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

struct SumsOfNumPy {
  int K;
  std::uint64_t product;  // FNV-1a of the bytes of A @ x
  double sum;             // of x²/7
};

// By NumPy 2.1.3 from PyPI, OPENBLAS_CORETYPE=Haswell.
constexpr SumsOfNumPy kOfNumPy[] = {
    {2, 0xd9f66a7442e6a3bf, 0x1.5965965965966p-2},   {3, 0xb11dbda6a11c660e, 0x1.075adc1427a8ep+0},
    {4, 0xa68da2b30cca917c, 0x1.107f6e5d4c3b3p+0},   {5, 0x0a8dddf6e854795b, 0x1.0a47d7b0ae3e2p+1},
    {6, 0xbebd43153bed87b9, 0x1.cb6c69f9d2d06p+1},   {7, 0xd965cf723f38c8c1, 0x1.ddb58e8c1bf4fp+1},
    {8, 0x3e7b99605820c8d5, 0x1.08405d9f7390dp+2},   {9, 0xab079976e0a334fe, 0x1.0c509ea383d1dp+2},
    {10, 0x4de4dbe019965906, 0x1.28509ea383d1dp+2},  {11, 0x0b2866c6b52c17a9, 0x1.5cfa4fa4fa4fap+2},
    {13, 0x90b807469e06494f, 0x1.b353b53b53b53p+2},  {15, 0x015d0cdda634bd1d, 0x1.c1106aa0439dcp+2},
    {18, 0x132dedd3a214c8e3, 0x1.06c118de5ab28p+3},  {40, 0xa3fa2258fc576846, 0x1.450dfa79412dap+4},
    {200, 0xae6e29e4afc31a0a, 0x1.ac009c09c09c0p+6},
};

TEST(NumpySums, GiveNumPysBits) {
  for (const SumsOfNumPy& expected : kOfNumPy) {
    const auto K = static_cast<std::size_t>(expected.K);
    std::vector<double> x, squares;
    for (std::size_t i = 0; i < K; ++i) {
      x.push_back(static_cast<double>(1 + 5 * i % 13) / static_cast<double>(3 + i % 4));
      squares.push_back(x[i] * x[i] / 7.0);
    }
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < K; ++i) {
      std::vector<double> row;
      for (std::size_t j = 0; j < K; ++j)
        row.push_back(static_cast<double>(1 + (7 * i + 3 * j) % 11) / static_cast<double>(1 + (i + j) % 7));
      const auto bits = std::bit_cast<std::uint64_t>(numpy_product(row, i, x));
      for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> (8 * byte) & 255U)) * 0x100000001b3;
    }
    EXPECT_EQ(hash, expected.product) << "K = " << K;
    EXPECT_EQ(numpy_sum(squares), expected.sum) << "K = " << K;
  }
}

}  // namespace
}  // namespace tasfg
