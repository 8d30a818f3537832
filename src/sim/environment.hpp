/// The environment of one trajectory: which edges fire, and which rewards they show.
///
/// Philox: each vertex v has its own stream of edge activations and each vertex u its own stream of rewards,
/// keyed by (master seed, the case's content, seed). So the i-th reward of u and the n-th activation of (v,
/// u) are the same whichever algorithm meets them: common random numbers, draw by draw. Activations, and the
/// sums of Gaussian rewards, can be had after any number of draws without those before (base/activations.hpp,
/// base/normal_sums.hpp).
///
/// NumPy: the published runs' generator; each draw takes K activations, then K rewards, fired or not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tasfg/base/activations.hpp"
#include "tasfg/base/normal_sums.hpp"
#include "tasfg/base/numpy_stream.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/base/samplers.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// Draws one reward of a vertex.
class BernoulliReward {
 public:
  BernoulliReward(const Bernoulli& /*family*/, double mean) : fires_(mean) {}
  template <typename Stream>
  double operator()(Stream& stream) const {
    return fires_(stream) ? 1.0 : 0.0;
  }

 private:
  BernoulliSampler fires_;
};
class PoissonReward {
 public:
  PoissonReward(const Poisson& /*family*/, double mean) : sample_(mean) {}
  template <typename Stream>
  double operator()(Stream& stream) const {
    return static_cast<double>(sample_(stream));
  }

 private:
  PoissonSampler sample_;
};
class ExponentialReward {
 public:
  ExponentialReward(const Exponential& /*family*/, double mean) : mean_(mean) {}
  template <typename Stream>
  double operator()(Stream& stream) const {
    return mean_ * sample_exponential(stream);
  }

 private:
  double mean_;
};

inline BernoulliReward sampler_of(const Bernoulli& family, double mean) {
  return {family, mean};
}
inline PoissonReward sampler_of(const Poisson& family, double mean) {
  return {family, mean};
}
inline ExponentialReward sampler_of(const Exponential& family, double mean) {
  return {family, mean};
}

/// The rewards of one vertex in order, and their mean so far.
template <typename Reward>
class RewardTrack {
 public:
  static constexpr bool kJumps = false;

  RewardTrack(const Reward& family, double mean, StreamKey key)
      : stream_(key), sample_(sampler_of(family, mean)) {}

  double next() {
    const double reward = sample_(stream_);
    sum_ += reward;
    count_ += 1.0;
    return reward;
  }
  [[nodiscard]] double mean() const { return sum_ / count_; }

 private:
  PhiloxStream stream_;
  decltype(sampler_of(std::declval<Reward>(), 0.0)) sample_;
  double sum_ = 0.0, count_ = 0.0;
};

template <>
class RewardTrack<Gaussian> {
 public:
  static constexpr bool kJumps = true;

  RewardTrack(const Gaussian& family, double mean, StreamKey key)
      : noise_(key), mean_(mean), deviation_(std::sqrt(family.variance)) {}

  [[gnu::always_inline]] double next() { return mean_ + deviation_ * noise_.next(); }
  /// Noise and mean apart, so that nothing is lost to rounding after many draws.
  [[nodiscard]] double mean() const { return mean_after(noise_.sum(), noise_.count()); }

  /// The mean after n draws; the place stays until move_there().
  [[nodiscard]] double mean_at(std::int64_t n) { return mean_after(noise_.sum_at(n), n); }
  void move_there() { noise_.move_there(); }

 private:
  [[nodiscard]] double mean_after(double noise, std::int64_t n) const {
    return mean_ + deviation_ * noise / static_cast<double>(n);
  }

  NormalSums noise_;
  double mean_, deviation_;
};

template <typename Reward>
class PhiloxEnvironment {
 public:
  using ChoiceStream = PhiloxStream;

  /// `content` is content_key(instance), made once per case.
  PhiloxEnvironment(const Instance& instance, const Reward& family, StreamKey content,
                    std::uint64_t master_seed, std::uint64_t seed)
      : choices_(stream_key(master_seed, content.value, seed, kChoices)) {
    const int K = instance.size();
    std::vector<double> probabilities;
    for (int v = 0; v < K; ++v) {
      const auto index = static_cast<std::uint64_t>(v);
      first_.push_back(targets_.size());
      probabilities.clear();
      for (const Edge& edge : instance.graph().out(v)) {
        targets_.push_back(edge.vertex);
        probabilities.push_back(edge.probability);
      }
      activations_.emplace_back(stream_key(master_seed, content.value, seed, kActivations, index),
                                probabilities);
      rewards_.emplace_back(family, instance.mean(v),
                            stream_key(master_seed, content.value, seed, kRewards, index));
    }
    first_.push_back(targets_.size());
  }

  /// Pulls v; calls show(u, reward, mean of u's rewards so far) for each edge that fires, in order of u.
  template <typename Show>
  void pull(int v, Show show) {
    const auto i = static_cast<std::size_t>(v);
    const std::uint64_t* words = activations_[i].next();
    for (std::size_t w = 0; w < activations_[i].words(); ++w)
      // Which edges fire is random: a branch on each would be mispredicted every other time.
      for (std::uint64_t left = words[w]; left != 0; left &= left - 1)
        show_reward(targets_[first_[i] + 64 * w + static_cast<std::size_t>(std::countr_zero(left))], show);
  }

  static constexpr bool kPullsSeveral = true;
  /// Pulls v up to `most` times, calling show as pull does. Asks on() after every reward; where it says no,
  /// the pull that the reward belongs to is completed and is the last. Returns the number of pulls: 0 where
  /// they cannot be taken at once (more than eight edges), so that pull() must do.
  template <typename Show, typename On>
  std::int64_t pull_several(int v, std::int64_t most, Show show, On on) {
    const auto i = static_cast<std::size_t>(v);
    const std::size_t stride = activations_[i].stride();
    constexpr std::size_t kMostEdges = 8;
    if (stride > kMostEdges) return 0;
    auto [left, pulls] = activations_[i].ahead();
    pulls = most < pulls ? most : pulls;
    left &= first_bits(static_cast<std::size_t>(pulls) * stride);
    for (bool checked = true; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      show_reward(targets_[first_[i] + bit % stride], show);
      if (!checked || on()) [[likely]]
        continue;
      // The last pull: what is left of it is shown, and nothing beyond.
      pulls = static_cast<std::int64_t>(bit / stride + 1);
      left &= first_bits((bit / stride + 1) * stride);
      checked = false;
    }
    activations_[i].skip(pulls);
    return pulls;
  }

  /// The sampling rule's own randomness.
  PhiloxStream& choices() { return choices_; }

  // For jumps.
  [[nodiscard]] Activations& activations(std::size_t v) { return activations_[v]; }
  [[nodiscard]] RewardTrack<Reward>& rewards(std::size_t u) { return rewards_[u]; }
  /// The vertices that v's edges show.
  [[nodiscard]] std::span<const int> targets(std::size_t v) const {
    return {targets_.data() + first_[v], first_[v + 1] - first_[v]};
  }

 private:
  enum Purpose : std::uint64_t { kChoices, kActivations, kRewards };

  template <typename Show>
  [[gnu::always_inline]] void show_reward(int u, Show& show) {
    RewardTrack<Reward>& track = rewards_[static_cast<std::size_t>(u)];
    const double reward = track.next();
    show(u, reward, track.mean());
  }
  static std::uint64_t first_bits(std::size_t n) {
    return n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
  }

  PhiloxStream choices_;
  std::vector<Activations> activations_;
  std::vector<RewardTrack<Reward>> rewards_;
  std::vector<int> targets_;  // of all vertices in turn
  std::vector<std::size_t> first_;
};

/// Gaussian rewards only.
class NumpyEnvironment {
 public:
  using ChoiceStream = NumpyStream;

  NumpyEnvironment(const Instance& instance, const Gaussian& family, std::uint32_t seed)
      : K_(instance.size()),
        means_(instance.means()),
        sums_(means_.size(), 0.0),
        counts_(means_.size(), 0.0),
        deviation_(std::sqrt(family.variance)),
        stream_(seed) {
    for (const double p : instance.graph().row_major()) laws_.emplace_back(p);
    fired_.reserve(static_cast<std::size_t>(K_));
  }

  template <typename Show>
  void pull(int v, Show show) {
    fired_.clear();
    const NumpyBinomial1* row = laws_.data() + static_cast<std::size_t>(v) * static_cast<std::size_t>(K_);
    for (int u = 0; u < K_; ++u)
      if (stream_.binomial1(row[u])) fired_.push_back(u);
    std::size_t next = 0;
    for (int u = 0; u < K_; ++u) {
      const double reward = stream_.normal(means_[static_cast<std::size_t>(u)], deviation_);
      if (next < fired_.size() && fired_[next] == u) {
        const auto i = static_cast<std::size_t>(u);
        sums_[i] += reward;
        counts_[i] += 1.0;
        show(u, reward, sums_[i] / counts_[i]);
        ++next;
      }
    }
  }

  static constexpr bool kPullsSeveral = false;
  NumpyStream& choices() { return stream_; }

 private:
  int K_;
  std::vector<double> means_, sums_, counts_;
  double deviation_;
  NumpyStream stream_;
  std::vector<NumpyBinomial1> laws_;
  std::vector<int> fired_;
};

}  // namespace tasfg
