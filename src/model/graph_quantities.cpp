#include "tasfg/model/graph_quantities.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

/// A set of at most 64 vertices.
using Bits = std::uint64_t;

constexpr int kLargestExactK = 64;

/// Nodes of a search before it settles for bounds. Counted, not timed, so that the answer is the same on
/// every machine. Both problems are NP-hard: without it a small file could occupy a rank for days.
constexpr std::int64_t kNodeBudget = 20'000'000;

constexpr std::size_t at(int v) {
  return static_cast<std::size_t>(v);
}
constexpr Bits bit(int v) {
  return Bits{1} << v;
}
int lowest(Bits set) {
  return std::countr_zero(set);
}
int count(Bits set) {
  return std::popcount(set);
}

int pop_lowest(Bits& set) {
  const int v = lowest(set);
  set &= set - 1;
  return v;
}

std::vector<int> members(Bits set) {
  std::vector<int> list;
  while (set != 0) list.push_back(pop_lowest(set));
  return list;
}

std::vector<char> indicator(int K, const std::vector<int>& set) {
  std::vector<char> in_set(at(K), 0);
  for (const int v : set) in_set[at(v)] = 1;
  return in_set;
}

/// The undirected graph that joins two vertices when an edge does in either direction, without loops.
class Support {
 public:
  explicit Support(const FeedbackGraph& graph)
      : K_(graph.size()), words_((at(K_) + 63) / 64), rows_(at(K_) * words_, 0), degree_(at(K_), 0) {
    for (int v = 0; v < K_; ++v)
      for (const Edge& edge : graph.out(v))
        if (edge.vertex != v) {
          set(v, edge.vertex);
          set(edge.vertex, v);
        }
    for (int v = 0; v < K_; ++v)
      for (std::size_t i = 0; i < words_; ++i) degree_[at(v)] += count(row(v)[i]);
  }

  [[nodiscard]] int size() const { return K_; }
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] const Bits* row(int v) const { return rows_.data() + at(v) * words_; }
  [[nodiscard]] int degree(int v) const { return degree_[at(v)]; }

  template <typename Visit>
  void for_each_neighbour(int v, Visit visit) const {
    for (std::size_t i = 0; i < words_; ++i)
      for (Bits word = row(v)[i]; word != 0;) visit(static_cast<int>(64 * i) + pop_lowest(word));
  }

 private:
  void set(int v, int u) { rows_[at(v) * words_ + at(u) / 64] |= bit(u % 64); }

  int K_;
  std::size_t words_;
  std::vector<Bits> rows_;
  std::vector<int> degree_;
};

/// Takes a vertex of least remaining degree until none is left: exact on forests and cycles.
std::vector<int> greedy_independent_set(const Support& support) {
  const int K = support.size();
  std::vector<int> degree(at(K));
  for (int v = 0; v < K; ++v) degree[at(v)] = support.degree(v);
  std::vector<char> left(at(K), 1);
  std::vector<int> chosen;
  for (;;) {
    int best = -1;
    for (int v = 0; v < K; ++v)
      if (left[at(v)] != 0 && (best < 0 || degree[at(v)] < degree[at(best)])) best = v;
    if (best < 0) break;
    chosen.push_back(best);
    left[at(best)] = 0;
    support.for_each_neighbour(best, [&](int u) {
      if (left[at(u)] == 0) return;
      left[at(u)] = 0;
      support.for_each_neighbour(u, [&](int w) { --degree[at(w)]; });
    });
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// Number of cliques in a partition into cliques; an independent set has at most one vertex in each.
/// Vertices of small degree come first because they have the fewest cliques to join.
int clique_cover_size(const Support& support) {
  const int K = support.size();
  std::vector<int> order(at(K));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return support.degree(a) < support.degree(b); });
  const std::size_t words = support.words();
  std::vector<Bits> common;  // by clique: the vertices adjacent to all of its members
  int cliques = 0;
  for (const int v : order) {
    int home = 0;
    while (home < cliques && (common[at(home) * words + at(v) / 64] >> (v % 64) & 1) == 0) ++home;
    const Bits* row = support.row(v);
    if (home == cliques) {
      common.insert(common.end(), row, row + words);
      ++cliques;
    } else {
      for (std::size_t i = 0; i < words; ++i) common[at(home) * words + i] &= row[i];
    }
  }
  return cliques;
}

/// Largest independent set on at most 64 vertices: take vertices that some optimum must contain, bound by
/// a clique cover of what is left, branch on a vertex of largest degree (so that sparse graphs fall
/// apart and dense ones empty quickly).
class IndependenceSearch {
 public:
  IndependenceSearch(const Support& support, const std::vector<int>& start, int upper)
      : upper_(upper), best_size_(static_cast<int>(start.size())) {
    for (int v = 0; v < support.size(); ++v) {
      adjacent_[at(v)] = support.row(v)[0];
      all_ |= bit(v);
    }
    for (const int v : start) best_ |= bit(v);
  }

  /// False if the budget ran out: best() is then only a lower end.
  bool run() {
    search(all_, 0, 0);
    return nodes_ <= kNodeBudget;
  }
  [[nodiscard]] Bits best() const { return best_; }

 private:
  [[nodiscard]] bool is_clique(Bits set) const {
    for (Bits rest = set; rest != 0;) {
      const int v = pop_lowest(rest);
      if ((rest & ~adjacent_[at(v)]) != 0) return false;
    }
    return true;
  }

  [[nodiscard]] int clique_cover(Bits left) const {
    int cliques = 0;
    for (; left != 0; ++cliques) {
      for (Bits candidates = left; candidates != 0;) {
        const int v = lowest(candidates);
        left &= ~bit(v);
        candidates &= adjacent_[at(v)];
      }
    }
    return cliques;
  }

  void search(Bits left, Bits chosen, int size) {
    if (++nodes_ > kNodeBudget) return;
    int branch = -1;
    for (bool reduced = true; reduced;) {
      reduced = false;
      branch = -1;
      int largest = -1;
      for (Bits rest = left; rest != 0;) {
        const int v = pop_lowest(rest);
        const Bits neighbours = adjacent_[at(v)] & left;
        const int degree = count(neighbours);
        if (is_clique(neighbours)) {  // any solution can swap its one neighbour of v for v
          chosen |= bit(v);
          ++size;
          left &= ~(neighbours | bit(v));
          rest &= left;
          reduced = true;
        } else if (degree > largest) {
          largest = degree;
          branch = v;
        }
      }
      if (!reduced && largest == 2) {  // only cycles are left; every vertex of one is in some optimum
        chosen |= bit(branch);
        ++size;
        left &= ~(adjacent_[at(branch)] | bit(branch));
        reduced = true;
      }
    }
    if (size > best_size_) {
      best_size_ = size;
      best_ = chosen;
    }
    if (left == 0 || best_size_ >= upper_ || size + clique_cover(left) <= best_size_) return;
    search(left & ~(adjacent_[at(branch)] | bit(branch)), chosen | bit(branch), size + 1);
    search(left & ~bit(branch), chosen, size);
  }

  std::array<Bits, kLargestExactK> adjacent_{};
  Bits all_ = 0;
  int upper_;
  int best_size_;
  Bits best_ = 0;
  std::int64_t nodes_ = 0;
};

struct Bounded {
  Count size;
  std::vector<int> set;
};

/// Vertices by numbers that fall meanwhile: the least first, of equal ones the lowest vertex. Who falls is
/// pushed again.
class LeastFirst {
 public:
  explicit LeastFirst(const std::vector<int>& numbers) : numbers_(numbers) {
    for (std::size_t v = 0; v < numbers.size(); ++v) push(static_cast<int>(v));
  }
  void push(int v) { queue_.emplace(numbers_[at(v)], v); }
  /// −1 at the end.
  int pop() {
    while (!queue_.empty()) {
      const auto [number, v] = queue_.top();
      queue_.pop();
      if (number == numbers_[at(v)]) return v;
    }
    return -1;
  }

 private:
  using Entry = std::pair<int, int>;
  const std::vector<int>& numbers_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// By edges, for graphs too large for sets of bits: vertices of least remaining degree one after the other
/// from below, pairs of neighbours from above, of which an independent set has at most one each.
Bounded large_independence(const FeedbackGraph& graph) {
  const int K = graph.size();
  std::vector<std::vector<int>> neighbours(at(K));
  std::vector<int> degree(at(K));
  for (int v = 0; v < K; ++v) {
    std::vector<int>& list = neighbours[at(v)];
    for (const auto edges : {graph.out(v), graph.in(v)})
      for (const Edge& edge : edges)
        if (edge.vertex != v) list.push_back(edge.vertex);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    degree[at(v)] = static_cast<int>(list.size());
  }
  std::vector<char> left(at(K), 1), paired(at(K), 0);
  std::vector<int> set;
  int pairs = 0;
  LeastFirst order(degree);
  for (int v = order.pop(); v >= 0; v = order.pop()) {
    if (left[at(v)] == 0) continue;
    left[at(v)] = 0;
    set.push_back(v);
    for (const int u : neighbours[at(v)]) {
      if (left[at(u)] == 0) continue;
      left[at(u)] = 0;
      for (const int w : neighbours[at(u)]) {
        --degree[at(w)];
        if (left[at(w)] != 0) order.push(w);
      }
    }
  }
  for (int v = 0; v < K; ++v)
    for (const int u : neighbours[at(v)]) {
      if (paired[at(v)] != 0) break;
      if (paired[at(u)] != 0) continue;
      paired[at(v)] = paired[at(u)] = 1;
      ++pairs;
    }
  std::sort(set.begin(), set.end());
  const int lower = static_cast<int>(set.size());
  return {{lower, K - pairs}, std::move(set)};
}

Bounded independence(const FeedbackGraph& graph) {
  if (graph.size() > kLargestMatrix) return large_independence(graph);
  const Support support(graph);
  std::vector<int> set = greedy_independent_set(support);
  int upper = clique_cover_size(support);
  if (graph.size() <= kLargestExactK && static_cast<int>(set.size()) < upper) {
    IndependenceSearch search(support, set, upper);
    const bool finished = search.run();
    set = members(search.best());
    if (finished) upper = static_cast<int>(set.size());
  }
  const int lower = static_cast<int>(set.size());
  return {{lower, upper}, std::move(set)};
}

/// Vertices by numbers that fall meanwhile: the largest first, of equal ones the lowest vertex. Who fell is
/// found out when its turn comes.
class MostFirst {
 public:
  explicit MostFirst(const std::vector<int>& numbers) : numbers_(numbers) {
    for (std::size_t v = 0; v < numbers.size(); ++v) queue_.emplace(numbers[v], -static_cast<int>(v));
  }
  int pop() {
    for (;;) {
      const auto [number, minus_v] = queue_.top();
      queue_.pop();
      const int now = numbers_[at(-minus_v)];
      if (number == now) return -minus_v;
      queue_.emplace(now, minus_v);
    }
  }

 private:
  const std::vector<int>& numbers_;
  std::priority_queue<std::pair<int, int>> queue_;
};

/// Adds a vertex that shows most of what is still unseen until all targets are seen, then drops members
/// that the others made superfluous.
std::vector<int> greedy_cover(const FeedbackGraph& graph, const std::vector<int>& targets) {
  const int K = graph.size();
  std::vector<char> unseen = indicator(K, targets);
  std::vector<int> gain(at(K), 0);  // unseen targets that the vertex shows
  for (const int u : targets)
    for (const Edge& edge : graph.in(u)) ++gain[at(edge.vertex)];
  std::vector<int> chosen;
  std::vector<int> seen_by(at(K), 0);
  MostFirst order(gain);
  for (std::size_t left = targets.size(); left > 0;) {
    const int best = order.pop();
    chosen.push_back(best);
    for (const Edge& shown : graph.out(best)) {
      ++seen_by[at(shown.vertex)];
      if (unseen[at(shown.vertex)] == 0) continue;
      unseen[at(shown.vertex)] = 0;
      --left;
      for (const Edge& edge : graph.in(shown.vertex)) --gain[at(edge.vertex)];
    }
  }
  const std::vector<char> is_target = indicator(K, targets);
  std::vector<int> kept;
  for (const int v : chosen) {
    const auto shown = graph.out(v);
    const bool superfluous = std::all_of(shown.begin(), shown.end(), [&](const Edge& edge) {
      return is_target[at(edge.vertex)] == 0 || seen_by[at(edge.vertex)] > 1;
    });
    if (!superfluous)
      kept.push_back(v);
    else
      for (const Edge& edge : shown) --seen_by[at(edge.vertex)];
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

/// Price of a target whose sources show at most `gain` targets each, in units of 2⁻³². Prices 1/gain are
/// feasible for the dual of the covering problem: what one vertex shows costs at most 1, so their sum is a
/// lower bound (never below #targets / largest gain). Rounded down, the bound stays valid and an integer
/// sum still rounds up to itself.
constexpr int kPriceBits = 32;
std::uint64_t price(int gain) {
  return (std::uint64_t{1} << kPriceBits) / static_cast<std::uint64_t>(gain);
}
int priced_bound(std::uint64_t sum) {
  return static_cast<int>((sum + (std::uint64_t{1} << kPriceBits) - 1) >> kPriceBits);
}

/// The larger of the priced bound and the number of targets found with disjoint in-neighbourhoods.
int cover_lower_bound(const FeedbackGraph& graph, const std::vector<int>& targets) {
  const int K = graph.size();
  std::vector<int> gain(at(K), 0);
  for (const int u : targets)
    for (const Edge& edge : graph.in(u)) ++gain[at(edge.vertex)];
  std::uint64_t sum = 0;
  for (const int u : targets) {
    int most = 0;
    for (const Edge& edge : graph.in(u)) most = std::max(most, gain[at(edge.vertex)]);
    sum += price(most);
  }
  std::vector<int> order = targets;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return graph.in(a).size() < graph.in(b).size(); });
  std::vector<char> used(at(K), 0);
  int disjoint = 0;
  for (const int u : order) {
    const auto sources = graph.in(u);
    if (std::any_of(sources.begin(), sources.end(),
                    [&](const Edge& edge) { return used[at(edge.vertex)] != 0; }))
      continue;
    ++disjoint;
    for (const Edge& edge : sources) used[at(edge.vertex)] = 1;
  }
  return std::max(disjoint, priced_bound(sum));
}

/// Smallest cover on at most 64 vertices, by asking for one of `lower`, `lower + 1`, … vertices: each size
/// refuted raises the lower end, so that a search out of budget still has something to show.
/// `budget` is what is left of it, shared by the searches of one graph's parts.
class CoverSearch {
 public:
  CoverSearch(const FeedbackGraph& graph, const std::vector<int>& targets, std::int64_t& budget)
      : budget_(budget) {
    for (const int u : targets) {
      all_ |= bit(u);
      for (const Edge& edge : graph.in(u)) {
        shows_[at(edge.vertex)] |= bit(u);
        shown_by_[at(u)] |= bit(edge.vertex);
      }
    }
    for (int v = 0; v < graph.size(); ++v) vertices_ |= bit(v);
  }

  void run(Count& size, std::vector<int>& set) {
    for (; size.lower < size.upper; ++size.lower) {
      const bool found = search(all_, vertices_, size.lower);
      if (budget_ < 0) return;
      if (found) {
        size.upper = size.lower;
        set = members(chosen_);
        return;
      }
    }
  }

 private:
  /// Whether `left` of the vertices `allowed` can show all of `unseen`; if so they are in chosen_.
  bool search(Bits unseen, Bits allowed, int left) {
    if (--budget_ < 0) return false;
    if (unseen == 0) {
      chosen_ = 0;
      return true;
    }
    if (left == 0) return false;

    // Vertices by falling gain. A vertex that shows no more than an earlier one is never needed.
    std::array<Bits, kLargestExactK + 1> with_gain{};
    for (Bits rest = allowed; rest != 0;) {
      const int v = pop_lowest(rest);
      with_gain[at(count(shows_[at(v)] & unseen))] |= bit(v);
    }
    std::array<Bits, kLargestExactK> gains;
    std::array<int, kLargestExactK> ranked;
    int candidates = 0;
    Bits unpriced = unseen;
    std::uint64_t prices = 0;
    for (int gain = count(unseen); gain > 0; --gain)
      for (Bits rest = with_gain[at(gain)]; rest != 0;) {
        const int v = pop_lowest(rest);
        const Bits shown = shows_[at(v)] & unseen;
        prices += static_cast<std::uint64_t>(count(shown & unpriced)) * price(gain);
        unpriced &= ~shown;
        gains[at(candidates)] = shown;
        ranked[at(candidates)] = v;
        ++candidates;
      }
    if (unpriced != 0 || priced_bound(prices) > left) return false;
    if (left == 1) {  // the bound let it pass: the first shows everything
      chosen_ = bit(ranked[0]);
      return true;
    }
    allowed = 0;
    int kept = 0;
    for (int i = 0; i < candidates; ++i) {
      bool needed = true;
      for (int j = 0; j < kept && needed; ++j) needed = (gains[at(i)] & ~gains[at(j)]) != 0;
      if (!needed) continue;
      gains[at(kept)] = gains[at(i)];
      ranked[at(kept)] = ranked[at(i)];
      ++kept;
      allowed |= bit(ranked[at(i)]);
    }

    // Targets by rising number of vertices that show them: packed greedily, and the first is branched on.
    std::array<Bits, kLargestExactK + 1> with_sources{};
    for (Bits rest = unseen; rest != 0;) {
      const int u = pop_lowest(rest);
      with_sources[at(count(shown_by_[at(u)] & allowed))] |= bit(u);
    }
    Bits used = 0;
    int disjoint = 0;
    int branch = -1;
    for (int sources = 1; sources <= kept; ++sources)
      for (Bits rest = with_sources[at(sources)]; rest != 0;) {
        const int u = pop_lowest(rest);
        if (branch < 0) branch = u;
        const Bits from = shown_by_[at(u)] & allowed;
        if ((from & used) != 0) continue;
        used |= from;
        ++disjoint;
      }
    if (disjoint > left) return false;

    for (int i = 0; i < kept; ++i) {
      const int v = ranked[at(i)];
      if ((shows_[at(v)] & bit(branch)) == 0) continue;
      allowed &= ~bit(v);  // for the branches after this one too: sets with v have been tried
      if (search(unseen & ~gains[at(i)], allowed, left - 1)) {
        chosen_ |= bit(v);
        return true;
      }
      if (budget_ < 0) return false;
    }
    return false;
  }

  std::array<Bits, kLargestExactK> shows_{};     // by vertex: its targets
  std::array<Bits, kLargestExactK> shown_by_{};  // by target: the vertices that show it
  Bits all_ = 0;
  Bits vertices_ = 0;
  Bits chosen_ = 0;
  std::int64_t& budget_;
};

/// Parts of `targets` of which no vertex shows two: their covers are chosen apart.
std::vector<std::vector<int>> independent_parts(const FeedbackGraph& graph, const std::vector<int>& targets) {
  std::vector<char> waiting = indicator(graph.size(), targets);
  std::vector<std::vector<int>> parts;
  for (const int first : targets) {
    if (waiting[at(first)] == 0) continue;
    waiting[at(first)] = 0;
    std::vector<int> part{first};
    for (std::size_t i = 0; i < part.size(); ++i)
      for (const Edge& source : graph.in(part[i]))
        for (const Edge& shown : graph.out(source.vertex))
          if (std::exchange(waiting[at(shown.vertex)], char{0}) != 0) part.push_back(shown.vertex);
    std::sort(part.begin(), part.end());
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Least number of vertices that dominate `targets`, all of which must be observable.
Bounded domination(const FeedbackGraph& graph, const std::vector<int>& targets) {
  const bool exact = graph.size() <= kLargestExactK;
  // Without the split, a search would try every cover of one part against every cover of the others.
  std::vector<std::vector<int>> parts;
  if (exact)
    parts = independent_parts(graph, targets);
  else if (!targets.empty())
    parts = {targets};
  std::int64_t budget = kNodeBudget;
  Bounded total;
  for (const std::vector<int>& part : parts) {
    std::vector<int> set = greedy_cover(graph, part);
    Count size{cover_lower_bound(graph, part), static_cast<int>(set.size())};
    if (exact) CoverSearch(graph, part, budget).run(size, set);
    total.size.lower += size.lower;
    total.size.upper += size.upper;
    total.set.insert(total.set.end(), set.begin(), set.end());
  }
  std::sort(total.set.begin(), total.set.end());
  TASFG_ENSURE(dominates(graph, total.set, targets));
  TASFG_ENSURE(static_cast<int>(total.set.size()) == total.size.upper);
  return total;
}

}  // namespace

Observability observability_of(const FeedbackGraph& graph) {
  const int K = graph.size();
  Observability all = Observability::strong;
  for (int v = 0; v < K; ++v) {
    const auto sources = static_cast<int>(graph.in(v).size());
    if (sources == 0) return Observability::none;
    if (!graph.has_edge(v, v) && sources < K - 1) all = Observability::weak;
  }
  return all;
}

GraphQuantities graph_quantities(const FeedbackGraph& graph) {
  const int K = graph.size();
  GraphQuantities q;
  std::vector<int> observable;
  for (int v = 0; v < K; ++v) {
    const bool loop = graph.has_edge(v, v);
    const auto sources = static_cast<int>(graph.in(v).size());
    if (loop) q.self_loops.push_back(v);
    if (sources == 0) continue;
    observable.push_back(v);
    (loop || sources == K - 1 ? q.strong : q.weak).push_back(v);
  }
  q.observability = observability_of(graph);

  Bounded independent = independence(graph);
  q.independence = independent.size;
  q.independent_set = std::move(independent.set);

  // Nothing dominates an unobservable vertex: the domination number is that of the others.
  Bounded all = domination(graph, observable);
  Bounded weak = q.strong.empty() ? all : domination(graph, q.weak);
  q.domination = all.size;
  q.dominating_set = std::move(all.set);
  q.weak_domination = weak.size;
  q.weak_dominating_set = std::move(weak.set);
  return q;
}

bool dominates(const FeedbackGraph& graph, const std::vector<int>& set, const std::vector<int>& targets) {
  const std::vector<char> chosen = indicator(graph.size(), set);
  return std::all_of(targets.begin(), targets.end(), [&](int u) {
    const auto sources = graph.in(u);
    return std::any_of(sources.begin(), sources.end(),
                       [&](const Edge& edge) { return chosen[at(edge.vertex)] != 0; });
  });
}

}  // namespace tasfg
