/// The record of one run: all that is kept of a trajectory. A new quantity is a member here, a row of the
/// table of datasets (src/io/result_table.cpp) and a line of docs/result-file.md.
#pragma once

#include <cstdint>
#include <vector>

#include "tasfg/base/elementary.hpp"

namespace tasfg {

/// As in /runs/status and /cases/status.
enum class TaskStatus : std::int8_t {
  pending = 0,
  done = 1,
  capped = 2,  // at max_steps, before it stopped at every δ
  failed = 3,
  not_needed = 4,  // the runs before it are enough (sim/precision.hpp)
};
inline constexpr int kTaskStatuses = 5;

struct RunRecord {
  TaskStatus status = TaskStatus::pending;
  std::int64_t steps = -1;  // draws until every δ had stopped
  double seconds = kNaN;
  std::int32_t attempts = 0;
  std::int32_t sitting = -1;  // of the file that holds it, in which it was made; filled in by who writes it

  // One for each δ, in the order given.
  std::vector<std::int64_t> tau;  // as the conventions report it; where not stopped, the draws made
  std::vector<std::int32_t> recommended;
  std::vector<std::int8_t> correct;  // 1: the recommended vertex is the best one
  std::vector<std::int8_t> stopped;  // 0: capped before
  std::vector<double> log_weight;    // ln of the weight of a run under another law; only where there is one

  std::vector<std::int64_t> pulls;     // N_v after `steps` draws
  std::vector<std::int64_t> pulls_at;  // δ × vertex: N_v when each δ stopped; only where asked for

  // One for each checkpoint t: what the learner would answer after t draws.
  std::vector<std::int32_t> checkpoint_recommended;
  std::vector<std::int8_t> checkpoint_correct;
  std::vector<double> checkpoint_T_ratio;  // T(N/t) under the true model, over T*; infinite: a vertex unseen

  std::uint32_t checksum = 0;  // of what the table says; filled in when the record joins a batch
};

}  // namespace tasfg
