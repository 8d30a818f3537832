#include "tasfg/model/graph_families.hpp"

#include <algorithm>
#include <cmath>

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

/// Mean 1 at `best`, ½ elsewhere.
std::vector<double> one_above_half(int K, int best) {
  std::vector<double> means(static_cast<std::size_t>(K), 0.5);
  means[static_cast<std::size_t>(best)] = 1.0;
  return means;
}

GraphAndMeans make_bandit(const Parameters& params, const std::string& origin) {
  const int K = integer(params, "K");
  Matrix G(K);
  for (int v = 0; v < K; ++v) G(v, v) = number(params, "p");
  return {G.graph(origin), rising_means(K)};
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
  Matrix G(K);
  for (int v = 0; v < K; ++v) {
    G(v, (v + 1) % K) = p;
    G(v, (v + K - 1) % K) = 1.0 - p;
  }
  return {G.graph(origin), rising_means(K)};
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

constexpr std::string_view kParities[] = {"paper", "reference"};

constexpr ParameterSpec K_at_least(double low) {
  return {"K", "number of vertices", ParameterKind::integer, low, kLargestGraph, 5.0, nullptr, {}, {}};
}
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
constexpr ParameterSpec kBanditParameters[] = {K_at_least(2), probability("p", kEdge, 1.0)};
constexpr ParameterSpec kAppleParameters[] = {
    {"K", "number of vertices", ParameterKind::integer, 2.0, 2.0, 2.0, nullptr, {}, {}},
    probability("p", kEdge, 1.0)};
constexpr ParameterSpec kRingParameters[] = {
    K_at_least(3), probability("p", "probability of the edge to the next vertex", 0.3)};
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
    {"seed", "seed of the graph", ParameterKind::integer, 0.0, 2147483647.0, 0.0, nullptr, {}, {}}};
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
    {"full", "each vertex shows all vertices", kBanditParameters, &make_full},
    {"apple-tasting", "two vertices: the first shows both, the second nothing", kAppleParameters,
     &make_revealing},
    {"revealing-action", "the first vertex shows all, the others nothing", kBanditParameters,
     &make_revealing},
    {"ring", "each vertex shows its two neighbours", kRingParameters, &make_ring},
    {"loopless-clique", "each vertex shows all the others", kCliqueParameters, &make_loopless_clique},
    {"loopy-star", "bandit feedback plus a first vertex that shows all; the last is best", kStarParameters,
     &make_loopy_star},
    {"loopy-star-alt", "the loopy star with its first vertex best", kStarAltParameters, &make_loopy_star_alt},
    {"symmetric", "three vertices whose optimal allocation is not unique", kSymmetricParameters,
     &make_symmetric},
    {"random", "Erdos-Renyi graph with random edge probabilities", kRandomParameters, &make_random},
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
