/// The environment of one trajectory: which edges fire, and which rewards they show.
///
/// Philox: each vertex v has its own stream of edge activations and each vertex u its own stream of rewards,
/// keyed by (master seed, the case's content, seed). So the i-th reward of u and the n-th activation of (v,
/// u) are the same whichever algorithm meets them: common random numbers, draw by draw. Activations, and the
/// sums of rewards (but Poisson ones), can be had after any number of draws without those before
/// (base/activations.hpp, base/partial_sums.hpp).
///
/// NumPy: the published runs' generator; each draw takes K activations, then K rewards, fired or not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "tasfg/base/activations.hpp"
#include "tasfg/base/numpy_stream.hpp"
#include "tasfg/base/partial_sums.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/base/samplers.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// The rewards of one vertex in order, and their mean so far. Where draws can be left out, kJumps is true and
/// a track also has
///
///   - bool can_jump(), from some draw on for good;
///   - visits(), of nodes of its tree so far;
///   - double mean_at(n): the mean after n draws; the place stays until
///   - void move_there();
///   - double tube(m, sum, log_rare): so far at most, but for a probability of exp(−log_rare), does the sum
///   of the first j of m rewards stray from j/m of the sum of all m, for any j.
///
/// Where kWalks is true, its next rewards can be looked through, too:
///
///   - at_hand(), how many of them are made already, at least one;
///   - Range walk(n): the least and the largest mean after any of the next n of these; the place stays until
///   - void walk_on().
template <typename Reward>
class RewardTrack;

struct Range {
  double low, high;
};

/// The least and the largest of sum/n for sums in `sums` and n from `first` to `last`.
template <typename Sums, typename Mean>
Range means_of(const Sums& sums, std::int64_t first, std::int64_t last, Mean mean) {
  return {mean(sums.least, sums.least < 0.0 ? first : last), mean(sums.most, sums.most < 0.0 ? last : first)};
}

template <>
class RewardTrack<Gaussian> {
 public:
  static constexpr bool kJumps = true, kWalks = true;

  RewardTrack(const Gaussian& family, double mean, StreamKey key, std::int64_t /*max_steps*/)
      : mean_(mean), deviation_(std::sqrt(family.variance)), noise_(key) {}

  [[gnu::always_inline]] double next() { return mean_ + deviation_ * noise_.next(); }
  /// Noise and mean apart, so that nothing is lost to rounding after many draws.
  [[nodiscard]] double mean() const { return mean_after(noise_.sum(), noise_.count()); }

  [[nodiscard]] static bool can_jump() { return true; }
  [[nodiscard]] std::int64_t visits() const { return noise_.visits(); }
  [[nodiscard]] double mean_at(std::int64_t n) { return mean_after(noise_.sum_at(n), n); }
  void move_there() { noise_.move_there(); }
  [[nodiscard]] std::int64_t at_hand() { return noise_.at_hand(); }
  [[nodiscard]] Range walk(std::int64_t n) {
    return means_of(noise_.walk(n), noise_.count() + 1, noise_.count() + n,
                    [this](double sum, std::int64_t count) { return mean_after(sum, count); });
  }
  void walk_on() { noise_.walk_on(); }
  /// The Brownian bridge leaves a tube of half-width d with probability at most 2 exp(−2d²/(mσ²)).
  [[nodiscard]] double tube(double m, double /*sum*/, double log_rare) const {
    return deviation_ * std::sqrt(0.5 * m * (log_rare + kLn2));
  }

 private:
  static constexpr double kLn2 = 0.6931471805599454;  // rounded up
  [[nodiscard]] double mean_after(double noise, std::int64_t n) const {
    return mean_ + deviation_ * noise / static_cast<double>(n);
  }

  double mean_, deviation_;
  NormalSums noise_;
};

template <>
class RewardTrack<Exponential> {
 public:
  static constexpr bool kJumps = true, kWalks = true;

  RewardTrack(const Exponential& /*family*/, double mean, StreamKey key, std::int64_t /*max_steps*/)
      : mean_(mean), sums_(key) {}

  double next() { return mean_ * sums_.next(); }
  [[nodiscard]] double mean() const { return mean_after(sums_.sum(), sums_.count()); }

  [[nodiscard]] static bool can_jump() { return true; }
  [[nodiscard]] std::int64_t visits() const { return sums_.visits(); }
  [[nodiscard]] double mean_at(std::int64_t n) { return mean_after(sums_.sum_at(n), n); }
  void move_there() { sums_.move_there(); }
  [[nodiscard]] std::int64_t at_hand() { return sums_.at_hand(); }
  [[nodiscard]] Range walk(std::int64_t n) {
    return means_of(sums_.walk(n), sums_.count() + 1, sums_.count() + n,
                    [this](double sum, std::int64_t count) { return mean_after(sum, count); });
  }
  void walk_on() { sums_.walk_on(); }
  /// Given their sum, the partial sums of m exponentials are those of m − 1 uniform points in order (times
  /// the sum): by the Dvoretzky–Kiefer–Wolfowitz inequality one is further off than ε with probability at
  /// most 2 exp(−2(m − 1)ε²). Doubled, since the bound for a part of the draws is that for its own sum.
  [[nodiscard]] static double tube(double m, double sum, double log_rare) {
    constexpr double kLn2 = 0.6931471805599454;
    return m > 1.0 ? 2.0 * sum * std::sqrt(0.5 * (log_rare + kLn2) / (m - 1.0)) : 0.0;
  }

 private:
  [[nodiscard]] double mean_after(double sum, std::int64_t n) const {
    return mean_ * (sum / static_cast<double>(n));
  }

  double mean_;
  ExponentialSums sums_;
};

/// Successes are counted as activations of an edge are.
template <>
class RewardTrack<Bernoulli> {
 public:
  static constexpr bool kJumps = true, kWalks = false;

  RewardTrack(const Bernoulli& /*family*/, double mean, StreamKey key, std::int64_t max_steps)
      : draws_(key, std::span<const double>(&mean, 1), max_steps) {}

  double next() {
    const std::uint64_t success = draws_.next();
    successes_ += static_cast<std::int64_t>(success);
    return static_cast<double>(success);
  }
  [[nodiscard]] double mean() const { return mean_after(successes_, draws_.count()); }

  [[nodiscard]] bool can_jump() const { return draws_.can_jump(); }
  [[nodiscard]] std::int64_t visits() const { return draws_.visits(); }
  [[nodiscard]] double mean_at(std::int64_t n) {
    draws_.look_at(n);
    return mean_after(draws_.fired_there(0), n);
  }
  void move_there() {
    successes_ = draws_.fired_there(0);
    draws_.move_there();
  }
  [[nodiscard]] static double tube(double m, double sum, double log_rare) {
    return count_tube(m, sum, log_rare);
  }

 private:
  [[nodiscard]] static double mean_after(std::int64_t successes, std::int64_t n) {
    return static_cast<double>(successes) / static_cast<double>(n);
  }

  Activations draws_;
  std::int64_t successes_ = 0;
};

/// One by one.
template <>
class RewardTrack<Poisson> {
 public:
  static constexpr bool kJumps = false, kWalks = false;

  RewardTrack(const Poisson& /*family*/, double mean, StreamKey key, std::int64_t /*max_steps*/)
      : stream_(key), sample_(mean) {}

  double next() {
    const auto reward = static_cast<double>(sample_(stream_));
    sum_ += reward;
    count_ += 1.0;
    return reward;
  }
  [[nodiscard]] double mean() const { return sum_ / count_; }

 private:
  PhiloxStream stream_;
  PoissonSampler sample_;
  double sum_ = 0.0, count_ = 0.0;
};

template <typename Reward>
class PhiloxEnvironment {
 public:
  using ChoiceStream = PhiloxStream;

  /// Of the rewards of u in a run.
  static StreamKey reward_key(StreamKey content, std::uint64_t master_seed, std::uint64_t seed, int u) {
    return stream_key(master_seed, content.value, seed, kRewards, static_cast<std::uint64_t>(u));
  }

  /// `content` is content_key(instance), made once per case; no run has more than `max_steps` draws.
  PhiloxEnvironment(const Instance& instance, const Reward& family, StreamKey content,
                    std::uint64_t master_seed, std::uint64_t seed, std::int64_t max_steps = kMostDraws)
      : PhiloxEnvironment(instance, family, stream_key(master_seed, content.value, seed), max_steps) {}

  /// Pulls v; calls show(u, reward, mean of u's rewards so far) for each edge that fires, in order of u.
  template <typename Show>
  void pull(int v, Show show) {
    const auto i = static_cast<std::size_t>(v);
    const int* targets = targets_.data() + first_[i];
    // Which edges fire is random: a branch on each would be mispredicted every other time.
    const auto show_all = [&](std::uint64_t fired, const int* from) {
      for (; fired != 0; fired &= fired - 1) show_reward(from[std::countr_zero(fired)], show);
    };
    Activations& activations = activations_[i];
    if (activations.stride() < 64) return show_all(activations.next(), targets);
    const std::uint64_t* words = activations.next_words();
    for (std::size_t w = 0; w < activations.words(); ++w) show_all(words[w], targets + 64 * w);
  }

  static constexpr bool kPullsSeveral = true;
  /// Pulls v up to `most` times, calling show as pull does. Asks on() after every reward; where it says no,
  /// the pull that the reward belongs to is completed and is the last. Returns the number of pulls: 0 where
  /// they cannot be taken at once (more than eight edges), so that pull() must do.
  template <typename Show, typename On>
  std::int64_t pull_several(int v, std::int64_t most, Show show, On on) {
    const auto i = static_cast<std::size_t>(v);
    const std::size_t stride = activations_[i].stride();  // a power of two
    constexpr std::size_t kMostEdges = 8;
    if (stride > kMostEdges) return 0;
    auto [left, pulls] = activations_[i].ahead();
    pulls = most < pulls ? most : pulls;
    left &= first_bits(static_cast<std::size_t>(pulls) * stride);
    for (bool checked = true; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      show_reward(targets_[first_[i] + (bit & (stride - 1))], show);
      if (!checked || on()) [[likely]]
        continue;
      // The last pull: what is left of it is shown, and nothing beyond.
      const std::size_t end = (bit | (stride - 1)) + 1;
      pulls = static_cast<std::int64_t>(end / stride);
      left &= first_bits(end);
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
  /// Visits of nodes of all trees so far.
  [[nodiscard]] std::int64_t visits() const {
    std::int64_t all = 0;
    for (const Activations& each : activations_) all += each.visits();
    for (const RewardTrack<Reward>& each : rewards_) all += each.visits();
    return all;
  }

 private:
  enum Purpose : std::uint64_t { kChoices, kActivations, kRewards };

  PhiloxEnvironment(const Instance& instance, const Reward& family, StreamKey run, std::int64_t max_steps)
      : choices_(longer_key(run, kChoices)) {
    const StreamKey activations = longer_key(run, kActivations), rewards = longer_key(run, kRewards);
    const int K = instance.size();
    const auto vertices = static_cast<std::size_t>(K);
    activations_.reserve(vertices);
    rewards_.reserve(vertices);
    first_.reserve(vertices + 1);
    targets_.reserve(instance.graph().edge_count());
    std::vector<double> probabilities;
    probabilities.reserve(vertices);
    for (int v = 0; v < K; ++v) {
      first_.push_back(targets_.size());
      probabilities.clear();
      for (const Edge& edge : instance.graph().out(v)) {
        targets_.push_back(edge.vertex);
        probabilities.push_back(edge.probability);
      }
      activations_.emplace_back(longer_key(activations, v), probabilities, max_steps, &memory_);
      rewards_.emplace_back(family, instance.mean(v), longer_key(rewards, v), max_steps);
    }
    first_.push_back(targets_.size());
  }

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
  // Of the activations: some calls of malloc for each of them would be half of what a short run takes.
  std::pmr::monotonic_buffer_resource memory_{std::size_t{64} << 10};
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
        seen_(means_.size(), 0.0),
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
        counts_[i] += 1.0;
        seen_[i] = (seen_[i] * (counts_[i] - 1.0) + reward) / counts_[i];  // as the published runs rounded it
        show(u, reward, seen_[i]);
        ++next;
      }
    }
  }

  static constexpr bool kPullsSeveral = false;
  NumpyStream& choices() { return stream_; }

 private:
  int K_;
  std::vector<double> means_, seen_, counts_;  // seen_: means of the rewards shown
  double deviation_;
  NumpyStream stream_;
  std::vector<NumpyBinomial1> laws_;
  std::vector<int> fired_;
};

}  // namespace tasfg
