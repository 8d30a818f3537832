#include "tasfg/model/reward.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"

namespace tasfg {
namespace {

template <auto Member>
struct OwnerOf;
template <typename Family, double Family::*Member>
struct OwnerOf<Member> {
  using Type = Family;
};

/// The parameter that a member holds; its default is the struct's own.
template <auto Member>
constexpr RewardParameter parameter(std::string_view name, std::string_view summary, double low,
                                    double high) {
  using Family = typename OwnerOf<Member>::Type;
  return {name,
          summary,
          low,
          high,
          Family{}.*Member,
          [](const RewardFamily& family) { return std::get<Family>(family).*Member; },
          [](RewardFamily& family, double value) { std::get<Family>(family).*Member = value; }};
}

constexpr RewardParameter kGaussianParameters[] = {
    parameter<&Gaussian::variance>("variance", "variance of Gaussian rewards", 1e-100, 1e100)};

// The only list of reward families; rows stand in the order of RewardFamily's alternatives.
constexpr RewardFamilyRow kRewardFamilies[] = {
    {"gaussian", "normal rewards with known variance", "any finite number", Gaussian{}, kGaussianParameters},
    {"bernoulli", "rewards 0 or 1", "the open interval (0, 1)", Bernoulli{}, {}},
    {"poisson", "counts", "positive numbers", Poisson{}, {}},
    {"exponential", "positive rewards with an exponential tail", "positive numbers", Exponential{}, {}},
};

/// A member that its row leaves out would be missing from stream keys: runs of different rewards would share
/// their random numbers, and cases their labels.
template <std::size_t... I>
consteval bool all_members_described(std::index_sequence<I...>) {
  return ((kRewardFamilies[I].defaults.index() == I &&
           kRewardFamilies[I].parameters.size() * sizeof(double) ==
               (std::is_empty_v<std::variant_alternative_t<I, RewardFamily>>
                    ? 0
                    : sizeof(std::variant_alternative_t<I, RewardFamily>))) &&
          ...);
}
static_assert(std::size(kRewardFamilies) == std::variant_size_v<RewardFamily>, "one row for each family");
static_assert(all_members_described(std::make_index_sequence<std::size(kRewardFamilies)>()),
              "rows in the order of the variant, each with all members of its struct as parameters");

}  // namespace

std::span<const RewardFamilyRow> reward_families() {
  return kRewardFamilies;
}

const RewardFamilyRow& row_of(const RewardFamily& family) {
  return kRewardFamilies[family.index()];
}

const RewardFamilyRow& reward_family(std::string_view name, const std::string& origin) {
  if (const RewardFamilyRow* row = find_row(reward_families(), name)) return *row;
  throw InputError(origin, remark(fmt::format("unknown reward family {}", in_quotes(name)),
                                  suggest(name, names_of(reward_families()))));
}

std::span<const RewardParameter> reward_parameters() {
  static const std::vector<RewardParameter> all = [] {
    std::vector<RewardParameter> found;
    for (const RewardFamilyRow& row : kRewardFamilies)
      for (const RewardParameter& each : row.parameters)
        if (find_row(std::span<const RewardParameter>(found), each.name) == nullptr) found.push_back(each);
    return found;
  }();
  return all;
}

std::optional<double> parameter_of(const RewardFamily& family, std::string_view name) {
  const RewardParameter* found = find_row(row_of(family).parameters, name);
  return found != nullptr ? std::optional(found->get(family)) : std::nullopt;
}

void set_parameter(RewardFamily& family, std::string_view name, double value) {
  const RewardFamilyRow& row = row_of(family);
  const RewardParameter* found = find_row(row.parameters, name);
  if (found == nullptr)
    throw InputError(bad_value(value, fmt::format("{} rewards have no free {}", row.name, name)));
  if (!(value >= found->low && value <= found->high))
    throw InputError(bad_value(value, fmt::format("must lie in [{}, {}]", found->low, found->high)));
  found->set(family, value);
}

std::string parameters_text(const RewardFamily& family) {
  std::string text;
  for (const RewardParameter& each : row_of(family).parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", each.name, to_text(each.get(family)));
  return text;
}

RewardFamily reward_of(std::string_view name, std::string_view parameters, const std::string& origin) {
  RewardFamily family = reward_family(name, origin).defaults;
  while (!parameters.empty()) {
    const std::string_view word = parameters.substr(0, parameters.find(' '));
    parameters.remove_prefix(std::min(word.size() + 1, parameters.size()));
    const std::string_view parameter = word.substr(0, word.find('='));
    set_parameter(family, parameter, placed(within(origin, parameter), [&] {
                    return parse_number(word.substr(std::min(parameter.size() + 1, word.size())),
                                        "must be a number");
                  }));
  }
  return family;
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
