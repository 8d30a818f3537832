/// What a learner knows after t draws: counts, means and the estimated graph (subsec:estimation_procedure).
/// An observation costs O(1), a pull O(1); nothing here allocates after construction.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tasfg/algo/conventions.hpp"
#include "tasfg/base/contract.hpp"
#include "tasfg/base/enum_names.hpp"
#include "tasfg/base/extremes.hpp"
#include "tasfg/base/lanes.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// What the learner is shown.
enum class Setting {
  informed,     // the activated edges
  uninformed,   // rewards alone: an edge counts as activated where Z ≠ 0
  known_graph,  // the activated edges, and G itself
};
inline constexpr EnumNames<Setting> kSettingNames = {"informed", "uninformed", "known-graph"};

class Estimate {
 public:
  Estimate(const Instance& instance, Setting setting, const Conventions& conventions);

  // What is known.
  [[nodiscard]] int size() const { return K_; }
  [[nodiscard]] std::int64_t draws() const { return draws_; }
  [[nodiscard]] const std::vector<double>& pulls() const { return pulls_; }                // N_v
  [[nodiscard]] const std::vector<double>& observations() const { return observations_; }  // M_u
  [[nodiscard]] const std::vector<double>& means() const { return means_; }  // μ̂_u, 1 where unseen
  [[nodiscard]] int best() const { return best_; }  // argmax μ̂, lowest index first
  [[nodiscard]] int unseen() const { return unseen_; }
  [[nodiscard]] int pulled() const { return pulled_; }  // vertices with N_v > 0
  [[nodiscard]] bool graph_known() const { return setting_ == Setting::known_graph; }
  [[nodiscard]] GraphPrior prior() const { return conventions_.graph_prior; }
  /// Whether Ĝ is that of the published runs.
  [[nodiscard]] bool counts_as_published() const {
    return !graph_known() && prior() == GraphPrior::pseudo_count;
  }

  /// The true graph. What a learner may take from it is where counts can be positive: on its edges alone.
  [[nodiscard]] const FeedbackGraph& support() const { return *graph_; }
  /// Whether there is a count for each pair of vertices; else there is one for each edge of the true graph,
  /// and those of other pairs are 0 (graphs that are held by their edges alone).
  [[nodiscard]] bool counts_pairs() const { return !by_edges_; }
  /// N_vu for all v, at u: contiguous in v, then 0 up to whole lanes. Where pairs are counted.
  [[nodiscard]] const double* seen_through(int u) const {
    TASFG_EXPECT(counts_pairs());
    return counts_.data() + static_cast<std::size_t>(u) * stride_;
  }
  [[nodiscard]] double count(int v, int u) const { return counts_[place(v, u)]; }
  /// All counts: N_vu at [u·padded(K) + v] where pairs are counted, else in order of v, then of u.
  [[nodiscard]] const double* counts() const { return counts_.data(); }

  /// Ĝ_vu.
  [[nodiscard]] double edge(int v, int u) const {
    const auto i = static_cast<std::size_t>(v);
    if (graph_known()) return (*graph_)(v, u);
    if (counts_as_published()) return (1.0 + count(v, u)) / (pulls_[i] > 1.0 ? pulls_[i] : 1.0);
    return pulls_[i] > 0.0 ? count(v, u) / pulls_[i] : 1.0;
  }

  /// Whether "unique" means what it says: no other mean equals the largest.
  [[nodiscard]] bool exact_gaps() const { return conventions_.unique_best == UniqueBest::exact; }
  /// Whether the estimated best vertex is unique, by the convention.
  [[nodiscard]] bool best_is_unique() const;

  // What a draw adds.
  void pull(int v) {
    const auto i = static_cast<std::size_t>(v);
    if (pulls_[i] == 0.0) ++pulled_;
    pulls_[i] += 1.0;
    ++draws_;
  }
  /// `times` more pulls of v, which was pulled before.
  void pull_again(int v, std::int64_t times) {
    TASFG_EXPECT(times == 0 || pulls_[static_cast<std::size_t>(v)] > 0.0);
    pulls_[static_cast<std::size_t>(v)] += static_cast<double>(times);
    draws_ += times;
  }
  /// v has shown a reward of u; all rewards of u so far have the mean `now`. `kPairs`: it is known that pairs
  /// are counted.
  template <bool kPairs = false>
  [[gnu::always_inline]] void observe(int v, int u, double now) {
    if (unseen_ > 0 && observations_[static_cast<std::size_t>(u)] == 0.0) [[unlikely]]
      --unseen_;
    observe_again<kPairs>(v, u, 1.0, now);
  }
  /// The same of `times` rewards at once, of a vertex that was seen before.
  template <bool kPairs = false>
  [[gnu::always_inline]] void observe_again(int v, int u, double times, double now) {
    const auto i = static_cast<std::size_t>(u);
    counts_[place<kPairs>(v, u)] += times;
    observations_[i] += times;
    means_[i] = now;
    // The best mean must not fall to the runner-up's, nor another rise to it. Whether u is the best is
    // unpredictable: the sign turns both questions into one comparison.
    if (side_[i] * now >= side_[i] * runner_up_) [[unlikely]]
      move_best(u);
  }

 private:
  /// Where N_vu stands in counts_.
  template <bool kPairs = false>
  [[nodiscard]] std::size_t place(int v, int u) const {
    if constexpr (!kPairs)
      if (by_edges_) [[unlikely]]
        return place_of_edge(v, u);
    return static_cast<std::size_t>(u) * stride_ + static_cast<std::size_t>(v);
  }
  /// The last place, which stays 0, where there is no such edge.
  [[nodiscard]] std::size_t place_of_edge(int v, int u) const;
  void move_best(int u);
  void find_best();

  int K_;
  std::size_t n_, stride_;
  bool by_edges_;
  Setting setting_;
  Conventions conventions_;
  const FeedbackGraph* graph_;
  std::int64_t draws_ = 0;
  int best_ = 0, unseen_, pulled_ = 0;
  double runner_up_ = 1.0;    // no mean but the best one's is larger
  std::vector<double> side_;  // −1 at the best vertex, 1 at others
  std::vector<double> pulls_, observations_, means_;
  std::vector<double> counts_;  // doubles, exact up to 2⁵³
};

}  // namespace tasfg
