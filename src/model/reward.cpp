#include "tasfg/model/reward.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

// The only list of reward families; rows stand in the order of RewardFamily's alternatives.
constexpr RewardFamilyRow kRewardFamilies[] = {
    {"gaussian", "normal rewards with known variance", "any finite number",
     [](double variance) -> RewardFamily { return Gaussian{variance}; }, true},
    {"bernoulli", "rewards 0 or 1", "the open interval (0, 1)",
     [](double) -> RewardFamily { return Bernoulli{}; }, false},
    {"poisson", "counts", "positive numbers", [](double) -> RewardFamily { return Poisson{}; }, false},
    {"exponential", "positive rewards with an exponential tail", "positive numbers",
     [](double) -> RewardFamily { return Exponential{}; }, false},
};
static_assert(std::size(kRewardFamilies) == std::variant_size_v<RewardFamily>);

}  // namespace

std::span<const RewardFamilyRow> reward_families() {
  return kRewardFamilies;
}

const RewardFamilyRow& row_of(const RewardFamily& family) {
  return kRewardFamilies[family.index()];
}

RewardFamily make_reward(std::string_view name, double variance, const std::string& origin) {
  for (const RewardFamilyRow& row : kRewardFamilies) {
    if (row.name != name) continue;
    if (std::isnan(variance)) return row.make(1.0);
    if (!row.takes_variance)
      throw InputError(fmt::format("{}: variance = {} ({} rewards have no free variance)", origin,
                                   to_text(variance), name));
    if (!(variance >= 1e-100 && variance <= 1e100))
      throw InputError(
          fmt::format("{}: variance = {} (must lie in [1e-100, 1e100])", origin, to_text(variance)));
    return row.make(variance);
  }
  std::vector<std::string_view> known;
  for (const RewardFamilyRow& row : kRewardFamilies) known.push_back(row.name);
  throw InputError(
      fmt::format("{}: unknown reward family \"{}\" {}", origin, quotable(name), suggest(name, known)));
}

bool admits(const RewardFamily& family, double mean) {
  return std::isfinite(mean) && std::visit([&](const auto& f) { return f.admits(mean); }, family);
}

double divergence(const RewardFamily& family, double mean, double x) {
  return std::visit([&](const auto& f) { return f.divergence_step(mean, x - mean); }, family);
}

double variance_at(const RewardFamily& family, double x) {
  return std::visit([&](const auto& f) { return f.variance_at(x); }, family);
}

bool is_continuous(const RewardFamily& family) {
  return std::visit([](const auto& f) { return f.kContinuous; }, family);
}

}  // namespace tasfg
