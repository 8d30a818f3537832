#include "tasfg/sweep/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"

namespace tasfg {
namespace {

constexpr double kLiveInterval = 0.2;
constexpr double kFirstLine = 5.0;
constexpr double kLongestInterval = 300.0;

/// Printing by fmt would throw where standard error is a pipe that nobody reads: no reason to end a sweep.
void put(const std::string& text) {
  (void)std::fputs(text.c_str(), stderr);
  (void)std::fflush(stderr);
}

/// Columns of the terminal on standard error; 80 where it does not say.
std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

void say(const std::string& text) {
  put(fmt::format("tasfg: {}\n", text));
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 10.0) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole % 86400 / 3600);
}

std::string count_text(double value) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (value >= 1000.0 && unit + 1 < std::size(kUnits)) {
    value /= 1000.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}{}", value, kUnits[unit]);
}

Progress::Progress(Mode mode)
    : quiet_(mode == Mode::quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(terminal_ ? kLiveInterval : kFirstLine),
      interval_(terminal_ ? kLiveInterval : kFirstLine) {}

void Progress::update(double now, const ProgressState& state) {
  if (!due(now)) return;
  if (!terminal_) interval_ = std::min(kLongestInterval, 2.0 * interval_);
  next_ = now + interval_;
  if (quiet_) return;
  const double span = now - last_time_;
  const double rate = span > 0.0 ? (state.steps - last_steps_) / span : 0.0;
  // Long runs report rarely: a running mean keeps the figure steady.
  rate_ = rate_ == 0.0 ? rate : rate_ + (1.0 - std::exp(-span / 5.0)) * (rate - rate_);
  last_time_ = now;
  last_steps_ = state.steps;
  const double percent =
      state.total > 0 ? 100.0 * static_cast<double>(state.done) / static_cast<double>(state.total) : 100.0;
  const std::string line = fmt::format(
      "{}/{} tasks ({:.1f} %){}, {} steps/s, ETA {}, {}/{} workers busy", state.done, state.total, percent,
      state.failed > 0 ? fmt::format(", {} failed", state.failed) : "", count_text(rate_),
      duration_text(state.seconds_left / std::max(1, state.threads)), state.busy, state.threads);
  // A line that wraps would leave its first half behind at every turn.
  put(terminal_ ? fmt::format("\r{}\x1b[K", line.substr(0, terminal_width() - 1))
                : fmt::format("{} {}\n", iso_time(), line));
  shown_ = terminal_;
}

void Progress::say(const std::string& text) {
  finish();
  tasfg::say(text);
}

void Progress::finish() {
  if (shown_) put("\r\x1b[K");
  shown_ = false;
}

double parse_duration(const std::string& text, std::string_view where) {
  const auto wrong = [&] {
    return InputError(std::string(where),
                      bad_state(in_quotes(text), "must be seconds, as 90, or 10m, 2h, HH:MM:SS, D-HH:MM:SS"));
  };
  const auto number = [&](std::string_view part) {
    const std::optional<double> value = to_number(part);
    if (!value || *value < 0.0) throw wrong();
    return *value;
  };
  std::string_view rest = text;
  double unit = 1.0;
  if (!rest.empty() && std::string_view("smh").find(rest.back()) != std::string_view::npos) {
    unit = rest.back() == 's' ? 1.0 : rest.back() == 'm' ? 60.0 : 3600.0;
    rest.remove_suffix(1);
  }
  double days = 0.0;
  if (const auto dash = rest.find('-'); dash != std::string_view::npos) {
    days = number(rest.substr(0, dash));
    rest.remove_prefix(dash + 1);
  }
  double seconds = 0.0;
  for (std::size_t at = 0; at <= rest.size();) {
    const std::size_t colon = std::min(rest.find(':', at), rest.size());
    seconds = 60.0 * seconds + number(rest.substr(at, colon - at));
    at = colon + 1;
  }
  const double total = unit * seconds + 86400.0 * days;
  if (!(total > 0.0)) throw wrong();
  return total;
}

}  // namespace tasfg
