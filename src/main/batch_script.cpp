#include "batch_script.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>

#include "array_script.hpp"
#include "requeue_script.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_csv.hpp"
#include "tasfg/sweep/progress.hpp"
#include "tasfg/sweep/slurm.hpp"
#include "tasfg/sweep/sweep.hpp"

namespace tasfg {
namespace {

constexpr double kMargin = 3.0;           // expected times are within that factor as a rule
constexpr double kStart = 300.0;          // seconds for nodes to come up
constexpr double kShortEnough = 300.0;    // seconds: more cores are not worth the wait in the queue
constexpr double kLongest = 24.0 * 3600;  // a sweep that needs longer queues itself again
constexpr int kUnknownNode = 8;           // CPUs of a node of a cluster that cannot be asked
constexpr std::size_t kLargestProlog = 1 << 20;

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
  const bool array = options.array > 0;
  if (array && (options.nodes > 1 || options.tasks_per_node > 1))
    throw InputError("--array", bad_value(options.array,
                                          "an element of an array is one process: leave out --nodes "
                                          "and --ntasks-per-node"));
  const std::string name = job_name(job.name);
  const auto absolute = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  const std::string output = absolute(options.output.empty() ? name + ".h5" : options.output);
  expect_folder_of(output);
  const std::string prolog = options.prolog.empty() ? "" : read_text_file(options.prolog, kLargestProlog);

  const int nodes = std::max(1, options.nodes), tasks = std::max(1, options.tasks_per_node);
  const int parts = std::max(1, options.array);
  const std::optional<int> known = slurm_node_cpus(options.partition);
  const int of_node = known.value_or(kUnknownNode);
  const std::string assumed =
      known || options.cpus_per_task > 0
          ? ""
          : fmt::format(
                "sinfo does not say how many CPUs a node has; {} are assumed (--cpus-per-task sets "
                "the number that a process takes)",
                kUnknownNode);
  const int wanted = options.nodes > 0 ? of_node : std::min((useful_cores(job) + parts - 1) / parts, of_node);
  const int cpus = options.cpus_per_task > 0 ? options.cpus_per_task : std::max(1, wanted / tasks);
  const double seconds = makespan(job, parts * nodes * tasks * cpus);
  const std::string time =
      options.time.empty() ? time_limit(kMargin * seconds + kStart) : word(options.time, "--time");
  if (!options.time.empty()) (void)parse_duration(options.time, "--time");
  const std::int64_t memory = options.megabytes_per_cpu > 0
                                  ? options.megabytes_per_cpu
                                  : std::max<std::int64_t>(128, megabytes(job, cpus) / cpus + 1);

  std::string script = fmt::format(
      "#!/usr/bin/env bash\n"
      "# Job \"{}\": {} of one core expected, {} on {} x {} x {} CPUs. Written by `tasfg plan --sbatch`.\n"
      "# Goes on where it was when it is submitted again, and queues itself again until it is complete.\n",
      name, duration_text(job.seconds), duration_text(seconds), parts * nodes, tasks, cpus);
  if (!assumed.empty()) script += "# " + assumed + ".\n";
  if (array)
    script += fmt::format("# When all elements are done: {} merge {} {}.part-*\n",
                          shell_quoted(options.program), shell_quoted(output), shell_quoted(output));
  const auto line = [&](const std::string& text) { script += "#SBATCH --" + text + "\n"; };
  const auto given = [&](const char* option, const std::string& value) {
    if (!value.empty()) line(fmt::format("{}={}", option, word(value, fmt::format("--{}", option).c_str())));
  };
  line("job-name=" + name);
  given("partition", options.partition);
  given("account", options.account);
  given("qos", options.qos);
  given("constraint", options.constraint);
  if (!options.mail_user.empty()) {
    given("mail-user", options.mail_user);
    line("mail-type=END,FAIL");
  }
  if (array) line(fmt::format("array=0-{}", parts - 1));
  line(fmt::format("nodes={}", nodes));
  line(fmt::format("ntasks-per-node={}", tasks));
  line(fmt::format("cpus-per-task={}", cpus));
  line(fmt::format("mem-per-cpu={}M", memory));
  line("time=" + time);

  // The rest is the shipped script's, but for what was just said.
  std::istringstream lines{std::string(array ? kArrayScript : kRequeueScript)};
  bool body = false;
  for (std::string text; std::getline(lines, text);) {
    const auto starts = [&](std::string_view prefix) { return text.compare(0, prefix.size(), prefix) == 0; };
    if (starts("#SBATCH --output") || starts("#SBATCH --open-mode") || starts("#SBATCH --requeue") ||
        starts("#SBATCH --signal"))
      script += text + "\n";
    if (starts("set -uo pipefail")) {
      body = true;
      // Before the shell is set to be strict: the scripts of module systems often are not.
      if (!prolog.empty()) script += fmt::format("{}{}", prolog, prolog.back() == '\n' ? "" : "\n");
      script += text + "\n";
      script += fmt::format("JOB={}\nOUT={}\nTASFG={}\n", shell_quoted(absolute(job.path)),
                            shell_quoted(output), shell_quoted(options.program));
      std::string more;
      for (const std::string& each : job.overrides) more += fmt::format(" --set {}", shell_quoted(each));
      if (!more.empty()) script += fmt::format("set --{} \"$@\"\n", more);
      continue;
    }
    if (body && !starts("JOB=") && !starts("OUT=") && !starts("TASFG=")) script += text + "\n";
  }
  if (!assumed.empty()) say(assumed);
  return script;
}

}  // namespace tasfg
