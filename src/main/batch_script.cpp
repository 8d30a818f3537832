#include "batch_script.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "requeue_script.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/progress.hpp"
#include "tasfg/sweep/slurm.hpp"

namespace tasfg {
namespace {

constexpr double kMargin = 3.0;           // expected times are within that factor as a rule
constexpr double kStart = 300.0;          // seconds for nodes to come up
constexpr double kShortEnough = 300.0;    // seconds: more cores are not worth the wait in the queue
constexpr double kLongest = 24.0 * 3600;  // a sweep that needs longer queues itself again
constexpr int kUnknownNode = 8;           // CPUs of a node of a cluster that cannot be asked

/// 'text' for a shell.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// A value of a #SBATCH line, which ends at the first blank.
const std::string& word(const std::string& value, const char* option) {
  const auto plain = [](unsigned char c) {
    return std::isgraph(c) != 0 && c != '#' && c != '"' && c != '\'';
  };
  if (!std::all_of(value.begin(), value.end(), plain))
    throw InputError(option, bad_state(in_quotes(value), "must be one word"));
  return value;
}

/// A job name without what SLURM would make of blanks and slashes.
std::string job_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') c = '-';
  return name.empty() ? "tasfg" : name;
}

double makespan(const BatchJob& job, int cores) {
  return std::max(job.seconds / cores, cores > 1 ? job.longest : 0.0);
}

/// The cores worth asking for: as long as they are four fifths busy, and the sweep takes its time.
int useful_cores(const BatchJob& job) {
  int cores = 1;
  while (cores < 4096 && makespan(job, cores) > kShortEnough &&
         job.seconds >= 0.8 * 2 * cores * makespan(job, 2 * cores))
    cores *= 2;
  return cores;
}

/// Up to the next five minutes, the next hour beyond two hours.
std::string time_limit(double seconds) {
  const double unit = seconds < 7200.0 ? 300.0 : 3600.0;
  const auto whole = static_cast<std::int64_t>(unit * std::ceil(std::min(seconds, kLongest) / unit));
  return fmt::format("{}-{:02}:{:02}:{:02}", whole / 86400, whole / 3600 % 24, whole / 60 % 60, whole % 60);
}

std::int64_t megabytes(const BatchJob& job, int threads) {
  constexpr double kRank = 150.0, kThread = 10.0;  // MB: libraries and MPI; stack and buffers
  const double K = job.largest_K;
  const double bytes = 64.0 * job.tasks + job.cases * (64.0 * K + 24.0 * K * K) + 200.0 * K * K * threads;
  constexpr double kStep = 64.0;
  return static_cast<std::int64_t>(kStep * std::ceil((kRank + kThread * threads + 2e-6 * bytes) / kStep));
}

}  // namespace

std::string batch_script(const BatchJob& job, const BatchOptions& options) {
  const int nodes = std::max(1, options.nodes), tasks = std::max(1, options.tasks_per_node);
  const int of_node = slurm_node_cpus(options.partition).value_or(kUnknownNode);
  const int wanted = options.nodes > 0 ? of_node : std::min(useful_cores(job), of_node);
  const int cpus = options.cpus_per_task > 0 ? options.cpus_per_task : std::max(1, wanted / tasks);
  const int cores = nodes * tasks * cpus;
  const double seconds = makespan(job, cores);
  const std::string time =
      options.time.empty() ? time_limit(kMargin * seconds + kStart) : word(options.time, "--time");
  if (!options.time.empty()) (void)parse_duration(options.time, "--time");
  const std::int64_t memory = options.megabytes_per_cpu > 0
                                  ? options.megabytes_per_cpu
                                  : std::max<std::int64_t>(128, megabytes(job, cpus) / cpus + 1);
  const std::string name = job_name(job.name);
  const auto absolute = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };

  std::string script = fmt::format(
      "#!/usr/bin/env bash\n"
      "# Job \"{}\": {} of one core expected, {} on {} x {} x {} CPUs. Written by `tasfg plan --sbatch`.\n"
      "# Goes on where it was when it is submitted again, and queues itself again until it is complete.\n",
      name, duration_text(job.seconds), duration_text(seconds), nodes, tasks, cpus);
  const auto line = [&](const std::string& text) { script += "#SBATCH --" + text + "\n"; };
  line("job-name=" + name);
  if (!options.partition.empty()) line("partition=" + word(options.partition, "--partition"));
  if (!options.account.empty()) line("account=" + word(options.account, "--account"));
  line(fmt::format("nodes={}", nodes));
  line(fmt::format("ntasks-per-node={}", tasks));
  line(fmt::format("cpus-per-task={}", cpus));
  line(fmt::format("mem-per-cpu={}M", memory));
  line("time=" + time);

  // The rest is the shipped script's, but for what was just said.
  std::istringstream lines{std::string(kRequeueScript)};
  bool body = false;
  for (std::string text; std::getline(lines, text);) {
    const auto starts = [&](std::string_view prefix) { return text.compare(0, prefix.size(), prefix) == 0; };
    if (starts("#SBATCH --output") || starts("#SBATCH --open-mode") || starts("#SBATCH --requeue") ||
        starts("#SBATCH --signal"))
      script += text + "\n";
    if (starts("set -uo pipefail")) {
      body = true;
      script += text + "\n";
      script += fmt::format("JOB={}\nOUT={}\nTASFG={}\n", shell_quoted(absolute(job.path)),
                            shell_quoted(absolute(options.output.empty() ? name + ".h5" : options.output)),
                            shell_quoted(options.program));
      std::string more;
      for (const std::string& each : job.overrides) more += fmt::format(" --set {}", shell_quoted(each));
      if (!more.empty()) script += fmt::format("set --{} \"$@\"\n", more);
      continue;
    }
    if (body && !starts("JOB=") && !starts("OUT=") && !starts("TASFG=")) script += text + "\n";
  }
  return script;
}

}  // namespace tasfg
