/// Curves and maps of T*: `tasfg curve` in memory.
#include <mutex>
#include <optional>
#include <thread>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "model.hpp"
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "tasfg/algo/conventions.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/model/graph_csv.hpp"
#include "tasfg/solve/curve_request.hpp"

namespace tasfg::python {
namespace {

namespace nb = nanobind;

struct Interrupted {};

/// As `tasfg curve`, on so many threads.
Curve computed(const CurveRequest& request, int threads) {
  const CurvePlan plan = plan_curve(request);
  std::vector<CertifiedMap> parts(plan.parts());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < parts.size(); i = next++) parts[i] = plan.compute(i);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
      next = parts.size();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return join(plan, std::move(parts));
}

template <typename Rows, typename Value>
nb::object column(const Rows& rows, Value value) {
  Filled<double> out({rows.size()}, kNaN);
  for (std::size_t i = 0; i < rows.size(); ++i) out.data()[i] = value(i);
  return out.release();
}

/// The columns of `tasfg curve --csv`: points and what holds up to the next one, of a curve; cells, of a map.
nb::dict columns_of(const Curve& curve) {
  nb::dict out;
  if (curve.axes.size() == 1) {
    const auto& points = curve.points;
    const auto cell = [&](std::size_t i) {
      return curve.axes[0].certified() && i < curve.cells.size() ? curve.cells[i].time
                                                                 : Enclosure{kNaN, kNaN};
    };
    out[curve.axes[0].name.c_str()] = column(points, [&](std::size_t i) { return points[i].at[0]; });
    out["T_star"] = column(points, [&](std::size_t i) { return points[i].upper; });
    out["T_star_lower"] = column(points, [&](std::size_t i) { return points[i].lower; });
    out["T_low_to_next"] = column(points, [&](std::size_t i) { return cell(i).low; });
    out["T_high_to_next"] = column(points, [&](std::size_t i) { return cell(i).high; });
    return out;
  }
  const auto& cells = curve.cells;
  for (std::size_t k = 0; k < 2; ++k) {
    out[(curve.axes[k].name + "_low").c_str()] =
        column(cells, [&](std::size_t i) { return cells[i].box.low[k]; });
    out[(curve.axes[k].name + "_high").c_str()] =
        column(cells, [&](std::size_t i) { return cells[i].box.high[k]; });
  }
  out["T_low"] = column(cells, [&](std::size_t i) { return cells[i].time.low; });
  out["T_high"] = column(cells, [&](std::size_t i) { return cells[i].time.high; });
  return out;
}

nb::list regimes_of(const Curve& curve) {
  nb::list out;
  for (const CurveRegime& regime : curve.regimes) {
    nb::dict row;
    for (std::size_t k = 0; k < curve.axes.size(); ++k) {
      const char* name = curve.axes[k].name.c_str();
      if (curve.axes[k].certified())
        row[name] = nb::make_tuple(regime.change.low, regime.change.high);
      else
        row[name] = regime.sampled[k];
    }
    row["entering"] = regime.change.entering;
    row["leaving"] = regime.change.leaving;
    out.append(row);
  }
  return out;
}

/// The table, and what is said beside it: what was computed, which parameters are sampled and why, the
/// regimes.
nb::tuple curve(const std::string& family, std::map<std::string, std::string> parameters,
                const std::vector<std::tuple<std::string, double, double>>& over, std::vector<double> means,
                const std::string& reward, const std::map<std::string, double>& reward_parameters,
                std::optional<double> tolerance, std::optional<double> width, std::optional<int> samples,
                const std::string& conventions, int threads) {
  CurveRequest request;
  request.family = family;
  static_cast<void>(conventions_named(conventions, "conventions"));
  if (find_row(graph_family(family, "graph").parameters, "parity") != nullptr)
    parameters.emplace("parity", conventions);
  request.parameters = std::move(parameters);
  request.means = std::move(means);
  request.reward = reward_named(reward, reward_parameters);
  for (const auto& [name, low, high] : over) request.over.push_back({name, low, high});
  request.files = &read_graph_csv;
  request.options = usual_refinement(over.size());
  if (tolerance) request.options.tolerance = *tolerance;
  if (width) request.options.divergent_width = *width;
  if (samples) request.samples = *samples;
  const Curve found = interruptible([&](const std::atomic<bool>& cancel) {
    request.glance = [&cancel] {
      if (cancel.load(std::memory_order_relaxed)) throw Interrupted{};
    };
    return computed(request, threads);
  });
  nb::dict sampled;
  for (const CurveAxis& axis : found.axes)
    if (!axis.certified()) sampled[axis.name.c_str()] = axis.sampled_because;
  nb::dict said;
  said["description"] = found.description;
  said["sampled"] = sampled;
  said["regimes"] = regimes_of(found);
  return nb::make_tuple(columns_of(found), said);
}

}  // namespace

void bind_curve(nb::module_& module) {
  module.def("curve", &curve, nb::arg("family"), nb::arg("parameters"), nb::arg("over"), nb::arg("means"),
             nb::arg("reward"), nb::arg("reward_parameters"), nb::arg("tolerance").none(),
             nb::arg("width").none(), nb::arg("samples").none(), nb::arg("conventions"), nb::arg("threads"));
}

}  // namespace tasfg::python
