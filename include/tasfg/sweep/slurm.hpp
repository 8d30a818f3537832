/// What a sweep asks of SLURM, by SLURM's own commands: when its job ends, to be queued again, how large
/// nodes are.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tasfg {

/// What a command printed, or nothing where it cannot be started, fails, or takes longer than ten seconds.
[[nodiscard]] std::optional<std::string> output_of(const std::vector<std::string>& command);

/// SLURM's name of the job that this process is part of ("21", or "20_3" in an array); empty outside of one.
[[nodiscard]] std::string slurm_job();

/// Seconds until SLURM ends the job; infinite outside of one, and where it has no limit. Asks `squeue` where
/// the environment does not say. InputError where the environment says what is no time.
[[nodiscard]] double slurm_seconds_left();

/// Seconds in SLURM's spelling of a span: "12:05", "1:00:00", "2-00:00:00"; infinite for "UNLIMITED".
[[nodiscard]] std::optional<double> slurm_span(const std::string& text);

/// Has the job queued again, which ends this process soon. False, and says why, where SLURM refuses.
bool slurm_requeue();

/// CPUs that every node of a partition (empty: of the cluster) has; nothing where there is no SLURM.
[[nodiscard]] std::optional<int> slurm_node_cpus(const std::string& partition);

}  // namespace tasfg
