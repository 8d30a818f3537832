#include "tasfg/sweep/slurm.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

constexpr std::chrono::seconds kPatience{10};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Reads until the other end is closed or patience is over.
std::optional<std::string> read_all(int from) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::string text;
  std::array<char, 4096> block{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return {};
    pollfd wait{from, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) return {};
    if (wait.revents == 0) continue;
    const ssize_t n = ::read(from, block.data(), block.size());
    if (n == 0) return text;
    if (n < 0 && errno != EINTR) return {};
    if (n > 0) text.append(block.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::optional<std::string> output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::optional<std::string> text;
  if (failed == 0) {
    text = read_all(ends[0]);
    if (!text) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) text.reset();
  }
  close(ends[0]);
  return text;
}

std::string slurm_job() {
  // The number alone means the whole array where it is that of the array's last element.
  const std::string array = variable("SLURM_ARRAY_JOB_ID"), element = variable("SLURM_ARRAY_TASK_ID");
  if (!array.empty() && !element.empty()) return array + "_" + element;
  return variable("SLURM_JOB_ID");
}

std::optional<double> slurm_span(const std::string& text) {
  if (text == "UNLIMITED") return kInfinity;
  if (text.find(':') == std::string::npos) return {};  // INVALID, NOT_SET, nothing
  try {
    return parse_duration(text, "squeue");
  } catch (const InputError&) {
    return {};
  }
}

double slurm_seconds_left() {
  const std::string job = slurm_job();
  if (const std::string end = variable("SLURM_JOB_END_TIME"); !end.empty()) {
    const double at = placed("SLURM_JOB_END_TIME", [&] {
      return parse_number(end, "must be seconds since 1970, as SLURM sets it");
    });
    const double left = at - static_cast<double>(std::time(nullptr));
    return std::max(left, 1.0);  // SLURM may let a job run on a little
  }
  if (job.empty()) return kInfinity;
  const auto answer = output_of({"squeue", "--noheader", "--jobs", job, "--format", "%L"});
  if (const auto left = slurm_span(answer ? first_line(*answer) : "")) return *left;
  say(fmt::format("squeue does not say when job {} ends; no limit is assumed (--walltime gives one)", job));
  return kInfinity;
}

bool slurm_requeue() {
  const std::string job = slurm_job();
  if (output_of({"scontrol", "requeue", job})) {
    say(fmt::format("job {} is queued again", job));
    return true;
  }
  say(fmt::format("`scontrol requeue {}` failed; submit the job again to go on", job));
  return false;
}

std::optional<int> slurm_node_cpus(const std::string& partition) {
  std::vector<std::string> command{"sinfo", "--noheader", "--Node", "--format", "%c"};
  if (!partition.empty()) command.insert(command.end(), {"--partition", partition});
  const auto answer = output_of(command);
  if (!answer) return {};
  std::istringstream lines(*answer);
  std::optional<int> smallest;
  for (int cpus = 0; lines >> cpus;) smallest = std::min(smallest.value_or(cpus), cpus);
  return smallest;
}

}  // namespace tasfg
