/// Many trajectories on all cores, while Python can be interrupted.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "model.hpp"
#include "rules.hpp"
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tasfg/algo/thresholds.hpp"
#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sim/case_record.hpp"
#include "tasfg/sim/content_key.hpp"
#include "tasfg/sim/error_probability.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg::python {
namespace {

namespace nb = nanobind;
using Clock = std::chrono::steady_clock;

template <typename Enum>
Enum named(const EnumNames<Enum>& names, const std::string& given, const char* key) {
  if (const std::optional<Enum> value = names.find(given)) return *value;
  throw InputError(key, bad_state(in_quotes(given), suggest(given, names.all())));
}

SimulationOptions make_options(const std::string& setting, const std::string& conventions,
                               const std::map<std::string, std::string>& points, const std::string& threshold,
                               const std::string& stream, std::uint64_t master_seed, std::int64_t max_steps,
                               bool pulls_by_delta, std::vector<std::int64_t> checkpoints, bool skip) {
  SimulationOptions options;
  options.setting = named(kSettingNames, setting, "setting");
  options.conventions = conventions_named(conventions, "conventions");
  for (const auto& [point, value] : points) set_convention(options.conventions, point, value, "points");
  options.threshold = threshold_named(threshold, "threshold");
  options.stream = named(kStreamNames, stream, "stream");
  options.master_seed = master_seed;
  options.max_steps = max_steps;
  options.pulls_by_delta = pulls_by_delta;
  options.skip = skip;
  std::int64_t before = 0;
  for (const std::int64_t each : checkpoints) {
    if (each <= before || each > max_steps)
      throw InputError("checkpoints", bad_value(each, "must rise, from 1 to max_steps"));
    before = each;
  }
  options.checkpoints = std::move(checkpoints);
  return options;
}

/// What was found, in arrays of the result file's shapes: (case, algorithm, [delta or checkpoint,] seed).
struct Findings {
  Findings(std::size_t cases, std::size_t algorithms, std::size_t deltas, std::size_t seeds,
           std::size_t vertices, std::size_t checkpoints, bool with_pulls_at)
      : cases(cases),
        algorithms(algorithms),
        deltas(deltas),
        seeds(seeds),
        vertices(vertices),
        checkpoints(checkpoints),
        with_pulls_at(with_pulls_at),
        status({cases, algorithms, seeds}, 0),
        steps({cases, algorithms, seeds}, -1),
        seconds({cases, algorithms, seeds}, kNaN),
        pulls({cases, algorithms, seeds, vertices}, -1),
        tau({cases, algorithms, deltas, seeds}, -1),
        recommended({cases, algorithms, deltas, seeds}, -1),
        correct({cases, algorithms, deltas, seeds}, -1),
        stopped({cases, algorithms, deltas, seeds}, -1),
        pulls_at({with_pulls_at ? cases : 0, algorithms, deltas, seeds, vertices}, -1),
        checkpoint_recommended({cases, algorithms, checkpoints, seeds}, -1),
        checkpoint_correct({cases, algorithms, checkpoints, seeds}, -1),
        checkpoint_T_ratio({cases, algorithms, checkpoints, seeds}, kNaN) {}

  /// Each task writes its own places.
  void put(std::size_t cell, std::size_t seed, const RunRecord& run) {
    const std::size_t at = cell * seeds + seed;
    status.data()[at] = static_cast<std::int8_t>(run.status);
    steps.data()[at] = run.steps;
    seconds.data()[at] = run.seconds;
    std::copy(run.pulls.begin(), run.pulls.end(), pulls.data() + at * vertices);
    for (std::size_t d = 0; d < run.tau.size(); ++d) {
      const std::size_t i = (cell * deltas + d) * seeds + seed;
      tau.data()[i] = run.tau[d];
      recommended.data()[i] = run.recommended[d];
      correct.data()[i] = run.correct[d];
      stopped.data()[i] = run.stopped[d];
      if (!with_pulls_at) continue;
      const std::size_t K = run.pulls.size();
      std::copy_n(run.pulls_at.begin() + static_cast<std::ptrdiff_t>(d * K), K,
                  pulls_at.data() + i * vertices);
    }
    for (std::size_t c = 0; c < run.checkpoint_correct.size(); ++c) {
      const std::size_t i = (cell * checkpoints + c) * seeds + seed;
      checkpoint_recommended.data()[i] = run.checkpoint_recommended[c];
      checkpoint_correct.data()[i] = run.checkpoint_correct[c];
      checkpoint_T_ratio.data()[i] = run.checkpoint_T_ratio[c];
    }
  }

  [[nodiscard]] nb::dict release() {
    nb::dict out;
    out["status"] = status.release();
    out["steps"] = steps.release();
    out["seconds"] = seconds.release();
    out["pulls"] = pulls.release();
    out["tau"] = tau.release();
    out["recommended"] = recommended.release();
    out["correct"] = correct.release();
    out["stopped"] = stopped.release();
    if (with_pulls_at) out["pulls_at"] = pulls_at.release();
    if (checkpoints > 0) {
      out["checkpoint_recommended"] = checkpoint_recommended.release();
      out["checkpoint_correct"] = checkpoint_correct.release();
      out["checkpoint_T_ratio"] = checkpoint_T_ratio.release();
    }
    return out;
  }

  std::size_t cases, algorithms, deltas, seeds, vertices, checkpoints;
  bool with_pulls_at;
  Filled<std::int8_t> status;
  Filled<std::int64_t> steps;
  Filled<double> seconds;
  Filled<std::int64_t> pulls, tau;
  Filled<std::int32_t> recommended;
  Filled<std::int8_t> correct, stopped;
  Filled<std::int64_t> pulls_at;
  Filled<std::int32_t> checkpoint_recommended;
  Filled<std::int8_t> checkpoint_correct;
  Filled<double> checkpoint_T_ratio;
};

struct FailedTask {
  std::size_t instance, algorithm, seed;
  std::string message;
};

/// A study in memory: every instance, algorithm and seed.
class Study {
 public:
  Study(const std::vector<InstanceModel>& instances, const std::vector<AlgorithmModel>& algorithms,
        std::vector<double> log_inv_delta, std::vector<std::uint64_t> seeds, const SimulationOptions& options)
      : algorithms_(algorithms),
        log_inv_delta_(std::move(log_inv_delta)),
        seeds_(std::move(seeds)),
        findings_(instances.size(), algorithms.size(), log_inv_delta_.size(), seeds_.size(),
                  most_vertices(instances), options.checkpoints.size(), options.pulls_by_delta) {
    for (const InstanceModel& each : instances) {
      simulations_.push_back(std::make_unique<Simulation>(*each.instance, options));
      for (const AlgorithmModel& algorithm : algorithms) simulations_.back()->check(algorithm.algorithm);
    }
    const std::size_t tasks = instances.size() * algorithms.size() * seeds_.size();
    for (std::size_t i = 0; i < tasks; ++i)
      (algorithm_of(i).needs_interpreter ? here_ : anywhere_).push_back(i);
  }

  /// Runs everything; the caller holds the interpreter's lock.
  nb::dict run(int threads, const nb::object& progress) {
    progress_ = progress;
    const auto workers_wanted = std::min(anywhere_.size(), static_cast<std::size_t>(threads));
    {
      std::vector<std::jthread> workers;
      // However this ends: tell the threads, and wait for them without the lock.
      struct End {
        std::vector<std::jthread>& workers;
        std::atomic<bool>& cancel;
        ~End() {
          cancel = cancel || std::uncaught_exceptions() > 0;
          const nb::gil_scoped_release released;
          workers.clear();
        }
      } const end{workers, cancel_};
      for (std::size_t i = 0; i < workers_wanted; ++i) workers.emplace_back([this] { work(); });
      for (const std::size_t task : here_) {
        run_here(task);
        glance();
      }
      wait(workers_wanted);
    }
    report();
    nb::dict out = findings_.release();
    nb::list failures;
    for (const FailedTask& each : failures_)
      failures.append(nb::make_tuple(each.instance, each.algorithm, seeds_[each.seed], each.message));
    out["failures"] = failures;
    return out;
  }

 private:
  static std::size_t most_vertices(const std::vector<InstanceModel>& instances) {
    std::size_t most = 0;
    for (const InstanceModel& each : instances)
      most = std::max(most, static_cast<std::size_t>(each.instance->size()));
    return most;
  }
  [[nodiscard]] const AlgorithmModel& algorithm_of(std::size_t task) const {
    return algorithms_[task / seeds_.size() % algorithms_.size()];
  }

  void work() {
    for (std::size_t i = next_++; i < anywhere_.size() && !cancel_; i = next_++) {
      try {
        simulate(anywhere_[i]);
      } catch (const std::exception& error) {
        fail(anywhere_[i], error.what());
      }
    }
    const std::scoped_lock lock(mutex_);
    ++ended_;
    changed_.notify_one();
  }

  void simulate(std::size_t task) {
    const std::size_t cell = task / seeds_.size(), seed = task % seeds_.size();
    const Simulation& simulation = *simulations_[cell / algorithms_.size()];
    const auto begin = Clock::now();
    RunRecord record = simulation.run(algorithm_of(task).algorithm, log_inv_delta_, seeds_[seed], &cancel_);
    if (record.status == TaskStatus::pending) return;
    record.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    findings_.put(cell, seed, record);
    ++done_;
  }

  void run_here(std::size_t task) {
    try {
      simulate(task);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
      const std::string type = nb::cast<std::string>(error.type().attr("__name__"));
      const std::string text = nb::cast<std::string>(nb::str(error.value()));
      fail(task, text.empty() ? type : type + ": " + text);
    } catch (const std::exception& error) {
      fail(task, error.what());
    }
  }

  void fail(std::size_t task, std::string message) {
    const std::size_t cell = task / seeds_.size(), seed = task % seeds_.size();
    RunRecord record;
    record.status = TaskStatus::failed;
    findings_.put(cell, seed, record);
    const std::scoped_lock lock(mutex_);
    failures_.push_back({cell / algorithms_.size(), cell % algorithms_.size(), seed, std::move(message)});
    ++done_;
  }

  void wait(std::size_t workers) {
    while (true) {
      {
        const nb::gil_scoped_release released;
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, kGlance, [&] { return ended_ == workers; })) return;
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      glance();
    }
  }

  /// Reports progress, not too often.
  void glance() {
    if (progress_.is_none() || Clock::now() - reported_ < 2 * kGlance) return;
    report();
  }
  void report() {
    if (progress_.is_none()) return;
    reported_ = Clock::now();
    progress_(done_.load());
  }

  const std::vector<AlgorithmModel>& algorithms_;
  std::vector<double> log_inv_delta_;
  std::vector<std::uint64_t> seeds_;
  Findings findings_;
  std::vector<std::unique_ptr<Simulation>> simulations_;
  std::vector<std::size_t> here_, anywhere_;  // tasks: those that need the interpreter, and the others
  std::atomic<std::size_t> next_{0}, done_{0};
  std::atomic<bool> cancel_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ended_ = 0;
  std::vector<FailedTask> failures_;
  nb::object progress_ = nb::none();
  Clock::time_point reported_ = Clock::now();
};

/// For each δ: error, std_error, lower, upper, runs, ess.
nb::list error_of(const InstanceModel& model, const AlgorithmModel& algorithm,
                  const std::vector<double>& log_inv_delta, std::int64_t runs, bool plain,
                  const SimulationOptions& options, int threads) {
  if (algorithm.needs_interpreter)
    throw InputError("algorithms",
                     remark(algorithm.algorithm.name + " is a rule in Python",
                            "must be a built-in one, or compiled: tasfg.compiled, or a shared library"));
  const Simulation simulation(*model.instance, options);
  simulation.check(algorithm.algorithm);
  const auto measured = interruptible([&](const std::atomic<bool>& cancel) {
    return measured_error(simulation, algorithm.algorithm, log_inv_delta, runs,
                          plain ? ErrorMethod::plain : ErrorMethod::weighted, threads,
                          ErrorSampler::kPilotRuns, &cancel);
  });
  nb::list rows;
  for (const ErrorEstimate& each : measured)
    rows.append(nb::make_tuple(each.error, each.std_error, each.lower, each.upper, each.runs, each.ess));
  return rows;
}

}  // namespace

void bind_simulation(nb::module_& module) {
  bind_rules(module);
  const nb::class_<SimulationOptions> handle(module, "SimulationOptions");
  module.def("options", &make_options);
  module.attr("most_draws") = kMostDraws;
  module.def(
      "simulate",
      [](const std::vector<InstanceModel>& instances, const std::vector<AlgorithmModel>& algorithms,
         std::vector<double> log_inv_delta, std::vector<std::uint64_t> seeds,
         const SimulationOptions& options, int threads, const nb::object& progress) {
        Study study(instances, algorithms, std::move(log_inv_delta), std::move(seeds), options);
        return study.run(threads, progress);
      },
      nb::arg("instances"), nb::arg("algorithms"), nb::arg("log_inv_delta"), nb::arg("seeds"),
      nb::arg("options"), nb::arg("threads"), nb::arg("progress").none());
  module.def("error", &error_of);
  module.def("bounds", [](double T_star, const std::string& threshold, double log_inv_delta, int K) {
    return nb::make_tuple(lower_bound(T_star, log_inv_delta),
                          practical_bound(T_star, threshold_named(threshold, "threshold"), log_inv_delta, K));
  });
  // The program's own, which give the same bits everywhere.
  module.def("log", [](double x) { return log(x); });
  module.def("exp", [](double x) { return exp(x); });
  module.def("key", [](const InstanceModel& model) { return content_key(*model.instance).value; });
}

}  // namespace tasfg::python
