#include <cmath>
#include <memory>

#include "commands.hpp"
#include "instance_options.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tasfg/algo/conventions.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/solve/allocations.hpp"
#include "tasfg/solve/bounds.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {
namespace {

using Json = nlohmann::ordered_json;

/// Everything that `tasfg solve` reports.
struct Solved {
  CharacteristicTime time;
  std::vector<double> heuristic, argmax, top_k;
  double T_heuristic, T_uniform, T_argmax, T_top_k;
  GraphQuantities quantities;
  PaperBounds bounds;
};

Solved analyse(const Instance& instance, const SolveOptions& options) {
  const ModelView model = view_of(instance);
  Solved report{};
  report.time = characteristic_time(instance, options);
  report.heuristic = heuristic_allocation(model);
  report.argmax = argmax_allocation(model);
  report.top_k = top_k_allocation(model);
  report.T_heuristic = time_of(model, report.heuristic);
  report.T_uniform = time_of(model, uniform_allocation(model.K));
  report.T_argmax = time_of(model, report.argmax);
  report.T_top_k = time_of(model, report.top_k);
  report.quantities = graph_quantities(instance.graph());
  report.bounds = paper_bounds(instance, report.quantities);
  return report;
}

double norm(const std::vector<double>& x) {
  double total = 0.0;
  for (const double value : x) total += value * value;
  return std::sqrt(total);
}

/// JSON has no infinity: null, which here always means "infinite" or "not applicable".
Json to_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json to_json(const std::optional<double>& value) {
  return value ? to_json(*value) : Json(nullptr);
}
Json to_json(const Count& count) {
  return count.exact() ? Json(count.lower) : Json{{"lower", count.lower}, {"upper", count.upper}};
}

Json to_json(const Instance& instance, const Solved& r) {
  Json out;
  out["T_star"] = to_json(r.time.upper);
  out["T_star_lower"] = to_json(r.time.lower);
  out["relative_gap"] = r.time.gap();
  out["status"] = to_string(r.time.status);
  out["iterations"] = r.time.iterations;
  out["K"] = instance.size();
  out["best"] = instance.best();
  out["means"] = instance.means();
  out["reward"] = row_of(instance.reward()).name;
  Json rows = Json::array();
  for (int v = 0; v < instance.size(); ++v) {
    const auto row = instance.graph().row_major().subspan(
        static_cast<std::size_t>(v) * static_cast<std::size_t>(instance.size()),
        static_cast<std::size_t>(instance.size()));
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  out["G"] = std::move(rows);
  out["omega"] = r.time.allocation;
  out["omega_face_dimension"] = r.time.face_dimension;
  out["m"] = r.time.observation;
  out["m_norm"] = norm(r.time.observation);
  out["certificate_weights"] = r.time.weights;
  out["T_heuristic"] = to_json(r.T_heuristic);
  out["omega_heuristic"] = r.heuristic;
  out["tv_heuristic"] = total_variation(r.time.allocation, r.heuristic);
  out["T_uniform"] = to_json(r.T_uniform);
  out["T_argmax"] = to_json(r.T_argmax);
  out["omega_argmax"] = r.argmax;
  out["T_topk"] = to_json(r.T_top_k);
  out["omega_topk"] = r.top_k;
  out["graph"] = {{"observability", to_string(r.quantities.observability)},
                  {"alpha", to_json(r.quantities.independence)},
                  {"weak_domination", to_json(r.quantities.weak_domination)},
                  {"domination", to_json(r.quantities.domination)},
                  {"self_loops", r.quantities.self_loops.size()},
                  {"edges", instance.graph().edge_count()},
                  {"W", r.quantities.weak},
                  {"SO", r.quantities.strong},
                  {"L", r.quantities.self_loops},
                  {"independent_set", r.quantities.independent_set},
                  {"weak_dominating_set", r.quantities.weak_dominating_set},
                  {"dominating_set", r.quantities.dominating_set}};
  out["bounds"] = {{"general", to_json(r.bounds.general)},
                   {"loopless_clique", to_json(r.bounds.loopless_clique)},
                   {"heuristic", to_json(r.bounds.heuristic)}};
  return out;
}

std::string show(double value) {
  return std::isfinite(value) ? fmt::format("{:.10g}", value) : "infinite";
}
std::string show(const Count& count) {
  return count.exact() ? fmt::format("{}", count.lower) : fmt::format("{}..{}", count.lower, count.upper);
}

void print_table(const Instance& instance, const Solved& r, const std::string& title) {
  constexpr int kMostRows = 40;
  fmt::print("{}; {} rewards\n\n", title, row_of(instance.reward()).name);
  fmt::print("  {:<24}{}\n", "T*", show(r.time.upper));
  fmt::print("  {:<24}{}   (relative gap {:.1e}, {} in {} iterations)\n", "certified lower end",
             show(r.time.lower), r.time.gap(), to_string(r.time.status), r.time.iterations);
  const auto worth = [&](const char* name, double T) {
    fmt::print("  {:<24}{}{}\n", name, show(T),
               std::isfinite(T) ? fmt::format("   ({:.3f} T*)", T / r.time.upper)
                                : "   (leaves a vertex unobserved)");
  };
  worth("T, heuristic", r.T_heuristic);
  worth("T, uniform", r.T_uniform);
  worth("T, argmax set", r.T_argmax);
  worth("T, top-k dominating", r.T_top_k);
  const GraphQuantities& q = r.quantities;
  fmt::print("\n  {}ly observable; alpha {}, weak domination {}, domination {}, self-loops {}, edges {}\n",
             to_string(q.observability), show(q.independence), show(q.weak_domination), show(q.domination),
             q.self_loops.size(), instance.graph().edge_count());
  const auto bound = [](const char* name, const std::optional<double>& value) {
    if (value) fmt::print("  {:<24}{}\n", name, show(*value));
  };
  bound("Prop. 1 bound on T*", r.bounds.general);
  bound("Prop. 2 bound on T*", r.bounds.loopless_clique);
  bound("Prop. 3 bound on T_heur", r.bounds.heuristic);
  if (r.time.face_dimension > 0)
    fmt::print("\n  omega* is not unique: a face of dimension {}; its analytic centre is shown\n",
               r.time.face_dimension);
  fmt::print("\n  {:>6} {:>12} {:>12} {:>12} {:>12}\n", "vertex", "mean", "omega*", "m*", "omega_heur");
  for (int v = 0; v < std::min(instance.size(), kMostRows); ++v) {
    const auto i = static_cast<std::size_t>(v);
    fmt::print("  {:>5}{} {:>12.6g} {:>12.6f} {:>12.6f} {:>12.6f}\n", v, v == instance.best() ? '*' : ' ',
               instance.mean(v), r.time.allocation[i], r.time.observation[i], r.heuristic[i]);
  }
  if (instance.size() > kMostRows)
    fmt::print("  ... {} more; --json prints all\n", instance.size() - kMostRows);
}

}  // namespace

void add_solve_command(Command& app, int& status) {
  struct Options {
    InstanceOptions instance;
    std::string conventions = "paper";
    double gap = SolveOptions{}.gap;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand(
      "solve", "one instance: T* with its certificate, allocations, graph quantities, bounds");
  options->instance.add_to(*command);
  command
      ->add_option("--conventions", options->conventions,
                   "paper or reference: the default parity of the graph")
      ->capture_default_str();
  command->add_option("--gap", options->gap, "certified relative gap to aim at")
      ->number(1e-13, 0.1)
      ->capture_default_str();
  command->add_flag("--json", options->json, "print one JSON object (null: infinite or not applicable)");
  command->footer(
      "Examples:\n  tasfg solve --graph ring -P K=15 -P p=0.3\n"
      "  tasfg solve --graph-file G.csv --means 0.3,0.5,0.45 --reward bernoulli --json");
  command->callback([options, &status] {
    const std::string parity =
        kConventionNames[named_value(kConventionNames, options->conventions, "--conventions")];
    const Instance instance = options->instance.instance(parity);
    SolveOptions solve;
    solve.gap = options->gap;
    const Solved report = analyse(instance, solve);
    if (report.time.status == SolveStatus::infeasible)
      throw InputError(remark("T* is out of a double's range", "some vertex is hardly ever seen"));
    if (options->json)
      fmt::print("{}\n", to_json(instance, report).dump(2));
    else
      print_table(instance, report, options->instance.describe(parity));
    status = 0;
  });
}

}  // namespace tasfg
