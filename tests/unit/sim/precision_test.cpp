#include "tasfg/sim/precision.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr double kBeyond = std::numeric_limits<double>::infinity();
constexpr double kNoRun = std::numeric_limits<double>::quiet_NaN();

Precision asked(Quantity quantity, double target) {
  Precision made;
  made.targets[static_cast<std::size_t>(quantity)] = target;
  return made;
}

/// n values for each of so many δ, as skewed as stopping times are.
CellValues made_values(std::size_t n, std::uint64_t seed, std::size_t deltas = 2, double spread = 0.6) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> law(3.0, spread);
  CellValues values(deltas);
  for (auto& each : values)
    for (std::size_t i = 0; i < n; ++i) each.push_back(std::ceil(law(random)));
  return values;
}

Decision decided(const Precision& precision, const CellValues& values, std::int64_t replications) {
  return decide(precision, replications, std::vector<CellRuns>{{std::ssize(values[0]), &values}})[0];
}

TEST(Precision, LooksAreThoseOfTheRule) {
  std::int64_t fives = 32, fours = 1, before = 0;
  for (int k = 0; k <= 22; ++k) {  // ⌈32·5ᵏ/4ᵏ⌉, in whole numbers
    const std::int64_t look = (fives + fours - 1) / fours;
    EXPECT_EQ(look_from(look), look);
    EXPECT_EQ(look_from(before + 1), look) << k;
    before = look;
    fives *= 5;
    fours *= 4;
  }
  EXPECT_EQ(look_from(0), 32);
}

TEST(Precision, AMeansIntervalIsStudentsButForTheLevelAndTheSkewness) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> law(10.0, 2.0);
  std::vector<double> values(100000);
  for (double& each : values) each = law(random);
  const KnownValue many = interval_of(Quantity::mean, values);
  EXPECT_NEAR(many.high - many.value, 2.2414 * 2.0 / std::sqrt(1e5), 1e-4);
  EXPECT_NEAR(many.relative, (many.high - many.low) / 2.0 / many.value, 1e-12);
  // Two values a and b: s = |a − b|/√2, no skewness.
  const KnownValue two = interval_of(Quantity::mean, std::vector<double>{1.0, 3.0});
  const double z = 2.241402727604945;
  EXPECT_NEAR(two.high - 2.0, z * std::sqrt(2.0) / std::sqrt(2.0) * (1.0 + (z * z + 1.0) / 4.0 / 2.0), 1e-12);
  // A tail widens it beyond its deviation.
  std::vector<double> even(40, 1.0), tailed(40, 1.0);
  for (std::size_t i = 0; i < 20; ++i) even[i] = 3.0;
  tailed[0] = 9.0;
  const auto scaled = [&](const std::vector<double>& sample) {
    const KnownValue found = interval_of(Quantity::mean, sample);
    double squares = 0.0;
    for (const double each : sample) squares += (each - found.value) * (each - found.value);
    return (found.high - found.value) / std::sqrt(squares);
  };
  EXPECT_GT(scaled(tailed), 1.5 * scaled(even));
}

TEST(Precision, AMedianLiesBetweenItsRanks) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const KnownValue found = interval_of(Quantity::median, values);
  EXPECT_EQ(found.value, 50.5);
  EXPECT_EQ(found.low, 39.0);  // ⌊(101 − 22.414)/2⌋
  EXPECT_EQ(found.high, 62.0);
  // Long runs count, however long they are.
  for (double& each : values)
    if (each > 62.0) each = kBeyond;
  const KnownValue capped = interval_of(Quantity::mean, values);
  EXPECT_EQ(capped.quantity, Quantity::median);
  EXPECT_EQ(capped.high, 62.0);
  for (double& each : values)
    if (each > 61.0) each = kBeyond;
  EXPECT_EQ(interval_of(Quantity::median, values).doubt, Doubt::capped);
  EXPECT_EQ(interval_of(Quantity::median, values).relative, kBeyond);
}

TEST(Precision, ARatioIsPairedSeedBySeed) {
  const CellValues base = made_values(200, 5, 1);
  std::vector<double> thrice;
  for (const double each : base[0]) thrice.push_back(3.0 * each);
  const KnownValue exact = interval_of(Quantity::ratio, thrice, base[0]);
  EXPECT_NEAR(exact.value, 3.0, 1e-12);
  EXPECT_LT(exact.relative, 1e-12);
  const KnownValue apart = interval_of(Quantity::ratio, made_values(200, 6, 1)[0], base[0]);
  EXPECT_GT(apart.relative, 0.05);
  thrice[7] = kNoRun;  // a pair without one of them is none
  EXPECT_NEAR(interval_of(Quantity::ratio, thrice, base[0]).value, 3.0, 1e-12);
  thrice[8] = kBeyond;
  EXPECT_EQ(interval_of(Quantity::ratio, thrice, base[0]).doubt, Doubt::capped);
}

TEST(Precision, NoErrorsAreNotAPreciseProbabilityOfThem) {
  std::vector<double> log_weights(1000, -kBeyond);
  EXPECT_EQ(interval_of(Quantity::error, log_weights).doubt, Doubt::no_event);
  log_weights[3] = -2.0;
  EXPECT_EQ(interval_of(Quantity::error, log_weights).doubt, Doubt::uneven);
  const Precision wanted = asked(Quantity::error, 0.5);
  EXPECT_EQ(decided(wanted, {log_weights}, 1000).state, Decision::State::maximum);
  for (double& each : log_weights) each = -2.0;
  EXPECT_EQ(decided(wanted, {log_weights}, 1000).n, 32);
}

TEST(Precision, TheDecisionDependsOnTheSeedsBeforeItAlone) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const Quantity quantity : {Quantity::mean, Quantity::median}) {
      const Precision wanted = asked(quantity, 0.05 + 0.01 * static_cast<double>(seed));
      CellValues values = made_values(2000, seed);
      const Decision whole = decided(wanted, values, 2000);
      ASSERT_TRUE(whole.settled());
      if (whole.state == Decision::State::precise) {
        EXPECT_EQ(look_from(whole.n), whole.n);
        EXPECT_LE(whole.width.interval.relative, wanted.target(quantity));
      }
      std::int64_t before = 0;
      for (std::int64_t settled = 0; settled <= 2000; settled += 7) {
        const std::vector<CellRuns> cell{{settled, &values}};
        const Decision part = decide(wanted, 2000, cell)[0];
        ASSERT_EQ(part.settled(), settled >= whole.n);
        ASSERT_EQ(part.n, part.settled() ? whole.n : std::min<std::int64_t>(2000, look_from(settled + 1)));
        ASSERT_GE(part.n, before);
        before = part.n;
        // Looks that were not enough need no second one.
        const std::vector<std::int64_t> skip{part.settled() ? 0 : part.looked + 1};
        const std::vector<CellRuns> all{{2000, &values}};
        ASSERT_EQ(decide(wanted, 2000, all, skip)[0].n, whole.n);
      }
      for (auto& each : values)
        for (std::size_t i = static_cast<std::size_t>(whole.n); i < each.size(); ++i) each[i] = kBeyond;
      EXPECT_EQ(decided(wanted, values, 2000).n, whole.n);
    }
}

TEST(Precision, MoreOfItTakesMoreRuns) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const CellValues values = made_values(5000, seed);
    Precision coarse = asked(Quantity::mean, 0.15), fine = asked(Quantity::mean, 0.06);
    EXPECT_TRUE(fine.as_strict_as(coarse));
    EXPECT_FALSE(coarse.as_strict_as(fine));
    EXPECT_LT(decided(coarse, values, 5000).n, decided(fine, values, 5000).n);
    coarse.targets[static_cast<std::size_t>(Quantity::median)] = 0.15;
    EXPECT_FALSE(fine.as_strict_as(coarse)) << "it does not ask for the median";
    fine = coarse;
    fine.minimum = 100;
    EXPECT_TRUE(fine.as_strict_as(coarse));
    EXPECT_GE(decided(fine, values, 5000).n, 121);
    EXPECT_EQ(look_from(100), 123);
  }
  EXPECT_TRUE(Precision{}.as_strict_as(asked(Quantity::mean, 0.01))) << "all replications";
  EXPECT_FALSE(asked(Quantity::mean, 0.01).as_strict_as(Precision{}));
}

TEST(Precision, TheFirstAlgorithmRunsAsLongAsAnyThatIsComparedWithIt) {
  const CellValues base = made_values(3000, 1), near = made_values(3000, 2, 2, 0.2),
                   far = made_values(3000, 3, 2, 1.0);
  const Precision wanted = asked(Quantity::ratio, 0.1);
  const std::vector<CellRuns> all{{3000, &base}, {3000, &near}, {3000, &far}};
  const std::vector<Decision> found = decide(wanted, 3000, all);
  EXPECT_LT(found[1].n, found[2].n);
  EXPECT_EQ(found[0].n, found[2].n);
  for (const Decision& each : found) EXPECT_EQ(each.state, Decision::State::precise);
  // While one waits, the first does, for as many.
  const std::vector<CellRuns> some{{found[1].n, &base}, {3000, &near}, {3000, &far}};
  const std::vector<Decision> part = decide(wanted, 3000, some);
  EXPECT_EQ(part[1].n, found[1].n);
  EXPECT_EQ(part[2].state, Decision::State::waiting);
  EXPECT_EQ(part[0].state, Decision::State::waiting);
  EXPECT_EQ(part[0].n, part[2].n);
  EXPECT_EQ(part[2].n, look_from(found[1].n + 1));
}

TEST(Precision, LittleIsRunInVainWhereWhatIsLikelyNeededRunsAhead) {
  double needed = 0.0, run = 0.0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Precision wanted = asked(Quantity::mean, 0.04);
    const CellValues values = made_values(5000, seed);
    Decision decision;
    std::int64_t there = 0;
    while (!decision.settled()) {
      decision = decide(wanted, 5000, std::vector<CellRuns>{{there, &values}})[0];
      if (decision.settled()) break;
      ASSERT_GE(decision.likely, decision.n);
      ASSERT_GT(decision.likely, there);
      there = decision.likely;
    }
    needed += static_cast<double>(decision.n);
    run += static_cast<double>(there);
  }
  EXPECT_LT(run, 1.03 * needed);
}

TEST(Precision, CellsThatNobodyHasLookedAtAreForeseenToBeLikeOthers) {
  Decision looked, unknown;
  looked.n = 40;
  looked.looked = 32;
  looked.width.excess = 3.0;
  unknown.n = 32;
  EXPECT_EQ(foreseen_runs(looked, 1000), 288);
  EXPECT_EQ(foreseen_runs(looked, 100), 100);
  EXPECT_EQ(foreseen_runs(unknown, 1000), 32);
  Decision other = looked;
  other.width.excess = 5.0;
  const std::vector<Decision> cells{looked, other, unknown, unknown, unknown, other};
  EXPECT_EQ(foreseen_runs(cells, 2, 10000), (std::vector<std::int64_t>{288, 800, 288, 800, 288, 800}));
  const std::vector<Decision> none{looked, unknown};
  EXPECT_EQ(foreseen_runs(none, 2, 10000), (std::vector<std::int64_t>{288, 288}));
}

TEST(Precision, IsReadAsItIsWritten) {
  Precision precision = asked(Quantity::mean, 0.02);
  precision.targets[static_cast<std::size_t>(Quantity::ratio)] = 0.05;
  precision.minimum = 50;
  EXPECT_EQ(precision.text(), "mean=0.02 ratio=0.05 minimum=50");
  EXPECT_EQ(parse_precision(precision.text(), "file"), precision);
  EXPECT_EQ(parse_precision("", "file"), Precision{});
  EXPECT_EQ(Precision{}.text(), "");
  for (const char* wrong : {"mean", "mean=", "mean=0", "mean=1", "mean=-1", "speed=0.1", "minimum=32",
                            "mean=0.1 minimum=31", "mean=0.1 minimum=32.5", " mean=0.1", "mean=nan"})
    EXPECT_THROW((void)parse_precision(wrong, "file"), InputError) << wrong;
}

}  // namespace
}  // namespace tasfg
