/// Known answers of NumPy 1.24's RandomState. tests/python/test_numpy_stream.py compares many more with
/// the NumPy at hand.
#include "tasfg/base/numpy_stream.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace {

using tasfg::NumpyBinomial1;
using tasfg::NumpyStream;

std::vector<double> uniforms(std::uint32_t seed, int count) {
  NumpyStream stream(seed);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(stream.uniform());
  return values;
}

std::vector<double> normals(std::uint32_t seed, int count) {
  NumpyStream stream(seed);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(stream.normal());
  return values;
}

TEST(NumpyStream, UniformsAreThoseOfNumpy) {
  EXPECT_EQ(uniforms(0, 4), (std::vector<double>{0x1.18fe1565f12a8p-1, 0x1.6e2d4cf608733p-1,
                                                 0x1.349d66b6e894bp-1, 0x1.16faedb6395f5p-1}));
  EXPECT_EQ(uniforms(12345, 4), (std::vector<double>{0x1.dbf6a3f8f84b7p-1, 0x1.43f7f410bb044p-2,
                                                     0x1.78aa6d0a2dad8p-3, 0x1.a2f07fd391514p-3}));
  EXPECT_EQ(uniforms(4294967295U, 4), (std::vector<double>{0x1.8fe69a3924820p-4, 0x1.d323d824032b1p-1,
                                                           0x1.93fc6f61af3f9p-1, 0x1.8f5ca1b151c07p-1}));
}

TEST(NumpyStream, UniformsStayThoseOfNumpyManyBlocksOn) {
  EXPECT_EQ(uniforms(0, 100'000).back(), 0x1.ce59161981844p-3);
  EXPECT_EQ(uniforms(12345, 100'000).back(), 0x1.43f600f562c1cp-1);
}

TEST(NumpyStream, NormalsAreThoseOfNumpy) {
  // A polar normal is log, a division and a root; these draws come out the same with glibc's FMA and
  // plain logarithms.
  EXPECT_EQ(normals(0, 5),
            (std::vector<double>{0x1.c398ef3e5cfa5p+0, 0x1.99c2cfacc8953p-2, 0x1.f51d25222c9abp-1,
                                 0x1.1ed5969e3314ep+1, 0x1.de1847cb13ddap+0}));
  EXPECT_EQ(normals(12345, 5),
            (std::vector<double>{-0x1.a33dc4f5d203dp-3, 0x1.ea701f566080fp-2, -0x1.09f3df0ae3d0ep-1,
                                 -0x1.1c88aeb5231f1p-1, 0x1.f73d654602e58p+0}));
}

TEST(NumpyStream, BinomialsAreThoseOfNumpyAndTakeOneUniformEach) {
  const auto check = [](std::uint32_t seed, const std::vector<bool>& expected, double next) {
    NumpyStream stream(seed);
    std::vector<bool> values;
    for (const double p : {0.0, 1e-6, 0.2, 0.5, 0.7, 1.0}) values.push_back(stream.binomial1(p));
    EXPECT_EQ(values, expected);
    EXPECT_EQ(stream.uniform(), next);
  };
  check(0, {false, false, false, true, true, true}, 0x1.c016dca6159d2p-2);
  check(12345, {false, false, false, false, true, true}, 0x1.edd4d8dd90335p-1);
}

TEST(NumpyStream, BinomialOfZeroNeverAndOfOneAlwaysSucceeds) {
  NumpyStream stream(5);
  const NumpyBinomial1 never(0.0);
  const NumpyBinomial1 always(1.0);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_FALSE(stream.binomial1(never));
    ASSERT_TRUE(stream.binomial1(always));
  }
}

TEST(NumpyStream, BinomialSucceedsExactlyAboveTheFirstMass) {
  // p ≤ 1/2 succeeds for large uniforms, p > 1/2 for small ones: not what `u < p` would give.
  NumpyStream draws(9);
  NumpyStream copy(9);
  for (int i = 0; i < 10'000; ++i) {
    const double p = i % 2 == 0 ? 0.3 : 0.8;
    const double u = copy.uniform();
    ASSERT_EQ(draws.binomial1(p), p == 0.3 ? u > std::exp(std::log(0.7)) : u <= std::exp(std::log(0.8)));
  }
}

TEST(NumpyStream, ChoicesAreThoseOfNumpy) {
  const std::vector<double> p = {.1, .2, .3, .15, .25};
  const auto check = [&p](std::uint32_t seed, const std::vector<int>& expected, double next) {
    NumpyStream stream(seed);
    std::vector<int> values;
    for (int i = 0; i < 8; ++i) values.push_back(stream.choice(p));
    EXPECT_EQ(values, expected);
    EXPECT_EQ(stream.uniform(), next);
  };
  check(0, {2, 3, 3, 2, 2, 3, 2, 4}, 0x1.ed65349173336p-1);
  check(12345, {4, 2, 1, 1, 2, 2, 4, 3}, 0x1.7f70b0d7ee531p-1);
}

TEST(NumpyStream, ChoiceNeverTakesAnEntryOfProbabilityZero) {
  NumpyStream stream(11);
  const std::vector<double> p = {0.0, 0.5, 0.0, 0.5, 0.0};
  for (int i = 0; i < 10'000; ++i) {
    const int index = stream.choice(p);
    ASSERT_TRUE(index == 1 || index == 3) << index;
  }
}

TEST(NumpyStream, ScaledNormalIsTheMeanPlusTheDeviationTimesTheStandardOne) {
  NumpyStream scaled(4);
  NumpyStream standard(4);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(scaled.normal(0.3, 1.7), 0.3 + 1.7 * standard.normal());
}

}  // namespace
