#include "tasfg/model/graph_families.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

constexpr double kNone = kNaN;

double number(const Parameters& p, std::string_view name) {
  return std::get<double>(p.find(name)->second);
}
int integer(const Parameters& p, std::string_view name) {
  return static_cast<int>(number(p, name));
}
const std::string& word(const Parameters& p, std::string_view name) {
  return std::get<std::string>(p.find(name)->second);
}

/// A K×K matrix under construction, addressed as the paper does but from 0.
class Matrix {
 public:
  explicit Matrix(int K) : K_(K), values_(static_cast<std::size_t>(K) * static_cast<std::size_t>(K), 0.0) {}
  double& operator()(int v, int u) {
    return values_[static_cast<std::size_t>(v) * static_cast<std::size_t>(K_) + static_cast<std::size_t>(u)];
  }
  FeedbackGraph graph(const std::string& origin) { return {K_, std::move(values_), origin}; }

 private:
  int K_;
  std::vector<double> values_;
};

/// The edges of a graph under construction.
class Edges {
 public:
  explicit Edges(int K) : K_(K) {}
  void add(int v, int u, double p) { edges_.push_back({v, u, p}); }
  void add_both(int v, int u, double p) {
    add(v, u, p);
    add(u, v, p);
  }
  FeedbackGraph graph(const std::string& origin) { return {K_, std::move(edges_), origin}; }

 private:
  int K_;
  std::vector<DirectedEdge> edges_;
};

/// The stream of a family's random graphs; `family` tells it from those of others.
PhiloxStream stream_of(std::uint64_t family, const Parameters& params) {
  return PhiloxStream(stream_key(family, static_cast<std::uint64_t>(integer(params, "seed"))));
}
/// A whole number from 0 to n − 1.
int below(int n, PhiloxStream& stream) {
  return std::min(n - 1, static_cast<int>(stream.uniform() * n));
}

/// Mean 1 at `best`, ½ elsewhere.
std::vector<double> one_above_half(int K, int best) {
  std::vector<double> means(static_cast<std::size_t>(K), 0.5);
  means[static_cast<std::size_t>(best)] = 1.0;
  return means;
}

GraphAndMeans make_bandit(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  Edges edges(K);
  for (int v = 0; v < K; ++v) edges.add(v, v, number(params, "p"));
  return {edges.graph(origin), rising_means(K)};
}

GraphAndMeans make_full(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  Matrix G(K);
  for (int v = 0; v < K; ++v)
    for (int u = 0; u < K; ++u) G(v, u) = number(params, "p");
  return {G.graph(origin), rising_means(K)};
}

/// Vertex 1 shows everything, the others nothing. With K = 2 this is apple tasting.
GraphAndMeans make_revealing(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  Matrix G(K);
  for (int u = 0; u < K; ++u) G(0, u) = number(params, "p");
  return {G.graph(origin), rising_means(K)};
}

GraphAndMeans make_ring(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  const double p = number(params, "p");
  Edges edges(K);
  for (int v = 0; v < K; ++v) {
    edges.add(v, (v + 1) % K, p);
    edges.add(v, (v + K - 1) % K, 1.0 - p);
  }
  return {edges.graph(origin), rising_means(K)};
}

GraphAndMeans make_loopless_clique(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  const double p = number(params, "p");
  // The paper: p/u on odd-numbered targets, counted from 1; the published data swap the two.
  const int small_parity = word(params, "parity") == "paper" ? 1 : 0;
  Matrix G(K);
  for (int u = 1; u <= K; ++u)
    for (int v = 1; v <= K; ++v)
      if (u != v) G(u - 1, v - 1) = v % 2 == small_parity ? p / u : 1.0 - p / u;
  return {G.graph(origin), rising_means(K)};
}

FeedbackGraph star(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  const double p = number(params, "p");
  const double q = number(params, "q");
  const double r = number(params, "r");
  Matrix G(K);
  for (int u = 1; u < K - 1; ++u) {
    G(0, u) = r;
    G(u, u) = std::max(1.0 - 2.0 * p, 0.0);
  }
  G(0, K - 1) = p;
  G(K - 1, K - 1) = 1.0 - p;
  G(0, 0) = q;
  return G.graph(origin);
}

GraphAndMeans make_loopy_star(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  return {star(params, origin), one_above_half(K, K - 1)};
}

GraphAndMeans make_loopy_star_alt(const Parameters& params, const std::string& origin) {
  return {star(params, origin), one_above_half(integer(params, "K"), 0)};
}

/// fig:example_equal_solutions: a and c show themselves with p, each other with r (the paper's p′), b with q.
GraphAndMeans make_symmetric(const Parameters& params, const std::string& origin) {
  const double p = number(params, "p");
  const double q = number(params, "q");
  const double r = number(params, "r");
  const bool swapped = word(params, "parity") == "reference";
  Matrix G(3);
  G(0, 0) = p;
  G(0, 1) = q;
  G(0, 2) = r;
  G(2, 0) = swapped ? p : r;
  G(2, 1) = q;
  G(2, 2) = swapped ? r : p;
  return {G.graph(origin), {0.0, 1.0, 0.0}};
}

GraphAndMeans make_random(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  const double density = number(params, "p");
  const double low = number(params, "q");
  const double high = number(params, "r");
  if (low > high)
    throw InputError(within(origin, "q"),
                     bad_value(low, fmt::format("must not exceed r = {}: they bound the edge probabilities",
                                                to_text(high))));
  PhiloxStream stream(stream_key(0x72616e646f6dULL, static_cast<std::uint64_t>(integer(params, "seed"))));
  Matrix G(K);
  for (int u = 0; u < K; ++u) {
    bool observed = false;
    for (int v = 0; v < K; ++v) {
      const bool exists = stream.uniform() < density;
      const double probability = low + (high - low) * stream.uniform();
      if (exists) G(v, u) = probability;
      observed = observed || (exists && probability > 0.0);
    }
    // Every vertex must be observable: one edge is added where chance left none.
    const int v = static_cast<int>(stream.uniform() * K);
    const double probability = low + (high - low) * stream.uniform();
    if (!observed) G(v, u) = probability > 0.0 ? probability : high;
  }
  return {G.graph(origin), rising_means(K)};
}

/// The largest divisor of K up to its root.
double rows_of_torus(const Parameters& params) {
  const int K = integer(params, "K");
  int rows = static_cast<int>(std::sqrt(static_cast<double>(K)));
  while (K % rows != 0) --rows;
  return rows;
}

/// Vertices in rows, both directions closed to rings. Of two rows, above and below are the same; one row is a
/// ring.
GraphAndMeans make_torus(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K"), rows = integer(params, "rows");
  if (K % rows != 0)
    throw InputError(within(origin, "rows"), bad_value(rows, fmt::format("must divide K = {}", K)));
  const int columns = K / rows;
  Edges edges(K);
  for (int v = 0; v < K; ++v) {
    const int row = v / columns, column = v % columns;
    std::set<int> shown = {row * columns + (column + 1) % columns,
                           row * columns + (column + columns - 1) % columns,
                           (row + 1) % rows * columns + column, (row + rows - 1) % rows * columns + column};
    shown.erase(v);
    for (const int u : shown) edges.add(v, u, number(params, "p"));
  }
  return {edges.graph(origin), rising_means(K)};
}

/// `degree` random permutations without a fixed point, of which no two agree anywhere: what vertex v shows in
/// each. Where one does not fit, targets are exchanged at random until it does.
std::vector<std::vector<int>> random_targets(int K, int degree, PhiloxStream& stream) {
  std::vector<std::vector<int>> targets(static_cast<std::size_t>(K));
  const auto of = [&](int v) -> std::vector<int>& { return targets[static_cast<std::size_t>(v)]; };
  const auto fits = [&](int v, int u) {
    return u != v && std::find(of(v).begin(), of(v).end(), u) == of(v).end();
  };
  std::vector<int> permutation(static_cast<std::size_t>(K));
  std::iota(permutation.begin(), permutation.end(), 0);
  for (int round = 0; round < degree; ++round) {
    for (int v = K - 1; v > 0; --v)
      std::swap(permutation[static_cast<std::size_t>(v)],
                permutation[static_cast<std::size_t>(below(v + 1, stream))]);
    const auto at = [&](int v) -> int& { return permutation[static_cast<std::size_t>(v)]; };
    for (int v = 0; v < K; ++v)
      while (!fits(v, at(v))) {
        const int w = below(K, stream);
        // An exchange that mends v and spoils nobody; or, now and then, any that mends v: w, if it comes
        // before, is then mended anew.
        if (!fits(v, at(w))) continue;
        if (!fits(w, at(v)) && w < v) {
          if (stream.uniform() > 0.1) continue;
          std::swap(at(v), at(w));
          v = w - 1;
          break;
        }
        std::swap(at(v), at(w));
      }
    for (int v = 0; v < K; ++v) of(v).push_back(at(v));
  }
  return targets;
}

/// Each vertex shows `degree` others, and is shown by as many. More than half of the others: all but those of
/// a graph of the rest.
GraphAndMeans make_regular(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K"), degree = integer(params, "k");
  if (degree >= K)
    throw InputError(within(origin, "k"), bad_value(degree, fmt::format("must be below K = {}", K)));
  PhiloxStream stream = stream_of(0x6b2d726567756cULL, params);
  const bool rest = 2 * degree > K - 1;
  const std::vector<std::vector<int>> targets = random_targets(K, rest ? K - 1 - degree : degree, stream);
  Edges edges(K);
  for (int v = 0; v < K; ++v) {
    const std::vector<int>& listed = targets[static_cast<std::size_t>(v)];
    if (!rest)
      for (const int u : listed) edges.add(v, u, number(params, "p"));
    else
      for (int u = 0; u < K; ++u)
        if (u != v && std::find(listed.begin(), listed.end(), u) == listed.end())
          edges.add(v, u, number(params, "p"));
  }
  return {edges.graph(origin), rising_means(K)};
}

/// Barabasi and Albert: vertices come one by one, and each meets `m` earlier ones, likelier those that many
/// have met. The first m + 1 all meet. Who has met shows each other.
GraphAndMeans make_power_law(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K"), m = integer(params, "m");
  if (m >= K) throw InputError(within(origin, "m"), bad_value(m, fmt::format("must be below K = {}", K)));
  PhiloxStream stream = stream_of(0x706f7765726cULL, params);
  Edges edges(K);
  std::vector<int> ends;  // of all edges: a vertex as often as others have met it
  const auto meet = [&](int v, int u) {
    edges.add_both(v, u, number(params, "p"));
    ends.insert(ends.end(), {v, u});
  };
  for (int v = 1; v <= m; ++v)
    for (int u = 0; u < v; ++u) meet(v, u);
  std::vector<int> met;
  for (int v = m + 1; v < K; ++v) {
    met.clear();
    while (static_cast<int>(met.size()) < m) {
      const int u = ends[static_cast<std::size_t>(below(static_cast<int>(ends.size()), stream))];
      if (std::find(met.begin(), met.end(), u) == met.end()) met.push_back(u);
    }
    for (const int u : met) meet(v, u);
  }
  return {edges.graph(origin), rising_means(K)};
}

/// Points in the unit square; those nearer than `radius` show each other. One that nobody is near to and
/// its nearest do.
GraphAndMeans make_geometric(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  const double radius = number(params, "radius");
  PhiloxStream stream = stream_of(0x67656f6d6574ULL, params);
  struct Point {
    double x, y;
  };
  std::vector<Point> points(static_cast<std::size_t>(K));
  for (Point& point : points) {
    point.x = stream.uniform();
    point.y = stream.uniform();
  }
  const auto squared_distance = [&](int v, int u) {
    const Point &one = points[static_cast<std::size_t>(v)], &other = points[static_cast<std::size_t>(u)];
    const double x = one.x - other.x, y = one.y - other.y;
    return x * x + y * y;
  };
  // Squares as wide as the radius or wider, about one for each point: neighbours are in those around.
  const int side = std::max(1, static_cast<int>(std::min(1.0 / radius, std::sqrt(static_cast<double>(K)))));
  const auto square_of = [&](double x) { return std::min(side - 1, static_cast<int>(x * side)); };
  std::vector<std::vector<int>> squares(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  const auto in_square = [&](int x, int y) -> std::vector<int>& {
    return squares[static_cast<std::size_t>(x) * static_cast<std::size_t>(side) +
                   static_cast<std::size_t>(y)];
  };
  for (int v = 0; v < K; ++v) {
    const Point& at = points[static_cast<std::size_t>(v)];
    in_square(square_of(at.x), square_of(at.y)).push_back(v);
  }
  std::set<std::pair<int, int>> pairs;  // the smaller first
  for (int v = 0; v < K; ++v) {
    const Point& at = points[static_cast<std::size_t>(v)];
    const int column = square_of(at.x), row = square_of(at.y);
    bool alone = true;
    for (int x = std::max(0, column - 1); x <= std::min(side - 1, column + 1); ++x)
      for (int y = std::max(0, row - 1); y <= std::min(side - 1, row + 1); ++y)
        for (const int u : in_square(x, y)) {
          if (u == v || squared_distance(v, u) > radius * radius) continue;
          alone = false;
          pairs.emplace(std::min(v, u), std::max(v, u));
        }
    if (!alone) continue;
    int nearest = v == 0 ? 1 : 0;
    for (int u = 0; u < K; ++u)
      if (u != v && squared_distance(v, u) < squared_distance(v, nearest)) nearest = u;
    pairs.emplace(std::min(v, nearest), std::max(v, nearest));
  }
  Edges edges(K);
  for (const auto& [v, u] : pairs) edges.add_both(v, u, number(params, "p"));
  return {edges.graph(origin), rising_means(K)};
}

constexpr std::string_view kParities[] = {"paper", "reference"};

constexpr ParameterSpec K_at_least(double low, double high = kLargestMatrix, double fallback = 5.0) {
  return {"K", "number of vertices", ParameterKind::integer, low, high, fallback, nullptr, {}, {}};
}
/// Of graphs with few edges.
constexpr ParameterSpec many_K_at_least(double low, double fallback = 5.0) {
  return K_at_least(low, kLargestGraph, fallback);
}
constexpr ParameterSpec kSeed = {
    "seed", "seed of the graph", ParameterKind::integer, 0.0, 2147483647.0, 0.0, nullptr, {}, {}};
/// The matrix is affine in it, but for the kinks.
constexpr ParameterSpec probability(std::string_view name, std::string_view summary, double fallback,
                                    std::span<const double> kinks = {}) {
  return {name, summary, ParameterKind::number, 0.0,  1.0, fallback, nullptr,
          {},   {},      Dependence::affine,    kinks};
}
constexpr ParameterSpec parity(std::string_view summary) {
  return {"parity", summary, ParameterKind::word, 0.0, 0.0, kNone, nullptr, {}, kParities};
}

constexpr double kHalf[] = {0.5};  // where max(1 - 2p, 0) bends, and the default r of loopy-star-alt in q
constexpr std::string_view kEdge = "probability of every edge";
constexpr ParameterSpec kBanditParameters[] = {many_K_at_least(2), probability("p", kEdge, 1.0)};
constexpr ParameterSpec kFullParameters[] = {K_at_least(2), probability("p", kEdge, 1.0)};
constexpr ParameterSpec kAppleParameters[] = {
    {"K", "number of vertices", ParameterKind::integer, 2.0, 2.0, 2.0, nullptr, {}, {}},
    probability("p", kEdge, 1.0)};
constexpr ParameterSpec kRingParameters[] = {
    many_K_at_least(3), probability("p", "probability of the edge to the next vertex", 0.3)};
constexpr ParameterSpec kCliqueParameters[] = {
    K_at_least(3), probability("p", "p/v on one parity of targets of vertex v, 1-p/v on the other", 0.5),
    parity("which targets see p/v: odd ones (paper) or even ones (reference), counted from 1")};
constexpr ParameterSpec kStarParameters[] = {
    K_at_least(3), probability("p", "edge from the first vertex to the last", 0.2, kHalf),
    probability("q", "self-loop of the first vertex", 0.25),
    probability("r", "edge from the first vertex to the others", 0.25)};
constexpr ParameterSpec kStarAltParameters[] = {
    K_at_least(3),
    probability("p", "edge from the first vertex to the last", 0.0, kHalf),
    probability("q", "self-loop of the first vertex", 0.25, kHalf),
    {"r",
     "edge from the first vertex to the others",
     ParameterKind::number,
     0.0,
     1.0,
     kNone,
     [](const Parameters& p) {
       return std::max(0.25 * (1.0 - 2.0 * number(p, "q")) / (number(p, "K") - 1.0), 0.0);
     },
     "(1-2q)/(4(K-1))",
     {},
     Dependence::affine,
     {}}};
constexpr ParameterSpec kSymmetricParameters[] = {
    {"K", "number of vertices", ParameterKind::integer, 3.0, 3.0, 3.0, nullptr, {}, {}},
    probability("p", "self-loops of the outer vertices", 0.5),
    probability("q", "edges from the outer vertices to the middle one", 1.0),
    probability("r", "edges between the outer vertices (the paper's p')", 0.5),
    parity("as in the figure (paper), or the last row's p and p' swapped (reference)")};
constexpr ParameterSpec kRandomParameters[] = {
    K_at_least(2),
    {"p", "probability that an edge exists", ParameterKind::number, 0.0, 1.0, 0.5, nullptr, {}, {}},
    probability("q", "least edge probability", 0.1),
    probability("r", "largest edge probability", 1.0),
    kSeed};
constexpr ParameterSpec kTorusParameters[] = {many_K_at_least(3, 16.0),
                                              probability("p", kEdge, 0.5),
                                              {"rows",
                                               "rows of vertices; must divide K",
                                               ParameterKind::integer,
                                               1.0,
                                               kLargestGraph,
                                               kNone,
                                               &rows_of_torus,
                                               "the largest divisor of K up to its root",
                                               {}}};
constexpr ParameterSpec kRegularParameters[] = {many_K_at_least(2, 16.0),
                                                {"k",
                                                 "how many each vertex shows, and is shown by",
                                                 ParameterKind::integer,
                                                 1.0,
                                                 1000.0,
                                                 3.0,
                                                 nullptr,
                                                 {},
                                                 {}},
                                                probability("p", kEdge, 0.5),
                                                kSeed};
constexpr ParameterSpec kPowerLawParameters[] = {many_K_at_least(2, 16.0),
                                                 {"m",
                                                  "how many earlier vertices a new one meets",
                                                  ParameterKind::integer,
                                                  1.0,
                                                  1000.0,
                                                  2.0,
                                                  nullptr,
                                                  {},
                                                  {}},
                                                 probability("p", kEdge, 0.5),
                                                 kSeed};
constexpr ParameterSpec kGeometricParameters[] = {
    many_K_at_least(2, 16.0),
    probability("p", kEdge, 0.5),
    {"radius",
     "distance up to which points of the unit square show each other",
     ParameterKind::number,
     1e-4,
     1.5,
     kNone,
     [](const Parameters& p) { return std::sqrt(2.0 / number(p, "K")); },
     "sqrt(2/K)",
     {}},
    kSeed};
constexpr ParameterSpec kFileParameters[] = {
    {"path",
     "CSV, .npy, .mtx or HDF5 file[:dataset] of K rows of K "
     "probabilities (row: chosen vertex, column: shown vertex), or CSV of "
     "edges from,to,probability",
     ParameterKind::path,
     0.0,
     0.0,
     kNone,
     nullptr,
     {},
     {}}};

// The only list of graph families.
constexpr GraphFamily kGraphFamilies[] = {
    {"bandit", "each vertex shows itself alone", kBanditParameters, &make_bandit},
    {"full", "each vertex shows all vertices", kFullParameters, &make_full},
    {"apple-tasting", "two vertices: the first shows both, the second nothing", kAppleParameters,
     &make_revealing},
    {"revealing-action", "the first vertex shows all, the others nothing", kFullParameters, &make_revealing},
    {"ring", "each vertex shows its two neighbours", kRingParameters, &make_ring},
    {"loopless-clique", "each vertex shows all the others", kCliqueParameters, &make_loopless_clique},
    {"loopy-star", "bandit feedback plus a first vertex that shows all; the last is best", kStarParameters,
     &make_loopy_star},
    {"loopy-star-alt", "the loopy star with its first vertex best", kStarAltParameters, &make_loopy_star_alt},
    {"symmetric", "three vertices whose optimal allocation is not unique", kSymmetricParameters,
     &make_symmetric},
    {"random", "Erdos-Renyi graph with random edge probabilities", kRandomParameters, &make_random},
    {"torus", "each vertex shows its four neighbours, in rows and columns closed to rings", kTorusParameters,
     &make_torus},
    {"k-regular", "each vertex shows k others, chosen at random, and is shown by k", kRegularParameters,
     &make_regular},
    {"power-law", "Barabasi-Albert graph: few vertices with many neighbours", kPowerLawParameters,
     &make_power_law},
    {"geometric", "random points of the unit square that show those near to them", kGeometricParameters,
     &make_geometric},
    {"file", "a matrix read from a file", kFileParameters, nullptr},
};

const ParameterSpec& parameter(const GraphFamily& family, std::string_view name, const std::string& origin) {
  if (const ParameterSpec* spec = find_row(family.parameters, name)) return *spec;
  throw InputError(
      origin, remark(fmt::format("unknown parameter {} of graph family {}", in_quotes(name), family.name),
                     suggest(name, names_of(family.parameters))));
}

std::string range_of(const ParameterSpec& spec) {
  if (spec.kind == ParameterKind::number) return fmt::format("must lie in [{}, {}]", spec.low, spec.high);
  if (spec.low == spec.high) return fmt::format("must be {}", spec.low);
  return fmt::format("must be a whole number from {} to {}", spec.low, spec.high);
}

}  // namespace

std::span<const GraphFamily> graph_families() {
  return kGraphFamilies;
}

const GraphFamily& graph_family(std::string_view name, const std::string& origin) {
  if (const GraphFamily* family = find_row(graph_families(), name)) return *family;
  throw InputError(origin, remark(fmt::format("unknown graph family {}", in_quotes(name)),
                                  suggest(name, names_of(graph_families()))));
}

ParameterValue parse_parameter(const GraphFamily& family, std::string_view name, std::string_view text,
                               const std::string& origin) {
  const ParameterSpec& spec = parameter(family, name, origin);
  if (is_numeric(spec))
    return placed(within(origin, name), [&] { return parse_number(text, range_of(spec)); });
  return std::string(text);
}

void check_parameter(const ParameterSpec& spec, const ParameterValue& value) {
  const double* number = std::get_if<double>(&value);
  const std::string* text = std::get_if<std::string>(&value);
  if (is_numeric(spec)) {
    if (number == nullptr) throw InputError(bad_text(*text, range_of(spec)));
    const bool whole = spec.kind != ParameterKind::integer || *number == std::floor(*number);
    if (!(*number >= spec.low && *number <= spec.high) || !whole)
      throw InputError(bad_value(*number, range_of(spec)));
    return;
  }
  if (text == nullptr) throw InputError(bad_value(*number, "must be text"));
  if (spec.kind == ParameterKind::word &&
      std::find(spec.words.begin(), spec.words.end(), *text) == spec.words.end())
    throw InputError(bad_text(*text, suggest(*text, spec.words)));
}

std::string to_text(const ParameterValue& value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr ? to_text(*number) : std::get<std::string>(value);
}

Parameters complete_parameters(const GraphFamily& family, const Parameters& given,
                               const std::string& origin) {
  for (const Parameters::value_type& each : given) {
    const ParameterSpec& spec = parameter(family, each.first, origin);
    placed(origin, [&] { placed(spec.name, [&] { check_parameter(spec, each.second); }); });
  }
  Parameters complete = given;
  for (const ParameterSpec& spec : family.parameters) {
    if (complete.contains(spec.name) || spec.computed != nullptr) continue;
    if (spec.kind == ParameterKind::path)
      throw InputError(origin, remark(fmt::format("graph family {} needs {}", family.name, spec.name)));
    if (spec.kind == ParameterKind::word)
      complete.emplace(spec.name, std::string(spec.words.front()));
    else
      complete.emplace(spec.name, spec.fallback);
  }
  for (const ParameterSpec& spec : family.parameters)  // last: they read the others
    if (spec.computed != nullptr && !complete.contains(spec.name))
      complete.emplace(spec.name, spec.computed(complete));
  return complete;
}

GraphAndMeans make_graph(const GraphFamily& family, const Parameters& given, const std::string& origin) {
  const Parameters complete = complete_parameters(family, given, origin);
  TASFG_EXPECT(!family.reads_file());
  return family.make(complete, origin);
}

std::vector<double> rising_means(int K) {
  std::vector<double> means(static_cast<std::size_t>(K), 1.0);
  const double step = 1.0 / (K - 1);
  for (int u = 0; u + 1 < K; ++u) means[static_cast<std::size_t>(u)] = u * step;
  return means;
}

}  // namespace tasfg
