/// The environment of one trajectory: which edges fire, and which rewards they show.
///
/// Philox: each vertex v has its own stream of edge activations and each vertex u its own stream of rewards,
/// keyed by (master seed, the case's content, seed). So the i-th reward of u and the n-th activation of
/// (v, u) are the same whichever algorithm meets them: common random numbers, draw by draw.
///
/// NumPy: the published runs' generator; each draw takes K activations, then K rewards, fired or not.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tasfg/base/numpy_stream.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/base/samplers.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// A key made of the graph, the means and the reward family: what a case is, not where it stands in a grid.
[[nodiscard]] StreamKey content_key(const Instance& instance);

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
    begin_.push_back(0);
    for (int v = 0; v < K; ++v) {
      const auto index = static_cast<std::uint64_t>(v);
      activations_.emplace_back(stream_key(master_seed, content.value, seed, kActivations, index));
      rewards_.emplace_back(stream_key(master_seed, content.value, seed, kRewards, index));
      samplers_.push_back(sampler_of(family, instance.mean(v)));
      bool certain = true;
      for (const Edge& edge : instance.graph().out(v)) {
        const auto threshold = static_cast<std::uint64_t>(edge.probability * 0x1p32);
        edges_.push_back(
            {edge.vertex, threshold, edge.probability * 0x1p32 - static_cast<double>(threshold)});
        certain = certain && edge.probability == 1.0;
      }
      certain_.push_back(certain ? 1 : 0);
      begin_.push_back(edges_.size());
    }
    fired_.resize(static_cast<std::size_t>(K) + 1);
  }

  /// Pulls v; calls show(u, reward) for each edge that fires.
  template <typename Show>
  void pull(int v, Show show) {
    const auto i = static_cast<std::size_t>(v);
    // First which edges fire, without a branch on it: the outcome is random, so that every other branch would
    // be mispredicted. Then the rewards of those that did.
    std::size_t count = 0;
    if (certain_[i] != 0) {
      for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) fired_[count++] = edges_[e].vertex;
    } else {
      PhiloxStream& activations = activations_[i];
      for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) {
        const OutEdge& edge = edges_[e];
        // 32 bits decide; once in 2³² they tie and more are drawn, so that the probability is exact.
        const std::uint64_t word = activations.bits32();
        bool fires = word < edge.threshold;
        if (word == edge.threshold) [[unlikely]]
          fires = BernoulliSampler(edge.rest)(activations);
        fired_[count] = edge.vertex;
        count += fires ? 1 : 0;
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto u = static_cast<std::size_t>(fired_[k]);
      show(fired_[k], samplers_[u](rewards_[u]));
    }
  }

  /// The sampling rule's own randomness.
  PhiloxStream& choices() { return choices_; }

 private:
  enum Purpose : std::uint64_t { kChoices, kActivations, kRewards };
  struct OutEdge {
    int vertex;
    std::uint64_t threshold;  // ⌊p·2³²⌋; 2³² where p = 1
    double rest;              // what ⌊·⌋ cut off
  };
  PhiloxStream choices_;
  std::vector<PhiloxStream> activations_, rewards_;
  std::vector<decltype(sampler_of(std::declval<Reward>(), 0.0))> samplers_;
  std::vector<OutEdge> edges_;
  std::vector<std::size_t> begin_;
  std::vector<char> certain_;  // all out-edges have probability 1
  std::vector<int> fired_;
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
