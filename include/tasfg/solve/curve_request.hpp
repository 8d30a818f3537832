/// What a curve or a map of T* is over: one or two parameters of a graph family, the others fixed or
/// expressions of them. The plan (solve/curve.hpp) says in which of them T* is certified between points, and
/// why not in others.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tasfg/model/graph_families.hpp"
#include "tasfg/model/graph_source.hpp"
#include "tasfg/model/reward.hpp"
#include "tasfg/solve/curve.hpp"

namespace tasfg {

/// A range of a parameter of the family, or of a mean: "means[2]".
struct CurveRange {
  std::string name;
  double low = 0.0, high = 1.0;
};
/// "p=0:1".
[[nodiscard]] CurveRange parse_curve_range(const std::string& text, const std::string& origin);

/// What the options of a curve may be.
inline constexpr double kLeastTolerance = 1e-8, kMostTolerance = 10.0, kLeastWidth = 1e-9, kMostWidth = 1.0;
inline constexpr int kLeastSamples = 2, kMostSamples = 10'000;
/// Where nothing else is asked for, over so many parameters.
[[nodiscard]] RefineOptions usual_refinement(std::size_t parameters);

struct CurveRequest {
  std::string family;
  std::map<std::string, std::string> parameters;  // a number, a word or an expression of the others
  std::vector<double> means;                      // the family's own where empty
  RewardFamily reward;
  std::vector<CurveRange> over;  // one or two
  int samples = 101;             // of a parameter that is sampled; whole numbers are all taken
  GraphSource files;             // of family "file"
  RefineOptions options;
  /// Called at every point that is planned or computed, from several threads; what it throws ends the work.
  std::function<void()> glance;
};

/// Checks everything: nothing that a user can get wrong is found later.
[[nodiscard]] CurvePlan plan_curve(const CurveRequest& request);

}  // namespace tasfg
