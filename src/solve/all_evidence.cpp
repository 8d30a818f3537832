#include "all_evidence.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "base/simd.hpp"

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/extremes.hpp"
#include "tasfg/base/lanes.hpp"
#include "tasfg/solve/information.hpp"

#define TASFG_EACH_VERSION "solve/evidence_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg {

void AllEvidence::load(const ModelView& model) {
  const std::size_t n = padded(static_cast<std::size_t>(model.K));
  if (model.K != K_) {
    K_ = model.K;
    for (auto* v : {&means_, &is_arm_, &value_, &from_best_, &from_arm_}) v->assign(n, 0.0);
    std::fill_n(is_arm_.begin(), K_, 1.0);
    best_ = 0;
  }
  is_arm_[best_] = 1.0;
  best_ = static_cast<std::size_t>(model.best);
  is_arm_[best_] = 0.0;
  std::copy_n(model.means.begin(), K_, means_.begin());
  std::fill(means_.begin() + K_, means_.end(), means_[best_]);
  reward_ = *model.reward;
}

void AllEvidence::evaluate(const std::vector<double>& rates) {
  const std::size_t groups = value_.size() / 4;
  const double mean = means_[best_], rate = rates[best_];
#ifdef __x86_64__
  if (kVersion == Version::avx2)
    avx2::evidence_of_arms(reward_, {groups, mean, rate, means_.data(), rates.data(), is_arm_.data()}, 1.0,
                           value_.data(), from_best_.data(), from_arm_.data());
  else
#endif
    plain::evidence_of_arms(reward_, {groups, mean, rate, means_.data(), rates.data(), is_arm_.data()}, 1.0,
                            value_.data(), from_best_.data(), from_arm_.data());
  const auto n = static_cast<std::size_t>(K_);
  if (!(rate > 0.0 && smallest_of(rates.data(), n) > 0.0)) [[unlikely]]
    for (std::size_t u = 0; u < n; ++u)
      if (u != best_ && !(rates[u] > 0.0 && rate > 0.0)) value_[u] = 0.0;
  least_ = smallest_of(value_.data(), n);
}

}  // namespace tasfg
