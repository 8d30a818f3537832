#include "tasfg/model/graph_families.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {
namespace {

GraphAndMeans make(std::string_view family, const Parameters& parameters) {
  return make_graph(graph_family(family, "test"), parameters, "test");
}

void expect_matrix(const FeedbackGraph& graph, const std::vector<std::vector<double>>& expected) {
  ASSERT_EQ(graph.size(), static_cast<int>(expected.size()));
  for (int v = 0; v < graph.size(); ++v)
    for (int u = 0; u < graph.size(); ++u)
      EXPECT_DOUBLE_EQ(graph(v, u), expected[static_cast<std::size_t>(v)][static_cast<std::size_t>(u)])
          << v << "," << u;
}

TEST(GraphFamilies, EveryRowBuildsAValidInstanceFromItsDefaults) {
  for (const GraphFamily& family : graph_families()) {
    if (family.name == "file") continue;
    const GraphAndMeans made = make(family.name, {});
    const Instance instance(made.graph, made.means, Gaussian{1.0});
    EXPECT_GE(instance.size(), 2) << family.name;
  }
}

TEST(GraphFamilies, EveryRowIsTheMatrixOfItsDefinition) {
  struct Expected {
    const char* family;
    Parameters parameters;
    std::vector<std::vector<double>> matrix;
  };
  const Parameters star{{"K", 4.0}, {"p", 0.2}, {"q", 0.5}, {"r", 0.1}};
  const std::vector<std::vector<double>> star_matrix = {
      {.5, .1, .1, .2}, {0, .6, 0, 0}, {0, 0, .6, 0}, {0, 0, 0, .8}};
  const Parameters symmetric{{"p", 0.5}, {"q", 1.0}, {"r", 0.25}};
  const auto as_published = [](Parameters parameters) {
    parameters.emplace("parity", std::string("reference"));
    return parameters;
  };
  const Expected all[] = {
      {"bandit", {{"K", 2.0}, {"p", 0.7}}, {{.7, 0}, {0, .7}}},
      {"full", {{"K", 2.0}, {"p", 0.7}}, {{.7, .7}, {.7, .7}}},
      {"apple-tasting", {{"p", 0.7}}, {{.7, .7}, {0, 0}}},
      {"revealing-action", {{"K", 3.0}, {"p", 0.7}}, {{.7, .7, .7}, {0, 0, 0}, {0, 0, 0}}},
      {"ring", {{"K", 4.0}, {"p", 0.3}}, {{0, .3, 0, .7}, {.7, 0, .3, 0}, {0, .7, 0, .3}, {.3, 0, .7, 0}}},
      {"torus", {{"K", 4.0}, {"p", 0.3}}, {{0, .3, .3, 0}, {.3, 0, 0, .3}, {.3, 0, 0, .3}, {0, .3, .3, 0}}},
      {"torus", {{"K", 3.0}, {"p", 0.3}}, {{0, .3, .3}, {.3, 0, .3}, {.3, .3, 0}}},
      {"loopless-clique", {{"K", 3.0}, {"p", 0.6}}, {{0, .4, .6}, {.3, 0, .3}, {.2, .8, 0}}},
      {"loopless-clique", as_published({{"K", 3.0}, {"p", 0.6}}), {{0, .6, .4}, {.7, 0, .7}, {.8, .2, 0}}},
      {"loopy-star", star, star_matrix},
      {"loopy-star-alt", star, star_matrix},
      {"symmetric", symmetric, {{.5, 1, .25}, {0, 0, 0}, {.25, 1, .5}}},
      {"symmetric", as_published(symmetric), {{.5, 1, .25}, {0, 0, 0}, {.5, 1, .25}}},
  };
  // These have tests of their own.
  std::set<std::string_view> tested = {"random", "k-regular", "power-law", "geometric", "file"};
  for (const Expected& each : all) {
    SCOPED_TRACE(each.family);
    expect_matrix(make(each.family, each.parameters).graph, each.matrix);
    tested.insert(each.family);
  }
  for (const GraphFamily& family : graph_families()) EXPECT_TRUE(tested.contains(family.name)) << family.name;
}

TEST(GraphFamilies, TheBestVertexOfALoopyStarIsTheLastOrTheFirst) {
  EXPECT_EQ(make("loopy-star", {{"K", 4.0}}).means, (std::vector<double>{.5, .5, .5, 1}));
  EXPECT_EQ(make("loopy-star-alt", {{"K", 4.0}}).means, (std::vector<double>{1, .5, .5, .5}));
  EXPECT_EQ(make("loopy-star", {{"p", 0.7}}).graph(1, 1), 0.0);  // (1-2p)+
}

TEST(GraphFamilies, LoopyStarAltTakesRFromQAndK) {
  EXPECT_DOUBLE_EQ(make("loopy-star-alt", {{"K", 5.0}}).graph(0, 1), 0.125 / 4);
  EXPECT_DOUBLE_EQ(make("loopy-star-alt", {{"K", 9.0}, {"q", 0.1}}).graph(0, 1), 0.25 * 0.8 / 8);
}

TEST(GraphFamilies, RandomGraphsAreObservableAndFixedByTheirSeed) {
  for (int seed = 0; seed < 50; ++seed) {
    const Parameters parameters{{"K", 20.0}, {"p", 0.05}, {"q", 0.2}, {"r", 0.4}, {"seed", double(seed)}};
    const FeedbackGraph graph = make("random", parameters).graph;
    const FeedbackGraph again = make("random", parameters).graph;
    for (int u = 0; u < 20; ++u) {
      EXPECT_FALSE(graph.in(u).empty());
      for (const Edge& edge : graph.in(u)) {
        EXPECT_GE(edge.probability, 0.2);
        EXPECT_LE(edge.probability, 0.4);
        EXPECT_EQ(again(edge.vertex, u), edge.probability);
      }
    }
  }
  EXPECT_NE(make("random", {{"seed", 1.0}}).graph(0, 0), make("random", {{"seed", 2.0}}).graph(0, 0));
}

TEST(GraphFamilies, ATorusShowsItsFourNeighbours) {
  const FeedbackGraph graph = make("torus", {{"K", 20.0}, {"p", 0.25}}).graph;  // 4 rows of 5
  for (int v = 0; v < 20; ++v) {
    const int row = v / 5, column = v % 5;
    const std::set<int> expected = {row * 5 + (column + 1) % 5, row * 5 + (column + 4) % 5,
                                    (row + 1) % 4 * 5 + column, (row + 3) % 4 * 5 + column};
    std::set<int> shown;
    for (const Edge& edge : graph.out(v)) shown.insert(edge.vertex);
    EXPECT_EQ(shown, expected) << v;
  }
  EXPECT_THROW((void)make("torus", {{"K", 20.0}, {"rows", 3.0}}), InputError);
  EXPECT_EQ(make("torus", {{"K", 20.0}, {"rows", 1.0}}).graph.edge_count(), 40);  // a ring
}

TEST(GraphFamilies, RegularGraphsHaveTheirDegreesForEveryKAndDegree) {
  for (int K = 2; K <= 12; ++K)
    for (int k = 1; k < K; ++k)
      for (int seed = 0; seed < 20; ++seed) {
        const FeedbackGraph graph =
            make("k-regular", {{"K", double(K)}, {"k", double(k)}, {"seed", double(seed)}}).graph;
        for (int v = 0; v < K; ++v) {
          ASSERT_EQ(graph.out(v).size(), static_cast<std::size_t>(k)) << K << " " << k << " " << seed;
          ASSERT_EQ(graph.in(v).size(), static_cast<std::size_t>(k));
          ASSERT_FALSE(graph.has_edge(v, v));
        }
      }
  EXPECT_THROW((void)make("k-regular", {{"K", 5.0}, {"k", 5.0}}), InputError);
}

TEST(GraphFamilies, PowerLawGraphsGrowByTheirEdgesTowardsHubs) {
  constexpr int kSize = 3000, kMet = 3;
  const FeedbackGraph graph =
      make("power-law", {{"K", double(kSize)}, {"m", double(kMet)}, {"seed", 5.0}}).graph;
  EXPECT_EQ(graph.edge_count(), 2 * (kMet * (kMet + 1) / 2 + (kSize - kMet - 1) * kMet));
  std::size_t most = 0, few = 0;
  for (int v = 0; v < kSize; ++v) {
    ASSERT_GE(graph.out(v).size(), kMet);
    most = std::max(most, graph.out(v).size());
    few += graph.out(v).size() == kMet ? 1 : 0;
    for (const Edge& edge : graph.out(v)) ASSERT_TRUE(graph.has_edge(edge.vertex, v));
  }
  // Of degree d there are a share of 2m(m+1)/(d(d+1)(d+2)), and the largest is some m·sqrt(K).
  EXPECT_NEAR(double(few) / kSize, 2.0 / (kMet + 2), 0.03);
  EXPECT_GT(most, 60U);
}

TEST(GraphFamilies, GeometricGraphsJoinWhoIsNear) {
  // More radius never takes an edge away, and nobody is alone.
  const auto edges = [](double radius) {
    const FeedbackGraph graph = make("geometric", {{"K", 200.0}, {"radius", radius}, {"seed", 3.0}}).graph;
    std::set<std::pair<int, int>> pairs;
    for (int v = 0; v < graph.size(); ++v) {
      EXPECT_FALSE(graph.out(v).empty());
      for (const Edge& edge : graph.out(v)) {
        pairs.emplace(v, edge.vertex);
        EXPECT_TRUE(graph.has_edge(edge.vertex, v));
      }
    }
    return pairs;
  };
  std::set<std::pair<int, int>> last;
  for (const double radius : {0.05, 0.1, 0.2, 0.4}) {
    const auto now = edges(radius);
    EXPECT_TRUE(std::includes(now.begin(), now.end(), last.begin(), last.end())) << radius;
    // A point has πr²K neighbours, fewer near the border.
    const double expected = 3.14159 * radius * radius * 200 * 200;
    EXPECT_LT(static_cast<double>(now.size()), 1.3 * expected + 60) << radius;
    EXPECT_GT(static_cast<double>(now.size()), 0.5 * expected) << radius;
    last = now;
  }
  EXPECT_EQ(edges(1.5).size(), 200U * 199U);
}

TEST(GraphFamilies, LargeGraphsAreHeldByTheirEdges) {
  for (const char* family : {"bandit", "ring", "torus", "k-regular", "power-law", "geometric"}) {
    const FeedbackGraph graph = make(family, {{"K", 20000.0}}).graph;
    EXPECT_FALSE(graph.has_matrix()) << family;
    EXPECT_LT(graph.edge_count(), 200'000U) << family;
    EXPECT_EQ(graph(7, graph.out(7).front().vertex), graph.out(7).front().probability);
    EXPECT_EQ(graph(7, 19'777), 0.0);
  }
  EXPECT_THROW((void)make("full", {{"K", 5000.0}}), InputError);
}

/// Draws the affine parameters of a family, each between two neighbouring kinks, and others anywhere.
class AffineDraws {
 public:
  AffineDraws(const GraphFamily& family, std::uint64_t seed)
      : family_(family), stream_(stream_key(0x616666696eULL, seed)) {
    for (const ParameterSpec& spec : family.parameters) {
      if (spec.kind == ParameterKind::word) {
        const auto i = static_cast<std::size_t>(stream_.uniform() * static_cast<double>(spec.words.size()));
        fixed_.emplace(spec.name, std::string(spec.words[i]));
      } else if (spec.dependence == Dependence::affine) {
        if (spec.computed != nullptr && stream_.uniform() < 0.5)
          continue;  // its default, which follows others
        std::vector<double> ends = {spec.low, spec.high};
        ends.insert(ends.end() - 1, spec.kinks.begin(), spec.kinks.end());
        const auto piece = static_cast<std::size_t>(stream_.uniform() * static_cast<double>(ends.size() - 1));
        pieces_.push_back({spec.name, ends[piece], ends[piece + 1]});
      } else if (spec.name == "K" && spec.high > spec.low) {
        fixed_.emplace(spec.name, std::floor(std::max(spec.low, 4.0) + stream_.uniform() * 5.0));
      } else if (spec.kind == ParameterKind::integer) {
        fixed_.emplace(spec.name, spec.computed != nullptr ? 1.0 : spec.fallback);
      } else {
        fixed_.emplace(spec.name, spec.low + stream_.uniform() * (spec.high - spec.low));
      }
    }
  }

  Parameters point() {
    Parameters all = fixed_;
    for (const Piece& each : pieces_)
      all.emplace(each.name, each.low + (each.high - each.low) * stream_.uniform());
    return all;
  }

  /// The largest difference between the matrix at a point of the line between two points and what lies there
  /// on the line between their matrices.
  double departure() {
    const Parameters a = point();
    const Parameters b = point();
    const double t = stream_.uniform();
    Parameters c = a;
    for (const Piece& each : pieces_)
      std::get<double>(c.find(each.name)->second) +=
          t * (std::get<double>(b.find(each.name)->second) - std::get<double>(a.find(each.name)->second));
    const FeedbackGraph A = make_graph(family_, a, "test").graph;
    const FeedbackGraph B = make_graph(family_, b, "test").graph;
    const FeedbackGraph C = make_graph(family_, c, "test").graph;
    double worst = 0.0;
    for (std::size_t i = 0; i < A.row_major().size(); ++i)
      worst =
          std::max(worst, std::abs(C.row_major()[i] - (1.0 - t) * A.row_major()[i] - t * B.row_major()[i]));
    return worst;
  }

 private:
  struct Piece {
    std::string_view name;
    double low, high;
  };
  const GraphFamily& family_;
  PhiloxStream stream_;
  Parameters fixed_;
  std::vector<Piece> pieces_;
};

/// Over many draws; those that the family refuses (random: q above r) do not count.
double worst_departure(const GraphFamily& family) {
  double worst = 0.0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    AffineDraws draws(family, seed);
    try {
      for (int i = 0; i < 5; ++i) worst = std::max(worst, draws.departure());
    } catch (const InputError&) {
    }
  }
  return worst;
}

TEST(GraphFamilies, EveryMatrixIsAffineInTheParametersThatSaySo) {
  for (const GraphFamily& family : graph_families()) {
    if (family.reads_file()) continue;
    EXPECT_LE(worst_departure(family), 1e-15) << family.name;
  }
}

TEST(GraphFamilies, AWrongKinkOrAWrongDependenceIsFound) {
  const double elsewhere[] = {0.49};
  for (const char* name : {"loopy-star", "loopy-star-alt"}) {
    const GraphFamily& right = graph_family(name, "test");
    for (const char* parameter : {"p", "q"}) {
      std::vector<ParameterSpec> specs(right.parameters.begin(), right.parameters.end());
      for (ParameterSpec& spec : specs) {
        if (spec.name != parameter || spec.kinks.empty()) continue;
        for (const std::span<const double> wrong :
             {std::span<const double>(elsewhere), std::span<const double>()}) {
          spec.kinks = wrong;
          GraphFamily family = right;
          family.parameters = specs;
          EXPECT_GT(worst_departure(family), 1e-4) << name << " " << parameter;
        }
      }
    }
  }
  GraphFamily random = graph_family("random", "test");
  std::vector<ParameterSpec> specs(random.parameters.begin(), random.parameters.end());
  specs[1].dependence = Dependence::affine;  // the share of edges that exist
  random.parameters = specs;
  EXPECT_GT(worst_departure(random), 0.1);
}

TEST(GraphFamilies, RefuseBadParametersWithTheNearestName) {
  const auto message = [](std::string_view family, const Parameters& parameters) -> std::string {
    try {
      (void)make(family, parameters);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("rnig", {}), "test: unknown graph family \"rnig\" (did you mean \"ring\"?)");
  EXPECT_EQ(message("ring", {{"k", 5.0}}),
            "test: unknown parameter \"k\" of graph family ring (did you mean \"K\"?)");
  EXPECT_EQ(message("ring", {{"p", 1.3}}), "test: p = 1.3 (must lie in [0, 1])");
  EXPECT_EQ(message("ring", {{"K", 1.0}}), "test: K = 1 (must be a whole number from 3 to 1000000)");
  EXPECT_EQ(message("ring", {{"K", 5.5}}), "test: K = 5.5 (must be a whole number from 3 to 1000000)");
  EXPECT_EQ(message("apple-tasting", {{"K", 3.0}}), "test: K = 3 (must be 2)");
  EXPECT_EQ(message("loopless-clique", {{"parity", std::string("odd")}}),
            "test: parity = \"odd\" (known: paper, reference)");
  EXPECT_EQ(message("loopless-clique", {{"parity", 1.0}}), "test: parity = 1 (must be text)");
  EXPECT_EQ(message("file", {}), "test: graph family file needs path");
  EXPECT_EQ(message("random", {{"q", 0.9}, {"r", 0.1}}),
            "test: q = 0.9 (must not exceed r = 0.1: they bound the edge probabilities)");
}

}  // namespace
}  // namespace tasfg
