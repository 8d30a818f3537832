// Curves and maps against points in between: for every graph family, reward family and parameter that is
// certified, how many of 1000 random points lie outside the bounds; the same for 10 000 points of three maps;
// intervals against the tolerance.
//
//   ninja campaign_curves && tests/campaign_curves        (in a build folder; some minutes; `maps`: these
//   alone)
#include <cstdio>
#include <string_view>

#include "tasfg/base/error.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/base/stopwatch.hpp"
#include "tasfg/solve/curve_request.hpp"

namespace {

using namespace tasfg;

CurveRequest request_of(std::string_view family, const std::vector<CurveRange>& over, double tolerance,
                        const std::map<std::string, std::string>& parameters = {}) {
  CurveRequest request;
  request.family = family;
  request.over = over;
  request.parameters = parameters;
  request.reward = Gaussian{1.0};
  request.options = {.tolerance = tolerance, .divergent_width = over.size() > 1 ? 1e-3 : 1e-4};
  return request;
}

/// Random points of a plan whose T* lies outside the bounds of their cells, of so many.
int misses(const CurvePlan& plan, const Curve& curve, int points) {
  PhiloxStream stream(stream_key(0x63616d70ULL));
  CharacteristicTimeSolver solver;
  int count = 0;
  for (int i = 0; i < points; ++i) {
    const auto s = static_cast<std::size_t>(stream.uniform() * static_cast<double>(plan.slices.size()));
    const CurveSlice& slice = plan.slices[s];
    ParameterPoint inside{}, at = slice.sampled;
    std::size_t next = 0;
    for (std::size_t k = 0; k < plan.axes.size(); ++k) {
      if (!plan.axes[k].certified()) continue;
      at[k] = inside[next] = slice.whole.low[next] + slice.whole.width(next) * stream.uniform();
      ++next;
    }
    const PointSolution point = solve_point(slice.models.view(), slice.models.matrix(inside), solver);
    for (const Cell& cell : curve.cells) {
      bool here = true;
      for (std::size_t k = 0; k < plan.axes.size(); ++k)
        here = here && cell.box.low[k] <= at[k] && at[k] <= cell.box.high[k];
      if (here && (point.upper < cell.time.low || point.lower > cell.time.high)) ++count;
    }
  }
  return count;
}

void report(const char* what, const CurveRequest& request, int points) {
  const Stopwatch watch;
  const CurvePlan plan = plan_curve(request);
  const Curve curve = compute_curve(plan);
  const double seconds = watch.seconds();
  const int missed = misses(plan, curve, points);
  std::printf("%-52s %8zu cells %7.3f s  %d of %d points outside; %zu unresolved\n", what, curve.cells.size(),
              seconds, missed, points, curve.count(CellOutcome::unresolved));
  std::fflush(stdout);
}

void try_curves() {
  struct Rewards {
    const char* name;
    RewardFamily family;
    double low, high;  // of the means
  };
  const Rewards all_rewards[] = {{"gaussian", Gaussian{1.0}, 0.0, 1.0},
                                 {"bernoulli", Bernoulli{}, 0.3, 0.7},
                                 {"poisson", Poisson{}, 0.5, 2.0},
                                 {"exponential", Exponential{}, 0.5, 2.0}};
  for (const GraphFamily& family : graph_families()) {
    for (const ParameterSpec& spec : family.parameters) {
      if (spec.dependence != Dependence::affine) continue;
      for (const Rewards& rewards : all_rewards) {
        std::map<std::string, std::string> fixed;
        if (family.name == "random")
          fixed.emplace(spec.name == "q" ? "r" : "q", spec.name == "q" ? "1" : "0");
        CurveRequest request = request_of(family.name, {{std::string(spec.name), 0.0, 1.0}}, 1e-3, fixed);
        request.means = plan_curve(request).slices[0].models.means;
        for (double& mean : request.means) mean = rewards.low + (rewards.high - rewards.low) * mean;
        request.reward = rewards.family;
        report((std::string(family.name) + " over " + std::string(spec.name) + ", " + rewards.name).c_str(),
               request, 1000);
      }
    }
  }
}

void try_maps() {
  report("map: loopy-star p, q", request_of("loopy-star", {{"p", 0, 1}, {"q", 0, 1}}, 0.02), 10000);
  report("map: loopless-clique p, K", request_of("loopless-clique", {{"p", 0.005, 1}, {"K", 3, 15}}, 0.02),
         10000);
  report("map: symmetric p, p'", request_of("symmetric", {{"p", 0, 1}, {"r", 0, 1}}, 0.02), 10000);
}

void try_tolerances() {
  for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const Stopwatch watch;
    const Curve curve = compute_curve(
        plan_curve(request_of("loopy-star", {{"p", 0, 1}}, tolerance, {{"q", "1"}, {"r", "0.25"}})));
    std::printf("loopy-star q=1 r=1/4, tolerance %.0e: %zu intervals, %.2f s\n", tolerance,
                curve.cells.size(), watch.seconds());
    for (const CurveRegime& regime : curve.regimes)
      if (tolerance == 1e-3)
        std::printf("  regime changes in [%.13f, %.13f]\n", regime.change.low, regime.change.high);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool maps_alone = argc > 1 && std::string_view(argv[1]) == "maps";
  if (!maps_alone) try_curves();
  try_maps();
  if (!maps_alone) try_tolerances();
}
