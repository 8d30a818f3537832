/// The environment of one trajectory: which edges fire, and which rewards they show.
///
/// Philox: each vertex v has its own stream of edge activations and each vertex u its own stream of rewards,
/// keyed by (master seed, the case's content, seed). So the i-th reward of u and the n-th activation of
/// (v, u) are the same whichever algorithm meets them: common random numbers, draw by draw. A pull of v takes
/// one byte of its stream for each out-edge, four to a word; a byte that ties with ⌊256 p⌋ takes 64 bits
/// more, so that the probability is exact.
///
/// NumPy: the published runs' generator; each draw takes K activations, then K rewards, fired or not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/simd.hpp"

#include "tasfg/base/numpy_stream.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/base/samplers.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// Draws one reward of a vertex.
class GaussianReward {
 public:
  GaussianReward(const Gaussian& family, double mean) : mean_(mean), deviation_(std::sqrt(family.variance)) {}
  template <typename Stream>
  double operator()(Stream& stream) const {
    return mean_ + deviation_ * sample_normal(stream);
  }

 private:
  double mean_, deviation_;
};
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

inline GaussianReward sampler_of(const Gaussian& family, double mean) {
  return {family, mean};
}
inline BernoulliReward sampler_of(const Bernoulli& family, double mean) {
  return {family, mean};
}
inline PoissonReward sampler_of(const Poisson& family, double mean) {
  return {family, mean};
}
inline ExponentialReward sampler_of(const Exponential& family, double mean) {
  return {family, mean};
}

template <typename Reward>
class PhiloxEnvironment {
 public:
  using ChoiceStream = PhiloxStream;

  /// `content` is content_key(instance), made once per case.
  PhiloxEnvironment(const Instance& instance, const Reward& family, StreamKey content,
                    std::uint64_t master_seed, std::uint64_t seed)
      : choices_(stream_key(master_seed, content.value, seed, kChoices)) {
    const int K = instance.size();
    for (int v = 0; v < K; ++v) {
      const auto index = static_cast<std::uint64_t>(v);
      activations_.emplace_back(stream_key(master_seed, content.value, seed, kActivations, index));
      rewards_.emplace_back(stream_key(master_seed, content.value, seed, kRewards, index));
      samplers_.push_back(sampler_of(family, instance.mean(v)));
      begin_.push_back(groups_.size());
      const auto edges = instance.graph().out(v);
      const bool certain =
          std::all_of(edges.begin(), edges.end(), [](const Edge& e) { return e.probability == 1.0; });
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (i % kGroup == 0) groups_.push_back({});
        groups_.back().add(edges[i], certain);
      }
    }
    begin_.push_back(groups_.size());
  }

  /// Pulls v; calls show(u, reward) for each edge that fires, in order of u.
  template <typename Show>
  void pull(int v, Show show) {
    const auto i = static_cast<std::size_t>(v);
    for (std::size_t g = begin_[i]; g < begin_[i + 1]; ++g) {
      const EdgeGroup& group = groups_[g];
      // Which edges fire is random: a branch on each would be mispredicted every other time.
      for (std::uint32_t left = group.fired(activations_[i]); left != 0; left &= left - 1) {
        const int u = group.vertex[static_cast<std::size_t>(std::countr_zero(left))];
        show(u, samplers_[static_cast<std::size_t>(u)](rewards_[static_cast<std::size_t>(u)]));
      }
    }
  }

  static constexpr bool kPullsSeveral = true;
  /// Pulls v up to `most` times, calling show(u, reward) as pull does. Asks on() after every reward; where it
  /// says no, the pull that the reward belongs to is completed and is the last. Returns the number of pulls:
  /// 0 where they cannot be taken at once (a tie, too few words at hand, more than eight edges or certain
  /// ones only), so that pull() must do.
  template <typename Show, typename On>
  std::int64_t pull_several(int v, std::int64_t most, Show show, On on) {
    const auto i = static_cast<std::size_t>(v);
    if (begin_[i + 1] - begin_[i] != 1) return 0;
    const EdgeGroup& group = groups_[begin_[i]];
    if (group.pulls < 2) return 0;
    activations_[i].stock_up();
    auto [pulls, left] = group.several(activations_[i], most);
    for (bool checked = true; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
      const auto u = static_cast<std::size_t>(group.repeated_vertex[bit % kGroup]);
      show(static_cast<int>(u), samplers_[u](rewards_[u]));
      if (!checked || on()) [[likely]]
        continue;
      // The last pull: what is left of it is shown, and nothing beyond.
      pulls = bit / (4 * group.words) + 1;
      left &= EdgeGroup::first_bits(pulls * 4 * group.words);
      checked = false;
    }
    activations_[i].skip(pulls * group.words);
    return pulls;
  }

  /// The sampling rule's own randomness.
  PhiloxStream& choices() { return choices_; }

 private:
  enum Purpose : std::uint64_t { kChoices, kActivations, kRewards };
  static constexpr std::size_t kGroup = 16;
  /// Up to sixteen out-edges of a vertex, which fire together.
  struct EdgeGroup {
    std::array<std::uint8_t, kGroup> threshold{};  // ⌊256 p⌋; an edge fires where its byte is less
    std::array<int, kGroup> vertex{};
    std::array<double, kGroup> rest{};  // 256 p − ⌊256 p⌋: with this probability, where its byte is equal
    std::uint32_t always = 0, ties = 0;  // edges with p = 1, and with a rest, by bits
    std::uint32_t size = 0, words = 0;
    // The same for as many pulls as sixteen bytes serve.
    std::array<std::uint8_t, kGroup> repeated{};
    std::array<int, kGroup> repeated_vertex{};
    std::uint32_t pulls = 0, repeated_always = 0, repeated_ties = 0;

    void add(const Edge& edge, bool certain) {
      const double scaled = 256.0 * edge.probability;
      vertex[size] = edge.vertex;
      if (edge.probability == 1.0) {
        always |= 1U << size;
      } else {
        threshold[size] = static_cast<std::uint8_t>(scaled);
        rest[size] = scaled - std::floor(scaled);
        if (rest[size] > 0.0) ties |= 1U << size;
      }
      ++size;
      words = certain ? 0 : (size + 3) / 4;
      pulls = words == 0 ? 0 : 4 / words;
      repeated = {};
      repeated_always = repeated_ties = 0;
      for (std::uint32_t pull = 0; pull < pulls; ++pull) {
        const std::uint32_t from = pull * 4 * words;
        std::copy_n(threshold.begin(), size, repeated.begin() + from);
        std::copy_n(vertex.begin(), size, repeated_vertex.begin() + from);
        repeated_always |= always << from;
        repeated_ties |= ties << from;
      }
    }

    /// What the words at hand say of the next pulls, up to `most` and before any tie: how many pulls, and
    /// which edges fire in them, four bits for each word.
    [[nodiscard]] std::pair<std::uint32_t, std::uint64_t> several(const PhiloxStream& stream,
                                                                  std::int64_t most) const {
      constexpr std::uint32_t kBlocks = 4;
      static_assert(kBlocks * kGroup <= 4 * PhiloxStream::kReadable);
      std::uint64_t events = 0, tied = 0;
      for (std::uint32_t b = 0; b < kBlocks; ++b) {
        const auto [less, equal] = compare_bytes(stream.ahead() + 4 * b, repeated.data());
        events |= static_cast<std::uint64_t>(less | repeated_always) << (kGroup * b);
        tied |= static_cast<std::uint64_t>(equal & repeated_ties) << (kGroup * b);
      }
      std::uint32_t count = std::min(kBlocks * pulls, static_cast<std::uint32_t>(stream.at_hand()) / words);
      if (tied != 0) [[unlikely]]
        count = std::min(count, static_cast<std::uint32_t>(std::countr_zero(tied)) / (4 * words));
      count = most < count ? static_cast<std::uint32_t>(most) : count;
      return {count, events & first_bits(count * 4 * words)};
    }
    static std::uint64_t first_bits(std::uint32_t n) {
      return n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
    }

    /// The edges that fire, by bits.
    [[nodiscard]] std::uint32_t fired(PhiloxStream& stream) const {
      if (words == 0) return always;
      const std::uint32_t* bytes = stream.take(words);
      auto [fires, tied] = compare_bytes(bytes, threshold.data());
      tied &= ties;
      fires |= always;
      if (tied != 0) [[unlikely]]
        for (std::uint32_t left = tied; left != 0; left &= left - 1)
          if (BernoulliSampler(rest[static_cast<std::size_t>(std::countr_zero(left))])(stream))
            fires |= left & -left;
      return fires;
    }
  };
  PhiloxStream choices_;
  std::vector<PhiloxStream> activations_, rewards_;
  std::vector<decltype(sampler_of(std::declval<Reward>(), 0.0))> samplers_;
  std::vector<EdgeGroup> groups_;
  std::vector<std::size_t> begin_;  // of the groups of each vertex
};

/// Gaussian rewards only.
class NumpyEnvironment {
 public:
  using ChoiceStream = NumpyStream;

  NumpyEnvironment(const Instance& instance, const Gaussian& family, std::uint32_t seed)
      : K_(instance.size()), means_(instance.means()), deviation_(std::sqrt(family.variance)), stream_(seed) {
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
        show(u, reward);
        ++next;
      }
    }
  }

  static constexpr bool kPullsSeveral = false;
  NumpyStream& choices() { return stream_; }

 private:
  int K_;
  std::vector<double> means_;
  double deviation_;
  NumpyStream stream_;
  std::vector<NumpyBinomial1> laws_;
  std::vector<int> fired_;
};

}  // namespace tasfg
