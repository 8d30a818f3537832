#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "commands.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/io/stored_job.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/job/job.hpp"
#include "tasfg/sweep/cost_model.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/inventory.hpp"
#include "tasfg/sweep/progress.hpp"
#include "tasfg/sweep/shard.hpp"

namespace tasfg {
namespace {

using Json = nlohmann::ordered_json;

/// Of one algorithm, or of all.
struct Tally {
  std::array<std::int64_t, kTaskStatuses> count{};  // by status
  double steps = 0.0, seconds = 0.0, seconds_left = 0.0;

  [[nodiscard]] std::int64_t total() const {
    return std::accumulate(count.begin(), count.end(), std::int64_t{0});
  }
  Tally& operator+=(const Tally& other) {
    for (std::size_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
    steps += other.steps;
    seconds += other.seconds;
    seconds_left += other.seconds_left;
    return *this;
  }
};

/// The job as it stands in the file; nothing where this program does not understand it.
std::optional<Grid> grid_of(const std::shared_ptr<const ResultFile>& file) {
  try {
    const StoredJob job = stored_job(file);
    return expand_job(job.text, job.origin, job.overrides, job.reader);
  } catch (const Error&) {
    return {};
  }
}

Tally tally(const ResultFile& file, CellId cell, const std::optional<Grid>& grid, const Shard& shard) {
  const std::vector<TaskStatus> status = file.run_values(&RunRecord::status, cell);
  const std::vector<std::int64_t> steps = file.run_values(&RunRecord::steps, cell);
  const std::vector<double> seconds = file.run_values(&RunRecord::seconds, cell);
  const Splitting splitting = splitting_of(file.layout());
  Tally sum;
  std::int64_t measured = 0;
  for (std::size_t i = 0; i < status.size(); ++i) {
    if (!shard.holds({cell, static_cast<std::int64_t>(i)}, splitting)) continue;
    ++sum.count[static_cast<std::size_t>(status[i])];
    if (status[i] != TaskStatus::done && status[i] != TaskStatus::capped) continue;
    sum.steps += static_cast<double>(steps[i]);
    sum.seconds += seconds[i];
    ++measured;
  }
  double each = measured > 0 ? sum.seconds / static_cast<double>(measured) : 0.0;
  if (measured == 0 && sum.count[0] > 0 && grid) {
    const CaseId case_id = file.layout().grid().case_of(cell);
    const CaseSolution solution = file.read_case(case_id);
    if (solution.status == TaskStatus::done)
      each = expected_seconds(*grid, case_id, file.layout().grid().algorithm_of(cell), solution);
  }
  sum.seconds_left = each * static_cast<double>(sum.count[0]);
  return sum;
}

/// All that `tasfg status` knows of a file.
struct FileState {
  std::shared_ptr<const ResultFile> file;
  std::optional<Grid> grid;
  LiveState live;
  Shard shard;
  std::string writer;  // empty: nobody writes
  std::int64_t pending = 0;
  std::int64_t cases = 0, cases_done = 0, cases_failed = 0;
  std::vector<Tally> by_algorithm;
  Tally all;

  [[nodiscard]] const ResultLayout& layout() const { return file->layout(); }
  [[nodiscard]] bool ended() const { return live.status == "complete" || live.status == "failed"; }
  [[nodiscard]] int exit_status() const {
    if (!ended() || pending > 0 || !writer.empty()) return kExitInterrupted;
    return live.status == "failed" || all.count[3] > 0 || cases_failed > 0 ? kExitFailed : 0;
  }
  [[nodiscard]] double seconds_left_on_threads() const {
    return all.seconds_left / static_cast<double>(std::max<std::int64_t>(1, live.threads));
  }
};

FileState state_of(const std::string& path) {
  FileState state;
  state.file = std::make_shared<const ResultFile>(ResultFile::open(path, Access::read));
  const ResultFile& file = *state.file;
  const ResultLayout& layout = file.layout();
  state.live = file.live();
  state.writer = writer_of(path);
  state.grid = grid_of(state.file);
  if (!layout.shard.empty()) state.shard = parse_shard(layout.shard, within(path, "shard"));
  state.pending = pending_tasks(file, state.shard);
  const std::vector<TaskStatus> cases = file.case_values(&CaseSolution::status);
  state.cases = std::ssize(cases);
  state.cases_done = std::count_if(cases.begin(), cases.end(),
                                   [](TaskStatus status) { return status != TaskStatus::pending; });
  state.cases_failed = std::count(cases.begin(), cases.end(), TaskStatus::failed);
  state.by_algorithm.resize(layout.algorithms.size());
  for (CellId cell; cell.value() < layout.cells(); ++cell) {
    const Tally of_cell = tally(file, cell, state.grid, state.shard);
    state.by_algorithm[layout.grid().algorithm_of(cell).value()] += of_cell;
    state.all += of_cell;
  }
  return state;
}

void show(const std::string& name, const Tally& t) {
  fmt::print("  {:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}\n", printable(name), t.total(), t.count[1],
             t.count[2], t.count[3], t.count[0], count_text(t.steps));
}

/// Which program made how many runs.
void show_programs(const ResultFile& file) {
  const std::vector<Sitting> sittings = file.sittings();
  if (sittings.empty()) return;
  std::vector<std::int64_t> runs(sittings.size());
  std::int64_t unknown = 0;
  for (CellId cell; cell.value() < file.layout().cells(); ++cell) {
    const std::vector<TaskStatus> status = file.run_values(&RunRecord::status, cell);
    const std::vector<std::int32_t> made_in = file.run_values(&RunRecord::sitting, cell);
    for (std::size_t i = 0; i < status.size(); ++i) {
      if (status[i] == TaskStatus::pending || status[i] == TaskStatus::not_needed) continue;
      const auto sitting = static_cast<std::size_t>(made_in[i]);  // −1: beyond all
      ++(sitting < runs.size() && !sittings[sitting].started.empty() ? runs[sitting] : unknown);
    }
  }
  for (std::size_t i = 0; i < sittings.size(); ++i) {
    const auto same = [&](const Sitting& each) { return each.same_program(sittings[i]); };
    const auto here = sittings.begin() + static_cast<std::ptrdiff_t>(i);
    if (sittings[i].started.empty() || std::any_of(sittings.begin(), here, same)) continue;
    std::int64_t made = 0;
    for (std::size_t k = i; k < sittings.size(); ++k) made += same(sittings[k]) ? runs[k] : 0;
    const auto count = std::count_if(here, sittings.end(), same);
    fmt::print("  {} runs made by tasfg {} ({}; {}) in {} sitting{}, the first {}\n", made,
               printable(sittings[i].code_version), printable(sittings[i].git_commit),
               printable(sittings[i].build), count, count == 1 ? "" : "s", printable(sittings[i].started));
  }
  if (unknown > 0) fmt::print("  {} runs made by a program that is not known\n", unknown);
}

void show_failures(const FileState& state) {
  const std::vector<Failure> failures = state.file->failures();
  if (failures.empty()) return;
  const ResultLayout& layout = state.layout();
  fmt::print("\n  failed tasks{}\n",
             state.all.count[3] > std::ssize(failures)
                 ? fmt::format(" (the first {} of {})", failures.size(), state.all.count[3])
                 : "");
  for (const Failure& failure : failures) {
    const CaseId c(failure.case_index);
    const std::string label = printable(layout.cases[c.value()].label);
    const std::string message = printable(failure.message);
    if (failure.algorithm < 0) {
      fmt::print("  the solution of {}: {}\n", label, message);
      continue;
    }
    const AlgorithmId a(failure.algorithm);
    fmt::print("  {} {} seed {}: {}\n", label, printable(layout.algorithms[a.value()].name), failure.seed,
               message);
    if (state.grid) fmt::print("    replay: {}\n", printable(state.grid->replay_command(c, a, failure.seed)));
  }
}

void show_status(const std::string& path, const FileState& state) {
  const ResultLayout& layout = state.layout();
  const LiveState& live = state.live;
  const Tally& all = state.all;
  fmt::print("{}: job \"{}\"{}\n", path, printable(layout.job_name),
             state.shard.whole() ? "" : fmt::format(", shard {}", state.shard.text()));
  if (!state.writer.empty())
    fmt::print("  being written by {}\n", printable(state.writer));
  else if (live.status == "running")
    fmt::print("  its writer is gone; run the same sweep again to go on\n");
  else if (state.ended() && state.pending > 0)
    fmt::print("  calls itself {}, but {} tasks are pending; run the same sweep again to go on\n",
               live.status, state.pending);
  else
    fmt::print("  {}\n", printable(live.status));
  fmt::print("  cases solved      {} of {}\n", state.cases_done, state.cases);
  fmt::print("  runs settled      {} of {}{}\n", all.total() - all.count[0], all.total(),
             all.total() > 0
                 ? fmt::format(" ({:.1f} %)", 100.0 * static_cast<double>(all.total() - all.count[0]) /
                                                  static_cast<double>(all.total()))
                 : "");
  if (state.pending > 0)
    fmt::print("  left              {} of one core, {} on {} threads\n", duration_text(all.seconds_left),
               duration_text(state.seconds_left_on_threads()), live.threads);
  fmt::print("\n  {:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}\n", "algorithm", "runs", "done", "capped",
             "failed", "pending", "steps");
  for (std::size_t a = 0; a < state.by_algorithm.size(); ++a)
    show(layout.algorithms[a].name, state.by_algorithm[a]);
  if (state.by_algorithm.size() > 1) show("all", all);
  fmt::print("\n  conventions {}, setting {}, threshold {}, stream {}, seed {}, max_steps {}\n",
             printable(layout.conventions), printable(layout.setting), printable(layout.threshold),
             printable(layout.stream), layout.seed, layout.max_steps);
  fmt::print("  created {}, updated {}, by tasfg {} ({}; {})\n", printable(layout.created),
             printable(live.updated), printable(layout.code_version), printable(layout.git_commit),
             printable(layout.build));
  show_programs(*state.file);
  fmt::print("  last on {} rank{}, {} threads; hosts: {}\n", live.ranks, live.ranks == 1 ? "" : "s",
             live.threads, printable(live.hosts));
  show_failures(state);
}

Json to_json(const Tally& t) {
  return {{"runs", t.total()},     {"done", t.count[1]},
          {"capped", t.count[2]},  {"failed", t.count[3]},
          {"pending", t.count[0]}, {"steps", t.steps},
          {"seconds", t.seconds},  {"seconds_left", t.seconds_left}};
}

Json to_json(const std::string& path, const FileState& state) {
  const ResultLayout& layout = state.layout();
  const LiveState& live = state.live;
  // Texts come from the file, which may hold anything: only what is ASCII is certain to be JSON.
  Json out;
  out["file"] = printable(path);
  out["job"] = printable(layout.job_name);
  out["shard"] = state.shard.text();
  out["status"] = printable(live.status);
  out["exit_status"] = state.exit_status();
  out["writer"] = state.writer.empty() ? Json(nullptr) : Json(printable(state.writer));
  out["cases"] = {{"total", state.cases}, {"solved", state.cases_done}, {"failed", state.cases_failed}};
  out["pending_tasks"] = state.pending;
  out["seconds_left_on_threads"] = state.seconds_left_on_threads();
  out["runs"] = to_json(state.all);
  out["algorithms"] = Json::object();
  for (std::size_t a = 0; a < state.by_algorithm.size(); ++a)
    out["algorithms"][printable(layout.algorithms[a].name)] = to_json(state.by_algorithm[a]);
  out["settings"] = {{"conventions", printable(layout.conventions)},
                     {"setting", printable(layout.setting)},
                     {"threshold", printable(layout.threshold)},
                     {"stream", printable(layout.stream)},
                     {"seed", layout.seed},
                     {"max_steps", layout.max_steps}};
  out["created"] = printable(layout.created);
  out["updated"] = printable(live.updated);
  out["code_version"] = printable(layout.code_version);
  out["git_commit"] = printable(layout.git_commit);
  out["build"] = printable(layout.build);
  out["ranks"] = live.ranks;
  out["threads"] = live.threads;
  out["hosts"] = printable(live.hosts);
  out["failures"] = Json::array();
  for (const Failure& failure : state.file->failures()) {
    const CaseId c(failure.case_index);
    Json each{{"case", printable(layout.cases[c.value()].label)}, {"message", printable(failure.message)}};
    if (failure.algorithm >= 0) {
      each["algorithm"] = printable(layout.algorithms[AlgorithmId(failure.algorithm).value()].name);
      each["seed"] = failure.seed;
    }
    out["failures"].push_back(std::move(each));
  }
  return out;
}

}  // namespace

void add_status_command(Command& app, int& status) {
  const auto path = std::make_shared<std::string>();
  const auto check = std::make_shared<bool>(false), json = std::make_shared<bool>(false);
  Command* command = app.add_subcommand(
      "status", "OUT.h5: done, failed and left, ETA, provenance; also while the sweep runs");
  command->add_option("file", *path, "result file")->required();
  command->add_flag(
      "--check", *check,
      "for scripts: exit with 0 where the file is complete, 1 where tasks failed, 75 where it is not");
  command->add_flag("--json", *json, "print one JSON object");
  command->footer(
      "Examples:\n  tasfg status out.h5\n  tasfg status out.h5 --check > /dev/null && echo complete");
  command->callback([path, check, json, &status] {
    const FileState state = state_of(*path);
    if (*json)
      fmt::print("{}\n", to_json(*path, state).dump(2));
    else
      show_status(*path, state);
    status = *check ? state.exit_status() : 0;
  });
}

}  // namespace tasfg
