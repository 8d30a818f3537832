#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "commands.hpp"
#include "file_state.hpp"
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/stopwatch.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

struct Screen {
  std::size_t columns = 100, rows = 1000;
};

Screen screen_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {80, 24};
  return {size.ws_col, size.ws_row};
}

std::string bar(double percent, std::size_t width) {
  const auto full = static_cast<std::size_t>(percent / 100.0 * static_cast<double>(width));
  return std::string(std::min(full, width), '#') + std::string(width - std::min(full, width), '.');
}

/// "3 of 8 cells are precise".
std::string precise_cells(const FileState& state) {
  using enum Decision::State;
  const std::int64_t at_most = state.cells_that_are(maximum);
  return fmt::format("{} of {} cells are precise{}", state.cells_that_are(precise), state.cells.size(),
                     at_most > 0 ? fmt::format(", {} cannot be with so many replications", at_most) : "");
}

std::string workers(const FileState& state) {
  return state.writer.empty() ? "no workers"
                              : fmt::format("{}/{} workers busy", state.live.busy, state.live.threads);
}

std::string time_left(const FileState& state) {
  return state.pending == 0 ? "done" : fmt::format("ETA {}", duration_text(state.seconds_left_on_threads()));
}

/// The picture, line by line.
std::vector<std::string> picture(const std::string& path, const FileState& state, const Screen& screen) {
  const ResultLayout& layout = state.layout();
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: job \"{}\"{}   {}", path, printable(layout.job_name),
                              state.shard.whole() ? "" : fmt::format(", shard {}", state.shard.text()),
                              iso_time()));
  lines.push_back(fmt::format("{}; {} rank{} on {}", state.words(), state.live.ranks,
                              state.live.ranks == 1 ? "" : "s", printable(state.live.hosts)));
  lines.push_back(fmt::format("{}, {}, {} of {} cases solved, {} steps", workers(state), time_left(state),
                              state.cases_done, state.cases, count_text(state.all.steps)));
  lines.emplace_back();
  constexpr std::size_t kBar = 30;
  const auto show = [&](const std::string& name, const Tally& tally) {
    lines.push_back(fmt::format("{:<18}[{}] {:>5.1f} %  {} of {}{} runs{}{}", printable(name),
                                bar(tally.percent(), kBar), tally.percent(), tally.settled(),
                                layout.precision.empty() ? "" : "about ", tally.settled() + tally.foreseen,
                                tally.count[2] > 0 ? fmt::format(", {} capped", tally.count[2]) : "",
                                tally.count[3] > 0 ? fmt::format(", {} failed", tally.count[3]) : ""));
  };
  for (std::size_t a = 0; a < state.by_algorithm.size(); ++a)
    show(layout.algorithms[a].name, state.by_algorithm[a]);
  if (state.by_algorithm.size() > 1) show("all", state.all);
  if (layout.precision.empty()) return lines;
  lines.emplace_back();
  lines.push_back(
      fmt::format("precision {}: {}; the widest:", printable(layout.precision), precise_cells(state)));
  for (const auto& [cell, decision] : state.cells) {
    if (lines.size() + 2 > screen.rows) break;
    if (decision.looked == 0) continue;
    lines.push_back(
        fmt::format("{:>8} runs  {}: {}", decision.looked, state.name(cell), state.words(decision.width)));
  }
  return lines;
}

/// For a log: all in one line.
std::string line_of(const FileState& state) {
  const auto widest = std::find_if(state.cells.begin(), state.cells.end(), [](const CellPrecision& each) {
    return each.decision.looked > 0 && !each.decision.settled();
  });
  return fmt::format("{} of {}{} runs ({:.1f} %), {}, {}{}{}", state.all.settled(),
                     state.layout().precision.empty() ? "" : "about ",
                     state.all.settled() + state.all.foreseen, state.all.percent(), workers(state),
                     time_left(state), state.cells.empty() ? "" : fmt::format(", {}", precise_cells(state)),
                     widest == state.cells.end() ? ""
                                                 : fmt::format("; widest {}: {}", state.name(widest->cell),
                                                               state.words(widest->decision.width)));
}

struct Options {
  std::string path;
  double interval = 2.0;
  bool once = false;
};

int watch(const Options& options) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  for (std::string before;;) {
    const Stopwatch clock;
    const FileState state = state_of(options.path);
    const bool over = state.writer.empty();
    if (options.once || (over && !terminal)) {
      for (const std::string& line : picture(options.path, state, {})) fmt::print("{}\n", line);
      return state.exit_status();
    }
    if (terminal) {
      const Screen screen = screen_size();
      std::string text = "\x1b[H";  // over the last picture, so that nothing flickers
      for (const std::string& line : picture(options.path, state, screen))
        text += fmt::format("{}\x1b[K\n", line.substr(0, screen.columns - 1));
      fmt::print("{}{}\x1b[J", before.empty() ? "\x1b[2J" : "", text);
      before = "shown";
    } else if (const std::string line = line_of(state); line != before) {
      fmt::print("{} {}\n", iso_time(), line);
      before = line;
    }
    if (std::fflush(stdout) != 0) throw SystemError("standard output", bad_state("cannot be written"));
    if (over) return state.exit_status();
    // A large file takes a while to read: the sweep has the disk first.
    constexpr double kShare = 10.0;
    std::this_thread::sleep_for(
        std::chrono::duration<double>(std::max(options.interval, kShare * clock.seconds())));
  }
}

}  // namespace

void add_watch_command(Command& app, int& status) {
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("watch", "OUT.h5: a live view of a sweep, until it ends");
  command->add_option("file", options->path, "result file")->required();
  command->add_option("--interval", options->interval, "seconds between two looks")->capture_default_str();
  command->add_flag("--once", options->once, "one look, as plain text");
  command->footer(
      "It only reads the file, and so works from any machine that sees it. On a terminal it shows one "
      "picture; "
      "elsewhere\na line whenever something has changed, and the picture at the end.\n"
      "Exit status: as of tasfg status --check: 0 complete, 1 tasks failed, 75 not complete.\n\n"
      "Examples:\n  tasfg watch out.h5\n  tasfg watch out.h5 --interval 60 >> watch.log &");
  command->callback([options, &status] {
    constexpr double kShortest = 0.1, kLongest = 86400.0;
    if (!(options->interval >= kShortest && options->interval <= kLongest))
      throw InputError("--interval", bad_value(options->interval,
                                               fmt::format("must be {} to {} seconds", kShortest, kLongest)));
    status = watch(*options);
  });
}

}  // namespace tasfg
