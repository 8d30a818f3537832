#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "file_state.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

using Json = nlohmann::ordered_json;

void show(const std::string& name, const Tally& t, bool precise) {
  fmt::print("  {:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{}{:>12}\n", printable(name), t.total(), t.count[1],
             t.count[2], t.count[3], t.count[0], precise ? fmt::format("{:>12}", t.count[4]) : "",
             count_text(t.steps));
}

/// How many cells are precise, and which are not.
void show_precision(const FileState& state) {
  using enum Decision::State;
  fmt::print(
      "\n  precision         {}: {} of {} cells are precise, {} at the most replications are not, {} go on\n",
      printable(state.layout().precision), state.cells_that_are(precise), state.cells.size(),
      state.cells_that_are(maximum), state.cells_that_are(waiting));
  constexpr std::size_t kShown = 10;
  std::size_t shown = 0, left = 0;
  for (const auto& [cell, decision] : state.cells) {
    if (decision.state == precise || decision.looked == 0) continue;
    if (shown == kShown) {
      ++left;
      continue;
    }
    ++shown;
    fmt::print("  {}, {} runs: {}\n", state.name(cell), decision.looked, state.words(decision.width));
  }
  if (left > 0) fmt::print("  and {} more that are not precise; --json lists all\n", left);
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
  fmt::print("  {}\n", state.words());
  fmt::print("  cases solved      {} of {}\n", state.cases_done, state.cases);
  const bool precise = !layout.precision.empty();
  fmt::print("  runs settled      {} of {}{}{}\n", all.settled(),
             precise ? "" : fmt::format("{}", all.total()),
             precise ? fmt::format("about {}", all.settled() + all.foreseen) : "",
             all.total() > 0 ? fmt::format(" ({:.1f} %)", all.percent()) : "");
  if (state.pending > 0)
    fmt::print("  left              {} of one core, {} on {} threads\n", duration_text(all.seconds_left),
               duration_text(state.seconds_left_on_threads()), live.threads);
  fmt::print("\n  {:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{}{:>12}\n", "algorithm", "runs", "done", "capped",
             "failed", "pending", precise ? "  not needed" : "", "steps");
  for (std::size_t a = 0; a < state.by_algorithm.size(); ++a)
    show(layout.algorithms[a].name, state.by_algorithm[a], precise);
  if (state.by_algorithm.size() > 1) show("all", all, precise);
  if (precise) show_precision(state);
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
  return {{"runs", t.total()},      {"done", t.count[1]},
          {"capped", t.count[2]},   {"failed", t.count[3]},
          {"pending", t.count[0]},  {"not_needed", t.count[4]},
          {"foreseen", t.foreseen}, {"steps", t.steps},
          {"seconds", t.seconds},   {"seconds_left", t.seconds_left}};
}

Json to_json(const FileState& state, const CellPrecision& precision) {
  static constexpr const char* kStates[] = {"waiting", "precise", "maximum"};
  const ResultLayout& layout = state.layout();
  const Decision& decision = precision.decision;
  const KnownValue& known = decision.width.interval;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  return {
      {"case", printable(layout.cases[layout.grid().case_of(precision.cell).value()].label)},
      {"algorithm", printable(layout.algorithms[layout.grid().algorithm_of(precision.cell).value()].name)},
      {"state", kStates[static_cast<std::size_t>(decision.state)]},
      {"runs", decision.looked},
      {"foreseen", foreseen_runs(decision, layout.replications)},
      {"quantity", kQuantityNames[known.quantity]},
      {"delta", layout.delta[decision.width.delta]},
      {"value", number(known.value)},
      {"low", number(known.low)},
      {"high", number(known.high)},
      {"relative", number(known.relative)},
      {"asked", decision.width.target},
      {"why_not", text_of(known.doubt)}};
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
  if (!layout.precision.empty()) {
    out["precision"] = {{"asked", printable(layout.precision)}, {"cells", Json::array()}};
    for (const CellPrecision& each : state.cells) out["precision"]["cells"].push_back(to_json(state, each));
  }
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
  out["busy"] = live.busy;
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
