#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "commands.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/io/stored_job.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/job/job.hpp"
#include "tasfg/sweep/cost_model.hpp"
#include "tasfg/sweep/interruption.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

/// Of one algorithm, or of all.
struct Tally {
  std::array<std::int64_t, kTaskStatuses> count{};  // by status
  double steps = 0.0, seconds = 0.0, seconds_left = 0.0;

  [[nodiscard]] std::int64_t total() const { return count[0] + count[1] + count[2] + count[3]; }
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
  } catch (const InputError&) {
    return {};
  }
}

Tally tally(const ResultFile& file, CellId cell, const std::optional<Grid>& grid) {
  const std::vector<TaskStatus> status = file.run_values(&RunRecord::status, cell);
  const std::vector<std::int64_t> steps = file.run_values(&RunRecord::steps, cell);
  const std::vector<double> seconds = file.run_values(&RunRecord::seconds, cell);
  Tally sum;
  std::int64_t measured = 0;
  for (std::size_t i = 0; i < status.size(); ++i) {
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
      each =
          expected_seconds(*grid, case_id.value(), file.layout().grid().algorithm_of(cell).value(), solution);
  }
  sum.seconds_left = each * static_cast<double>(sum.count[0]);
  return sum;
}

void show(const std::string& name, const Tally& t) {
  fmt::print("  {:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}\n", name, t.total(), t.count[1], t.count[2],
             t.count[3], t.count[0], count_text(t.steps));
}

int show_status(const std::string& path) {
  const auto opened = std::make_shared<const ResultFile>(ResultFile::open(path, Access::read));
  const ResultFile& file = *opened;
  const ResultLayout& layout = file.layout();
  const LiveState live = file.live();
  const std::string writer = writer_of(path);
  const std::optional<Grid> grid = grid_of(opened);
  const std::vector<TaskStatus> cases = file.case_values(&CaseSolution::status);
  const auto cases_done = std::count_if(cases.begin(), cases.end(),
                                        [](TaskStatus status) { return status != TaskStatus::pending; });

  std::vector<Tally> by_algorithm(layout.algorithms.size());
  Tally all;
  for (CellId cell; cell.value() < layout.cells(); ++cell) {
    const Tally of_cell = tally(file, cell, grid);
    by_algorithm[layout.grid().algorithm_of(cell).value()] += of_cell;
    all += of_cell;
  }
  fmt::print("{}: job \"{}\"{}\n", path, layout.job_name,
             layout.shard.empty() ? "" : fmt::format(", shard {}", layout.shard));
  const bool pending = all.count[0] > 0 || cases_done < static_cast<std::ptrdiff_t>(cases.size());
  if (!writer.empty())
    fmt::print("  being written by {}\n", writer);
  else if (live.status == "running")
    fmt::print("  its writer is gone; run the same sweep again to go on\n");
  else
    fmt::print("  {}\n", live.status);
  const bool complete = writer.empty() && (live.status == "complete" || live.status == "failed");
  const int status = !complete ? kExitInterrupted : live.status == "failed" ? 1 : 0;
  fmt::print("  cases solved      {} of {}\n", cases_done, cases.size());
  fmt::print("  runs settled      {} of {}{}\n", all.total() - all.count[0], all.total(),
             all.total() > 0
                 ? fmt::format(" ({:.1f} %)", 100.0 * static_cast<double>(all.total() - all.count[0]) /
                                                  static_cast<double>(all.total()))
                 : "");
  if (pending && layout.shard.empty()) {
    const double threads = static_cast<double>(std::max<std::int64_t>(1, live.threads));
    fmt::print("  left              {} of one core, {} on {} threads\n", duration_text(all.seconds_left),
               duration_text(all.seconds_left / threads), live.threads);
  }
  fmt::print("\n  {:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}\n", "algorithm", "runs", "done", "capped",
             "failed", "pending", "steps");
  for (std::size_t a = 0; a < by_algorithm.size(); ++a) show(layout.algorithms[a].name, by_algorithm[a]);
  if (by_algorithm.size() > 1) show("all", all);
  fmt::print("\n  conventions {}, setting {}, threshold {}, stream {}, seed {}, max_steps {}\n",
             layout.conventions, layout.setting, layout.threshold, layout.stream, layout.seed,
             layout.max_steps);
  fmt::print("  created {}, updated {}, by tasfg {} ({}; {})\n", layout.created, live.updated,
             layout.code_version, layout.git_commit, layout.build);
  fmt::print("  last on {} rank{}, {} threads; hosts: {}\n", live.ranks, live.ranks == 1 ? "" : "s",
             live.threads, live.hosts);

  const std::vector<Failure> failures = file.failures();
  if (failures.empty()) return status;
  fmt::print("\n  failed tasks{}\n", all.count[3] > static_cast<std::int64_t>(failures.size())
                                         ? fmt::format(" (the first {} of {})", failures.size(), all.count[3])
                                         : "");
  for (const Failure& failure : failures) {
    const auto c = static_cast<std::size_t>(failure.case_index);
    if (failure.algorithm < 0) {
      fmt::print("  the solution of {}: {}\n", layout.cases[c].label, failure.message);
      continue;
    }
    const auto a = static_cast<std::size_t>(failure.algorithm);
    fmt::print("  {} {} seed {}: {}\n", layout.cases[c].label, layout.algorithms[a].name, failure.seed,
               failure.message);
    if (grid) fmt::print("    replay: {}\n", grid->replay_command(c, a, failure.seed));
  }
  return status;
}

}  // namespace

void add_status_command(Command& app, int& status) {
  const auto path = std::make_shared<std::string>();
  const auto check = std::make_shared<bool>(false);
  Command* command = app.add_subcommand(
      "status", "OUT.h5: done, failed and left, ETA, provenance; also while the sweep runs");
  command->add_option("file", *path, "result file")->required();
  command->add_flag(
      "--check", *check,
      "for scripts: exit with 0 where the file is complete, 1 where tasks failed, 75 where it is not");
  command->footer(
      "Examples:\n  tasfg status out.h5\n  tasfg status out.h5 --check > /dev/null && echo complete");
  command->callback([path, check, &status] {
    const int state = show_status(*path);
    status = *check ? state : 0;
  });
}

}  // namespace tasfg
