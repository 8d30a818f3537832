#include "tasfg/model/reward.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/model/graph_families.hpp"

namespace tasfg {
namespace {

const RewardFamily kFamilies[] = {Gaussian{0.7}, Bernoulli{}, Poisson{}, Exponential{}};

/// The textbook forms, in long double.
long double textbook(const RewardFamily& family, long double a, long double x) {
  switch (family.index()) {
    case 0:
      return (a - x) * (a - x) / (2.0L * std::get<Gaussian>(family).variance);
    case 1:
      return a * std::log(a / x) + (1 - a) * std::log((1 - a) / (1 - x));
    case 2:
      return x - a + a * std::log(a / x);
    default:
      return a / x - 1 - std::log(a / x);
  }
}

TEST(Reward, DivergenceAgreesWithTheTextbook) {
  PhiloxStream stream(stream_key(1));
  for (const RewardFamily& family : kFamilies) {
    for (int i = 0; i < 2000; ++i) {
      const double a = 0.02 + 0.96 * stream.uniform();
      const double x = 0.02 + 0.96 * stream.uniform();
      if (std::abs(a - x) < 0.01) continue;
      const auto expected = static_cast<double>(textbook(family, a, x));
      EXPECT_NEAR(divergence(family, a, x), expected, 1e-13 * expected)
          << row_of(family).name << ' ' << a << ' ' << x;
    }
  }
}

TEST(Reward, SmallGapsKeepFullAccuracy) {
  // d(μ, μ + h) = h²/(2V(μ)) (1 + O(h)); long double's textbook form is itself useless here.
  for (const RewardFamily& family : kFamilies) {
    for (const double h : {1e-6, -1e-6, 1e-9}) {
      const double mean = 0.4;
      const double value = std::visit([&](const auto& f) { return f.divergence_step(mean, h); }, family);
      EXPECT_NEAR(value / (h * h / (2.0 * variance_at(family, mean))), 1.0, 10 * std::abs(h))
          << row_of(family).name;
    }
  }
}

TEST(Reward, DivergenceHasTheDerivativeOfAnExponentialFamily) {
  for (const RewardFamily& family : kFamilies) {
    const double a = 0.3, x = 0.55, e = 1e-6;
    const double slope = (divergence(family, a, x + e) - divergence(family, a, x - e)) / (2 * e);
    EXPECT_NEAR(slope, (x - a) / variance_at(family, x), 1e-7) << row_of(family).name;
  }
}

TEST(Reward, CanonicalParameterHasSlopeOneOverVariance) {
  for (const RewardFamily& family : kFamilies) {
    const double x = 0.55, e = 1e-6;
    const auto theta = [&](double mean) {
      return std::visit([&](const auto& f) { return f.canonical(mean); }, family);
    };
    EXPECT_NEAR((theta(x + e) - theta(x - e)) / (2 * e), 1.0 / variance_at(family, x), 1e-6)
        << row_of(family).name;
  }
}

TEST(Reward, NamesRoundTripThroughTheTable) {
  for (const RewardFamilyRow& row : reward_families())
    EXPECT_EQ(row_of(reward_family(row.name, "test").defaults).name, row.name);
}

TEST(Reward, ParametersAreReadAndSetByName) {
  for (const RewardFamilyRow& row : reward_families()) {
    RewardFamily reward = row.defaults;
    for (const RewardParameter& parameter : row.parameters) {
      EXPECT_EQ(parameter_of(reward, parameter.name), parameter.fallback) << row.name;
      const double other = 0.5 * parameter.fallback;
      set_parameter(reward, parameter.name, other);
      EXPECT_EQ(parameter_of(reward, parameter.name), other) << row.name;
      EXPECT_NE(find_row(reward_parameters(), parameter.name), nullptr);
    }
  }
  RewardFamily gaussian = Gaussian{};
  set_parameter(gaussian, "variance", 4.0);
  EXPECT_EQ(variance_at(gaussian, 0.0), 4.0);
  EXPECT_EQ(parameter_of(Bernoulli{}, "variance"), std::nullopt);
}

TEST(Reward, ParametersDoNotShareNamesWithThoseOfGraphs) {
  // Both are keys of a [[graph]] block.
  for (const RewardParameter& parameter : reward_parameters())
    for (const GraphFamily& family : graph_families())
      EXPECT_EQ(find_row(family.parameters, parameter.name), nullptr) << parameter.name << ' ' << family.name;
}

TEST(Reward, RefusesUnknownNamesAndBadVariances) {
  EXPECT_THROW((void)reward_family("gausian", "test"), InputError);
  const auto message = [](RewardFamily reward, double variance) -> std::string {
    try {
      set_parameter(reward, "variance", variance);
    } catch (const InputError& error) {
      return InputError("test", error.complaint()).what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(Gaussian{}, 0.0), "test = 0 (must lie in [1e-100, 1e+100])");
  EXPECT_EQ(message(Gaussian{}, -1.0), "test = -1 (must lie in [1e-100, 1e+100])");
  EXPECT_EQ(message(Bernoulli{}, 1.0), "test = 1 (bernoulli rewards have no free variance)");
}

}  // namespace
}  // namespace tasfg
