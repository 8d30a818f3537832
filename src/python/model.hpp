/// What the module's parts share: models as Python holds them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "tasfg/model/feedback_graph.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg::python {

/// A graph, with the means that its family gives it.
struct GraphModel {
  std::shared_ptr<const FeedbackGraph> graph;
  std::vector<double> means;
  std::string family;      // "ring"; "matrix" where it came as one
  std::string parameters;  // "K=5 p=0.3"
};

/// An instance that solutions and simulations keep alive.
struct InstanceModel {
  std::shared_ptr<const Instance> instance;
};

void bind_model(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_curve(nanobind::module_& module);

/// A reward family of that name, with these of its parameters.
[[nodiscard]] RewardFamily reward_named(const std::string& name,
                                        const std::map<std::string, double>& parameters);

}  // namespace tasfg::python
