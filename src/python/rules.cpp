#include "rules.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tasfg/algo/rule_library.hpp"
#include "tasfg/algo/rules/external.hpp"
#include "tasfg/base/error.hpp"

namespace tasfg::python {
namespace {

namespace nb = nanobind;

/// The estimate of a run as its rule sees it. Arrays look into the run's own memory; where some of them
/// outlive the run, they take that memory over.
class EstimateView {
 public:
  /// Where the run's estimate ends up.
  struct Kept {
    std::unique_ptr<Estimate> estimate;
  };

  void look_at(const tasfg_estimate* now) { now_ = now; }
  /// The run ends.
  void part(Estimate& estimate) {
    if (now_ == nullptr) return;
    last_ = *now_;
    now_ = &last_;
    over_ = true;
    if (kept_ == nullptr) {
      last_.means = nullptr;
      return;
    }
    kept_->estimate = std::make_unique<Estimate>(std::move(estimate));
    last_.inner = kept_->estimate.get();
  }

  [[nodiscard]] const tasfg_estimate& now() const {
    if (now_ == nullptr) throw nb::value_error("the estimate is there during a run only");
    return *now_;
  }
  [[nodiscard]] const tasfg_estimate& with_arrays() const {
    if (over_ && last_.means == nullptr) throw nb::value_error("the run is over");
    return now();
  }
  [[nodiscard]] const tasfg_estimate& running() const {
    if (over_) throw nb::value_error("the run is over");
    return now();
  }

  nb::object vector(nb::object EstimateView::*cache, const double* tasfg_estimate::*values) {
    nb::object& array = this->*cache;
    if (!array.is_valid()) {
      const tasfg_estimate& e = with_arrays();
      array = nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<1>>(
          e.*values, {static_cast<std::size_t>(e.K)}, owner()));
    }
    return array;
  }
  nb::object counts() {
    if (!counts_.is_valid()) {
      const tasfg_estimate& e = with_arrays();
      const auto K = static_cast<std::size_t>(e.K);
      counts_ = nb::cast(
          nb::ndarray<nb::numpy, const double, nb::ndim<2>>(e.counts, {K, K}, owner(), {1, e.stride}));
    }
    return counts_;
  }
  nb::object graph() {
    const tasfg_estimate& e = with_arrays();
    const auto K = static_cast<std::size_t>(e.K);
    Filled<double> out({K, K}, 0.0);
    for (std::int32_t v = 0; v < e.K; ++v)
      for (std::int32_t u = 0; u < e.K; ++u)
        out.data()[static_cast<std::size_t>(v) * K + static_cast<std::size_t>(u)] =
            static_cast<const Estimate*>(e.inner)->edge(v, u);
    return out.release();
  }
  nb::object means_, observations_, pulls_, counts_;

 private:
  nb::capsule owner() {
    if (kept_ == nullptr) kept_ = std::make_shared<Kept>();
    return {new std::shared_ptr<Kept>(kept_),
            [](void* p) noexcept { delete static_cast<std::shared_ptr<Kept>*>(p); }};
  }

  const tasfg_estimate* now_ = nullptr;
  tasfg_estimate last_{};
  bool over_ = false;
  std::shared_ptr<Kept> kept_;
};

/// A run of a rule written in Python. The calling thread holds the interpreter's lock.
struct PythonRun {
  nb::object choose, shown, finish, estimate;
  EstimateView* view = nullptr;

  static PythonRun& of(void* state, const tasfg_estimate* now) {
    auto& run = *static_cast<PythonRun*>(state);
    run.view->look_at(now);
    return run;
  }
};

nb::object optional_method(const nb::object& rule, const char* name) {
  return nb::hasattr(rule, name) ? nb::object(rule.attr(name)) : nb::object();
}

void* start_python(const nb::object& given, int K) {
  auto run = std::make_unique<PythonRun>();
  // A class makes a rule for every run; a rule itself serves them all, and starts anew.
  const nb::object rule = PyType_Check(given.ptr()) != 0 ? given() : given;
  const nb::object start = optional_method(rule, "start");
  if (start.is_valid()) start(K);
  run->choose = rule.attr("choose");
  run->shown = optional_method(rule, "shown");
  run->finish = optional_method(rule, "finish");
  auto view = std::make_unique<EstimateView>();
  run->view = view.get();
  run->estimate = nb::cast(view.release(), nb::rv_policy::take_ownership);
  return run.release();
}

std::int32_t choose_python(void* state, const tasfg_estimate* now) {
  const PythonRun& run = PythonRun::of(state, now);
  const nb::object chosen = nb::steal(PyObject_CallOneArg(run.choose.ptr(), run.estimate.ptr()));
  if (!chosen.is_valid()) throw nb::python_error();
  int overflow = 0;
  long vertex = -1;
  if (PyLong_Check(chosen.ptr()) != 0) {
    vertex = PyLong_AsLongAndOverflow(chosen.ptr(), &overflow);
  } else {
    const nb::object index = nb::steal(PyNumber_Index(chosen.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    vertex = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
  }
  // Where it is far outside, any number outside says so.
  return overflow != 0 || vertex < 0 || vertex >= now->K
             ? (vertex < 0 && vertex >= -1000 ? static_cast<int>(vertex) : now->K)
             : static_cast<std::int32_t>(vertex);
}

void shown_python(void* state, const tasfg_estimate* now, std::int32_t u, double reward) {
  PythonRun::of(state, now).shown(u, reward);
}
void finish_python(void* state, const tasfg_estimate* now, std::int32_t v) {
  PythonRun::of(state, now).finish(v);
}
void end_python(void* state) {
  delete static_cast<PythonRun*>(state);
}
void part_python(void* state, Estimate& estimate) {
  static_cast<PythonRun*>(state)->view->part(estimate);
}

/// What keeps an object of Python, and lets it go with the interpreter's lock held.
std::shared_ptr<void> keep(nb::object object) {
  return {new nb::object(std::move(object)), [](void* p) {
            const nb::gil_scoped_acquire held;
            delete static_cast<nb::object*>(p);
          }};
}

/// A name that lives as long as the definition.
struct Named {
  std::string name;
  std::shared_ptr<void> object;
};

AlgorithmModel external(std::string name, nb::object owner, tasfg_rule rule,
                        const std::function<void(ExternalDefinition&)>& more) {
  auto named = std::make_shared<Named>(Named{std::move(name), keep(std::move(owner))});
  auto definition = std::make_shared<ExternalDefinition>();
  definition->rule = rule;
  definition->rule.name = named->name.c_str();
  definition->owner = named;
  more(*definition);
  AlgorithmModel model;
  model.algorithm.rule = RuleKind::external;
  model.algorithm.name = named->name;
  model.algorithm.external = std::move(definition);
  return model;
}

AlgorithmModel python_rule(const std::string& name, const nb::object& rule) {
  tasfg_rule table{};
  table.choose = &choose_python;
  if (nb::hasattr(rule, "shown")) table.shown = &shown_python;
  if (nb::hasattr(rule, "finish")) table.finish = &finish_python;
  table.end = &end_python;
  AlgorithmModel model = external(name, rule, table, [&](ExternalDefinition& definition) {
    PyObject* borrowed = rule.ptr();  // kept by the definition's owner
    definition.start = [borrowed](int K) { return start_python(nb::borrow(borrowed), K); };
    definition.part = &part_python;
  });
  model.needs_interpreter = true;
  return model;
}

/// Functions by their addresses. A run's state begins as a copy of `states` of its K.
AlgorithmModel compiled_rule(const std::string& name, nb::object owner, std::uintptr_t choose,
                             std::uintptr_t shown, std::uintptr_t finish,
                             std::map<int, std::vector<double>> states) {
  tasfg_rule table{};
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast, performance-no-int-to-ptr)
  table.choose = reinterpret_cast<decltype(table.choose)>(choose);
  table.shown = reinterpret_cast<decltype(table.shown)>(shown);
  table.finish = reinterpret_cast<decltype(table.finish)>(finish);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast, performance-no-int-to-ptr)
  table.end = [](void* state) { delete[] static_cast<double*>(state); };
  return external(name, std::move(owner), table, [&](ExternalDefinition& definition) {
    definition.start = [states = std::move(states)](int K) -> void* {
      const std::vector<double>& first = states.at(K);
      auto* state = new double[first.size()];
      std::copy(first.begin(), first.end(), state);
      return state;
    };
  });
}

AlgorithmModel named_algorithm(const std::string& name, const std::map<std::string, std::string>& options,
                               const std::vector<std::string>& libraries) {
  RuleLibraries known;
  for (const std::string& path : libraries) known.load(path, "rules");
  AlgorithmModel model{known.algorithm(name, "algorithms"), false};
  for (const auto& [option, text] : options) set_option(model.algorithm, option, text, "options");
  return model;
}

}  // namespace

void bind_rules(nb::module_& module) {
  nb::class_<AlgorithmModel>(module, "AlgorithmModel").def_prop_ro("name", [](const AlgorithmModel& a) {
    return a.algorithm.name;
  });
  nb::class_<EstimateView>(module, "Estimate", "What a rule sees of its run; arrays are for reading.")
      .def_prop_ro(
          "t", [](const EstimateView& e) { return e.now().t; }, "draws so far")
      .def_prop_ro(
          "K", [](const EstimateView& e) { return e.now().K; }, "number of vertices")
      .def_prop_ro(
          "best", [](const EstimateView& e) { return e.now().best; }, "vertex of the largest mean")
      .def_prop_ro(
          "means", [](EstimateView& e) { return e.vector(&EstimateView::means_, &tasfg_estimate::means); },
          "mean reward of every vertex; 1 where none was shown")
      .def_prop_ro(
          "observations",
          [](EstimateView& e) {
            return e.vector(&EstimateView::observations_, &tasfg_estimate::observations);
          },
          "how many rewards of every vertex were shown")
      .def_prop_ro(
          "pulls", [](EstimateView& e) { return e.vector(&EstimateView::pulls_, &tasfg_estimate::pulls); },
          "draws of every vertex")
      .def_prop_ro("counts", &EstimateView::counts, "[v, u]: how often v showed u")
      .def_prop_ro("graph", &EstimateView::graph, "[v, u]: the estimated probability that v shows u; a copy")
      .def(
          "uniform", [](const EstimateView& e) { return e.running().uniform(&e.running()); },
          "the next number of the run's own random stream, in [0, 1)")
      .def(
          "divergence",
          [](const EstimateView& e, double x, double y) {
            return e.running().divergence(&e.running(), x, y);
          },
          nb::arg("x"), nb::arg("y"), "divergence of the reward family between two means");
  module.def("algorithm", &named_algorithm);
  module.def("python_rule", &python_rule);
  module.def("compiled_rule", &compiled_rule);
  module.def("algorithms", [] {
    std::vector<std::string> names;
    for (const AlgorithmRow& row : algorithm_rows()) names.emplace_back(row.name);
    return names;
  });
  module.attr("rule_version") = TASFG_RULE_VERSION;
}

}  // namespace tasfg::python
