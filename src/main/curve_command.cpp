#include <cmath>
#include <memory>

#include "commands.hpp"
#include "instance_options.hpp"
#include "provenance.hpp"
#include <fmt/format.h>

#include "tasfg/algo/conventions.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/stopwatch.hpp"
#include "tasfg/io/curve_file.hpp"
#include "tasfg/sweep/curve_run.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

struct CurveOptions {
  InstanceOptions instance;
  std::string conventions = "paper";
  std::vector<std::string> over;
  double tolerance = 0.0;  // 0: the default for one parameter or two
  double width = 0.0;      // the same
  int samples = CurveRequest{}.samples;
  int threads = 0;
  std::string output;
  bool csv = false;
};

CurveRequest request_of(const CurveOptions& options) {
  const std::string parity =
      kConventionNames[named_value(kConventionNames, options.conventions, "--conventions")];
  CurveRequest request = options.instance.curve_request(parity);
  for (const std::string& text : options.over) request.over.push_back(parse_curve_range(text, "--over"));
  request.options = usual_refinement(request.over.size());
  if (options.tolerance != 0.0) request.options.tolerance = options.tolerance;
  if (options.width != 0.0) request.options.divergent_width = options.width;
  request.samples = options.samples;
  if (!options.output.empty()) expect_place_for_curve(options.output);
  return request;
}

/// "inf" where T* is infinite.
std::string number(double value) {
  return std::isinf(value) ? "inf" : to_text(value);
}

/// Cells of one certified parameter lie between neighbouring points; sampled points have none.
void print_curve_csv(const Curve& curve) {
  fmt::print("{},T_star,T_star_lower,T_low_to_next,T_high_to_next\n", curve.axes[0].name);
  const bool certified = curve.axes[0].certified();
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const MapPoint& point = curve.points[i];
    fmt::print("{},{},{},", to_text(point.at[0]), number(point.upper), number(point.lower));
    if (certified && i < curve.cells.size())
      fmt::print("{},{}\n", number(curve.cells[i].time.low), number(curve.cells[i].time.high));
    else
      fmt::print(",\n");
  }
}

void print_map_csv(const Curve& curve) {
  fmt::print("{0}_low,{0}_high,{1}_low,{1}_high,T_low,T_high\n", curve.axes[0].name, curve.axes[1].name);
  for (const Cell& cell : curve.cells)
    fmt::print("{},{},{},{},{},{}\n", to_text(cell.box.low[0]), to_text(cell.box.high[0]),
               to_text(cell.box.low[1]), to_text(cell.box.high[1]), number(cell.time.low),
               number(cell.time.high));
}

std::string place_of(const Curve& curve, const Box& box) {
  std::string text;
  for (std::size_t k = 0; k < curve.axes.size(); ++k) {
    if (k > 0) text += ", ";
    text += box.low[k] == box.high[k] ? fmt::format("{} = {}", curve.axes[k].name, to_text(box.low[k]))
                                      : fmt::format("{} in [{}, {}]", curve.axes[k].name, to_text(box.low[k]),
                                                    to_text(box.high[k]));
  }
  return text;
}

std::string vertices_text(const char* what, const std::vector<int>& list) {
  if (list.empty()) return {};
  return fmt::format("; {} {}: {}", list.size() == 1 ? "vertex" : "vertices", what, fmt::join(list, ", "));
}

/// Neighbouring cells that are infinite throughout are named as one, along a curve.
void print_infinite(const Curve& curve) {
  constexpr std::size_t kMostNamed = 20;
  std::size_t named = 0, left = 0;
  for (std::size_t i = 0; i < curve.cells.size(); ++i) {
    const CellOutcome outcome = curve.cells[i].outcome;
    if (outcome == CellOutcome::certified) continue;
    Box box = curve.cells[i].box;
    while (outcome == CellOutcome::infinite && curve.axes.size() == 1 && i + 1 < curve.cells.size() &&
           curve.cells[i + 1].outcome == CellOutcome::infinite)
      box.high = curve.cells[++i].box.high;
    if (named == kMostNamed) {
      ++left;
      continue;
    }
    ++named;
    const std::string place = place_of(curve, box);
    if (outcome == CellOutcome::infinite)
      fmt::print("  T* is infinite: {}\n", place);
    else if (outcome == CellOutcome::diverges)
      fmt::print("  T* diverges: {} (T* >= {:.6g}; no tolerance holds there)\n", place,
                 curve.cells[i].time.low);
    else
      fmt::print("  tolerance not reached: {} (T* in [{}, {}])\n", place, number(curve.cells[i].time.low),
                 number(curve.cells[i].time.high));
  }
  if (left > 0) fmt::print("  and {} more such cells\n", left);
}

void print_summary(const Curve& curve, double seconds) {
  fmt::print("{}\n\n", curve.description);
  double least = kInfinity, most = 0.0;
  for (const MapPoint& point : curve.points) {
    least = std::min(least, point.lower);
    if (std::isfinite(point.upper)) most = std::max(most, point.upper);
  }
  fmt::print("  T* from {:.6g} to {:.6g} at {} points ({:.2f} s)\n", least, most, curve.points.size(),
             seconds);
  const bool any_certified = std::any_of(curve.axes.begin(), curve.axes.end(),
                                         [](const CurveAxis& axis) { return axis.certified(); });
  if (any_certified)
    fmt::print("  enclosed on {} {}, each within a factor of 1 + {}\n", curve.count(CellOutcome::certified),
               curve.axes.size() == 1 ? "intervals" : "cells", to_text(curve.options.tolerance));
  print_infinite(curve);
  for (const CurveRegime& regime : curve.regimes) {
    std::string where;
    for (std::size_t k = 0; k < curve.axes.size(); ++k)
      where += curve.axes[k].certified()
                   ? fmt::format("{}{} in [{:.12g}, {:.12g}]", where.empty() ? "" : ", ", curve.axes[k].name,
                                 regime.change.low, regime.change.high)
                   : fmt::format("{}{} = {}", where.empty() ? "" : ", ", curve.axes[k].name,
                                 to_text(regime.sampled[k]));
    const double width = regime.change.high - regime.change.low;
    fmt::print("  regime changes: {}{}{}{}\n", where, vertices_text("entering", regime.change.entering),
               vertices_text("leaving", regime.change.leaving),
               width > kRegimeWidth ? fmt::format("; bracketed to {:.1e} only", width) : "");
  }
}

int curve(const CurveOptions& options) {
  const CurvePlan plan = plan_curve(request_of(options));
  Link link;
  const Stopwatch watch;
  if (link.rank() == 0)
    for (const CurveAxis& axis : plan.axes)
      if (!axis.certified())
        say(fmt::format("{}: {}, so it is sampled; nothing is promised between its values", axis.name,
                        axis.sampled_because));
  const Curve result = run_curve(plan, link, options.threads);
  if (link.rank() != 0) return 0;
  if (!options.output.empty()) {
    const Provenance program = program_provenance();
    write_curve_file(options.output, result,
                     {program.version, program.commit, program.build,
                      fmt::format("--over {}", fmt::join(options.over, " --over "))});
  }
  if (!options.csv)
    print_summary(result, watch.seconds());
  else if (result.axes.size() == 1)
    print_curve_csv(result);
  else
    print_map_csv(result);
  if (const std::size_t missed = result.count(CellOutcome::unresolved); missed > 0)
    say(fmt::format("{} cells are as small as they get and not within the tolerance", missed));
  return 0;
}

}  // namespace

void add_curve_command(Command& app, int& status) {
  const auto options = std::make_shared<CurveOptions>();
  Command* command = app.add_subcommand(
      "curve", "T* over a range of one parameter, or a map over two, enclosed at every point in between");
  options->instance.add_to(*command);
  command
      ->add_option(
          "--over", options->over,
          "a parameter and its range, as p=0:1; twice for a map. Also K=3:15 and means[2]=0:0.5, sampled")
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", options->tolerance,
                   "largest ratio of the bounds on an interval or cell, less 1 (default: 0.001; map: 0.02)")
      ->number(kLeastTolerance, kMostTolerance);
  command
      ->add_option(
          "--width", options->width,
          "where T* is infinite: width to refine to, as a share of the range (default: 1e-4; map: 1e-3)")
      ->number(kLeastWidth, kMostWidth);
  command->add_option("--samples", options->samples, "values of a parameter that is sampled")
      ->whole(kLeastSamples, kMostSamples)
      ->capture_default_str();
  command
      ->add_option("--conventions", options->conventions,
                   "paper or reference: the default parity of the graph")
      ->capture_default_str();
  command->add_option("-o,--output", options->output,
                      "HDF5 file for points, cells and regimes (docs/curves.md)");
  command
      ->add_option("--threads", options->threads,
                   "threads of each rank (0: its share of the cores it may use)")
      ->whole(0, kMostThreads, "0: this rank's share of the cores")
      ->capture_default_str();
  command->add_flag("--csv", options->csv, "print a table instead of the summary");
  command->footer(
      "Parameters given by -P may be expressions of the others: -P r=p/2.\n\n"
      "Examples:\n  tasfg curve --graph loopy-star -P q=1 -P r=0.25 --over p=0:1 --tolerance 1e-3 --csv\n"
      "  mpirun -n 4 tasfg curve --graph loopy-star --over p=0:1 --over q=0:1 -o map.h5");
  command->callback([options, &status] { status = curve(*options); });
}

}  // namespace tasfg
