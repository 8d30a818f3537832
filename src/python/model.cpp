/// Graphs, instances and their solutions.
#include "model.hpp"

#include <atomic>
#include <cmath>
#include <optional>
#include <thread>

#include "arrays.hpp"
#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_csv.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/model/graph_source.hpp"
#include "tasfg/model/vertex_names.hpp"
#include "tasfg/solve/allocations.hpp"
#include "tasfg/solve/bounds.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg::python {
namespace {

namespace nb = nanobind;

GraphModel family_graph(const std::string& name, const std::map<std::string, ParameterValue>& given) {
  const GraphFamily& family = graph_family(name, "tasfg.graph");
  const Parameters parameters(given.begin(), given.end());
  const Parameters complete = complete_parameters(family, parameters, "tasfg.graph");
  std::string text;
  for (const ParameterSpec& spec : family.parameters)
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ", spec.name, to_text(complete.find(spec.name)->second));
  GraphAndMeans made = graph_of(family, parameters, "tasfg.graph", &read_graph_csv);
  return {std::make_shared<FeedbackGraph>(std::move(made.graph)), std::move(made.means), name, text};
}

GraphModel matrix_graph(const Doubles<2>& matrix, ModelOrigin origin) {
  if (matrix.shape(0) != matrix.shape(1))
    throw InputError(origin.text, remark(fmt::format("a matrix of {} x {}", matrix.shape(0), matrix.shape(1)),
                                         "must be K x K: the row chosen, the column shown"));
  const std::size_t K = matrix.shape(0);
  std::vector<double> values(matrix.data(), matrix.data() + K * K);
  auto graph = std::make_shared<FeedbackGraph>(static_cast<int>(K), std::move(values), origin);
  return {std::move(graph), rising_means(static_cast<int>(K)), "matrix", fmt::format("K={}", K)};
}

/// What `tasfg solve` reports of one instance; all but T* and its allocation are computed when asked for.
struct Solution {
  std::shared_ptr<const Instance> instance;
  CharacteristicTime time;

  [[nodiscard]] ModelView model() const { return view_of(*instance); }
};

Solution solve(const InstanceModel& model, double gap) {
  SolveOptions options;
  options.gap = gap;
  Solution solution{model.instance, characteristic_time(*model.instance, options)};
  if (solution.time.status == SolveStatus::infeasible)
    throw InputError(remark("T* is out of a double's range", "some vertex is hardly ever seen"));
  return solution;
}

nb::object number(const Count& count) {
  if (count.exact()) return nb::cast(count.lower);
  return nb::make_tuple(count.lower, count.upper);
}

/// As the object `graph` of `tasfg solve --json`.
nb::dict quantities_of(const Instance& instance) {
  const GraphQuantities found = graph_quantities(instance.graph());
  nb::dict out;
  out["observability"] = to_string(found.observability);
  out["alpha"] = number(found.independence);
  out["weak_domination"] = number(found.weak_domination);
  out["domination"] = number(found.domination);
  out["self_loops"] = found.self_loops.size();
  out["edges"] = instance.graph().edge_count();
  out["W"] = found.weak;
  out["SO"] = found.strong;
  out["L"] = found.self_loops;
  out["independent_set"] = found.independent_set;
  out["weak_dominating_set"] = found.weak_dominating_set;
  out["dominating_set"] = found.dominating_set;
  return out;
}

nb::dict bounds_of(const Instance& instance) {
  const PaperBounds found = paper_bounds(instance, graph_quantities(instance.graph()));
  nb::dict out;
  out["general"] = found.general;
  out["loopless_clique"] = found.loopless_clique;
  out["heuristic"] = found.heuristic;
  return out;
}

/// Solves many instances on so many threads; arrays (case), (case, vertex) with NaN past K.
nb::dict solve_many(const std::vector<InstanceModel>& models, double gap, int threads) {
  std::size_t most = 0;
  for (const InstanceModel& each : models)
    most = std::max(most, static_cast<std::size_t>(each.instance->size()));
  const std::size_t n = models.size();
  Filled<double> upper({n}, kNaN), lower({n}, kNaN), heuristic({n}, kNaN), uniform({n}, kNaN);
  Filled<double> omega({n, most}, kNaN), m({n, most}, kNaN), omega_heuristic({n, most}, kNaN);
  Filled<std::int32_t> iterations({n}, -1), face({n}, -1), status({n}, -1);
  SolveOptions options;
  options.gap = gap;
  {
    const nb::gil_scoped_release released;
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < n; i = next++) {
        const Instance& instance = *models[i].instance;
        const ModelView model = view_of(instance);
        const CharacteristicTime time = characteristic_time(instance, options);
        const std::vector<double> other = heuristic_allocation(model);
        upper.data()[i] = time.upper;
        lower.data()[i] = time.lower;
        heuristic.data()[i] = time_of(model, other);
        uniform.data()[i] = time_of(model, uniform_allocation(model.K));
        std::copy(time.allocation.begin(), time.allocation.end(), omega.data() + i * most);
        std::copy(time.observation.begin(), time.observation.end(), m.data() + i * most);
        std::copy(other.begin(), other.end(), omega_heuristic.data() + i * most);
        iterations.data()[i] = time.iterations;
        face.data()[i] = time.face_dimension;
        status.data()[i] = static_cast<std::int32_t>(time.status);
      }
    };
    std::vector<std::jthread> workers;
    for (int i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
  }
  nb::dict out;
  out["T_star"] = upper.release();
  out["T_star_lower"] = lower.release();
  out["T_heuristic"] = heuristic.release();
  out["T_uniform"] = uniform.release();
  out["omega"] = omega.release();
  out["omega_heuristic"] = omega_heuristic.release();
  out["m"] = m.release();
  out["iterations"] = iterations.release();
  out["face_dimension"] = face.release();
  out["status"] = status.release();
  return out;
}

void bind_graph(nb::module_& module) {
  nb::class_<GraphModel>(module, "GraphModel")
      .def_prop_ro("size", [](const GraphModel& g) { return g.graph->size(); })
      .def_prop_ro("matrix",
                   [](const GraphModel& g) {
                     const auto K = static_cast<std::size_t>(g.graph->size());
                     Filled<double> out({K, K}, 0.0);
                     std::copy(g.graph->row_major().begin(), g.graph->row_major().end(), out.data());
                     return out.release();
                   })
      .def_prop_ro("edge_count", [](const GraphModel& g) { return g.graph->edge_count(); })
      .def_prop_ro("means", [](const GraphModel& g) { return array_of(g.means); })
      .def_ro("family", &GraphModel::family)
      .def_ro("parameters", &GraphModel::parameters);
  module.def("family_graph", &family_graph);
  module.def("matrix_graph",
             [](const Doubles<2>& matrix, const std::string& origin, std::vector<std::string> names) {
               return matrix_graph(matrix, ModelOrigin(origin, std::move(names)));
             });
  module.def("graph_families", [] {
    std::vector<std::string> names;
    for (const GraphFamily& family : graph_families()) names.emplace_back(family.name);
    return names;
  });
}

void bind_instance(nb::module_& module) {
  nb::class_<InstanceModel>(module, "InstanceModel")
      .def_prop_ro("size", [](const InstanceModel& i) { return i.instance->size(); })
      .def_prop_ro("best", [](const InstanceModel& i) { return i.instance->best(); })
      .def_prop_ro("means", [](const InstanceModel& i) { return array_of(i.instance->means()); })
      .def_prop_ro("reward",
                   [](const InstanceModel& i) { return std::string(row_of(i.instance->reward()).name); })
      .def_prop_ro("variance",
                   [](const InstanceModel& i) { return parameter_of(i.instance->reward(), "variance"); });
  module.def("instance", [](const GraphModel& graph, std::vector<double> means, const std::string& reward,
                            const std::map<std::string, double>& parameters, const std::string& origin,
                            std::vector<std::string> names, std::string advice) {
    ModelOrigin from(origin, std::move(names));
    from.advice = std::move(advice);
    return InstanceModel{
        std::make_shared<Instance>(*graph.graph, std::move(means), reward_named(reward, parameters), from)};
  });
}

void bind_solution(nb::module_& module) {
  using Form = std::vector<double> (*)(const ModelView&);
  const auto allocation = [](Form form) {
    return [form](const Solution& s) { return array_of(form(s.model())); };
  };
  const auto worth = [](Form form) {
    return [form](const Solution& s) { return time_of(s.model(), form(s.model())); };
  };
  nb::class_<Solution>(module, "Solution", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro("T_star", [](const Solution& s) { return s.time.upper; })
      .def_prop_ro("T_star_lower", [](const Solution& s) { return s.time.lower; })
      .def_prop_ro("relative_gap", [](const Solution& s) { return s.time.gap(); })
      .def_prop_ro("status", [](const Solution& s) { return std::string(to_string(s.time.status)); })
      .def_prop_ro("iterations", [](const Solution& s) { return s.time.iterations; })
      .def_prop_ro("omega", [](const Solution& s) { return array_of(s.time.allocation); })
      .def_prop_ro("m", [](const Solution& s) { return array_of(s.time.observation); })
      .def_prop_ro("omega_face_dimension", [](const Solution& s) { return s.time.face_dimension; })
      .def_prop_ro("certificate_weights", [](const Solution& s) { return array_of(s.time.weights); })
      .def_prop_ro("K", [](const Solution& s) { return s.instance->size(); })
      .def_prop_ro("best_index", [](const Solution& s) { return s.instance->best(); })
      .def_prop_ro("means", [](const Solution& s) { return array_of(s.instance->means()); })
      .def_prop_ro("omega_heuristic", allocation(&heuristic_allocation))
      .def_prop_ro("omega_argmax", allocation(&argmax_allocation))
      .def_prop_ro("omega_topk", allocation(&top_k_allocation))
      .def_prop_ro("T_heuristic", worth(&heuristic_allocation))
      .def_prop_ro("T_argmax", worth(&argmax_allocation))
      .def_prop_ro("T_topk", worth(&top_k_allocation))
      .def_prop_ro("T_uniform",
                   [](const Solution& s) { return time_of(s.model(), uniform_allocation(s.model().K)); })
      .def_prop_ro("tv_heuristic",
                   [](const Solution& s) {
                     return total_variation(s.time.allocation, heuristic_allocation(s.model()));
                   })
      .def_prop_ro("graph", [](const Solution& s) { return quantities_of(*s.instance); })
      .def_prop_ro("bounds", [](const Solution& s) { return bounds_of(*s.instance); });
  module.def("solve", &solve);
  module.def("solve_many", &solve_many);
}

}  // namespace

RewardFamily reward_named(const std::string& name, const std::map<std::string, double>& parameters) {
  RewardFamily reward = reward_family(name, "reward").defaults;
  for (const auto& [parameter, value] : parameters)
    placed(parameter,
           [&, value = value, &parameter = parameter] { set_parameter(reward, parameter, value); });
  return reward;
}

void bind_model(nb::module_& module) {
  bind_graph(module);
  bind_instance(module);
  bind_solution(module);
}

}  // namespace tasfg::python
