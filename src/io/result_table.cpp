#include "result_table.hpp"

#include <algorithm>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/member_count.hpp"

namespace tasfg {
namespace {

using enum Dimension;

// What a record's checksum covers: numbers and counts that may be missing, and the status, which never is.
constexpr Traits kNumber{.fill = kNaN, .fill_is_missing = true, .summed = true};
constexpr Traits kCount{.fill = -1, .fill_is_missing = true, .summed = true};
constexpr Traits kStatus{.summed = true};
// What it leaves out.
constexpr Traits kNumberAside{.fill = kNaN, .fill_is_missing = true};
constexpr Traits kAlwaysThere{};
// What only some jobs ask for.
constexpr Traits kPullsByDelta{
    .fill = -1, .fill_is_missing = true, .summed = true, .present = Present::with_pulls_by_delta};
constexpr Traits kCheckpointNumber{
    .fill = kNaN, .fill_is_missing = true, .summed = true, .present = Present::with_checkpoints};
constexpr Traits kCheckpointCount{
    .fill = -1, .fill_is_missing = true, .summed = true, .present = Present::with_checkpoints};
constexpr Traits kLogWeight{
    .fill = kNaN, .fill_is_missing = true, .summed = true, .present = Present::with_weights, .since = 1};
constexpr Traits text_of(std::size_t room) {
  return {.text_room = room};
}
// Of the sittings.
constexpr Traits kSittingIndex{.fill = -1, .fill_is_missing = true, .since = 1};
constexpr Traits kSittingNumber{.summed = true, .since = 1};
constexpr Traits kSittingChecksum{.since = 1};
constexpr Traits sitting_text(std::size_t room) {
  return {.summed = true, .since = 1, .text_room = room};
}

// Where the values of a record stand in its dataset: before and after the record's own last dimension.
constexpr Inner kOnce{};
constexpr Inner kPerDelta{.before = delta};
constexpr Inner kPerCheckpoint{.before = checkpoint};
constexpr Inner kPerVertex{.after = vertex};
constexpr Inner kPerDeltaAndVertex{.before = delta, .after = vertex};
constexpr Inner kDeltaAfter{.after = delta};
constexpr Inner kCheckpointAfter{.after = checkpoint};

using Run = RunRecord;
constexpr Dataset<Run> kRuns[] = {
    {"status", &Run::status, kOnce, kStatus, "1", "state of the run"},
    {"steps", &Run::steps, kOnce, kCount, "draws", "draws of the trajectory until every delta had stopped"},
    {"seconds", &Run::seconds, kOnce, kNumberAside, "s", "time that the trajectory took"},
    {"attempts", &Run::attempts, kOnce, kAlwaysThere, "1", "times that the run was handed to a worker"},
    {"sitting", &Run::sitting, kOnce, kSittingIndex, "1", "sitting in which the run was made"},
    {"tau", &Run::tau, kPerDelta, kCount, "draws", "stopping time (draws made, where not stopped)"},
    {"recommended", &Run::recommended, kPerDelta, kCount, "1", "recommended vertex, from 0"},
    {"correct", &Run::correct, kPerDelta, kCount, "1", "1: the recommended vertex is the best one"},
    {"stopped", &Run::stopped, kPerDelta, kCount, "1", "1: stopped at this delta; 0: capped before"},
    {"log_weight", &Run::log_weight, kPerDelta, kLogWeight, "nat",
     "ln of what the run counts in the probability of a wrong answer"},
    {"pulls", &Run::pulls, kPerVertex, kCount, "draws", "draws of each vertex"},
    {"pulls_at", &Run::pulls_at, kPerDeltaAndVertex, kPullsByDelta, "draws",
     "draws of each vertex when it stopped"},
    {"checkpoint_recommended", &Run::checkpoint_recommended, kPerCheckpoint, kCheckpointCount, "1",
     "vertex that would be recommended after so many draws"},
    {"checkpoint_correct", &Run::checkpoint_correct, kPerCheckpoint, kCheckpointCount, "1",
     "1: that vertex is the best one"},
    {"checkpoint_T_ratio", &Run::checkpoint_T_ratio, kPerCheckpoint, kCheckpointNumber, "1",
     "T at the shares of the draws so far, over T_star"},
    {"checksum", &Run::checksum, kOnce, kAlwaysThere, "1", "CRC-32 of the run's results"},
};

using Description = CaseDescription;
constexpr Dataset<Description> kDescriptions[] = {
    {"graph", &Description::graph, kOnce, kAlwaysThere, "", "graph family"},
    {"label", &Description::label, kOnce, kAlwaysThere, "", "the case in words"},
    {"K", &Description::K, kOnce, kAlwaysThere, "1", "number of vertices"},
    {"p", &Description::p, kOnce, kNumberAside, "1", "parameter p of the graph"},
    {"q", &Description::q, kOnce, kNumberAside, "1", "parameter q of the graph"},
    {"r", &Description::r, kOnce, kNumberAside, "1", "parameter r of the graph"},
    {"reward", &Description::reward, kOnce, kAlwaysThere, "", "reward family"},
    {"variance", &Description::variance, kOnce, kNumberAside, "1", "variance of Gaussian rewards"},
    {"parameters", &Description::parameters, kOnce, kAlwaysThere, "", "all parameters of the graph"},
    {"reward_parameters", &Description::reward_parameters, kOnce, kAlwaysThere, "",
     "all parameters of the rewards"},
    {"observability", &Description::observability, kOnce, kAlwaysThere, "", "observability of the graph"},
    {"best", &Description::best, kOnce, kAlwaysThere, "1", "best vertex, from 0"},
    {"edges", &Description::edges, kOnce, kAlwaysThere, "1", "number of edges"},
    {"key", &Description::key, kOnce, kAlwaysThere, "1",
     "key of the instance's content, which its random streams depend on"},
    {"means", &Description::means, kPerVertex, kNumberAside, "1", "mean rewards"},
};
constexpr std::size_t kRunCoordinates = 8;  // the first of them

using Solution = CaseSolution;
constexpr Dataset<Solution> kSolutions[] = {
    {"status", &Solution::status, kOnce, kStatus, "1", "state of the case's solution"},
    {"T_star", &Solution::T_star, kOnce, kNumber, "draws per nat",
     "characteristic time: the value of omega, an upper end"},
    {"T_star_lower", &Solution::T_star_lower, kOnce, kNumber, "draws per nat",
     "certified lower end of the characteristic time"},
    {"T_heuristic", &Solution::T_heuristic, kOnce, kNumber, "draws per nat", "T at the heuristic allocation"},
    {"T_uniform", &Solution::T_uniform, kOnce, kNumber, "draws per nat", "T at the uniform allocation"},
    {"m_norm", &Solution::m_norm, kOnce, kNumber, "1", "Euclidean norm of m"},
    {"tv_heuristic", &Solution::tv_heuristic, kOnce, kNumber, "1",
     "total variation between omega and omega_heuristic"},
    {"alpha", &Solution::alpha, kOnce, kCount, "1",
     "independence number (a lower bound where alpha_upper is larger)"},
    {"alpha_upper", &Solution::alpha_upper, kOnce, kCount, "1", "upper bound of the independence number"},
    {"weak_domination", &Solution::weak_domination, kOnce, kCount, "1",
     "weak domination number (an upper bound where weak_domination_lower is smaller)"},
    {"weak_domination_lower", &Solution::weak_domination_lower, kOnce, kCount, "1",
     "lower bound of the weak domination number"},
    {"domination", &Solution::domination, kOnce, kCount, "1", "size of the smallest dominating set found"},
    {"self_loops", &Solution::self_loops, kOnce, kCount, "1",
     "number of vertices with a self-loop, sigma(G)"},
    {"face_dimension", &Solution::face_dimension, kOnce, kCount, "1",
     "dimension of the set of optimal allocations; 0: omega is unique"},
    {"iterations", &Solution::iterations, kOnce, kCount, "1", "iterations of the solver"},
    {"omega", &Solution::omega, kPerVertex, kNumber, "1",
     "optimal allocation (the analytic centre where it is not unique)"},
    {"omega_heuristic", &Solution::omega_heuristic, kPerVertex, kNumber, "1", "heuristic allocation"},
    {"m", &Solution::m, kPerVertex, kNumber, "observations per draw", "observation rates at omega"},
    {"lower_bound", &Solution::lower_bound, kDeltaAfter, kNumber, "draws",
     "least mean stopping time of any delta-correct algorithm: T_star kl(delta, 1-delta)"},
    {"practical_bound", &Solution::practical_bound, kDeltaAfter, kNumber, "draws",
     "the t with t = T_star beta(t, delta), for the job's threshold"},
    {"seconds", &Solution::seconds, kOnce, kNumberAside, "s", "time that the solution took"},
    {"sitting", &Solution::sitting, kOnce, kSittingIndex, "1", "sitting in which the solution was made"},
    {"checksum", &Solution::checksum, kOnce, kAlwaysThere, "1", "CRC-32 of the case's solution"},
};

constexpr Dataset<AlgorithmInfo> kAlgorithms[] = {
    {"algorithm", &AlgorithmInfo::name, kOnce, kAlwaysThere, "", "algorithm"},
    {"algorithm_options", &AlgorithmInfo::options, kOnce, kAlwaysThere, "",
     "options that are not the defaults"},
    {"algorithm_digest", &AlgorithmInfo::digest, kOnce, kAlwaysThere, "1",
     "digest of short trajectories by the program that made its runs; of the library, for a rule of one"},
};

constexpr Dataset<ResultLayout> kLists[] = {
    {"delta", &ResultLayout::delta, kDeltaAfter, kAlwaysThere, "1", "error probability allowed"},
    {"log_inv_delta", &ResultLayout::log_inv_delta, kDeltaAfter, kAlwaysThere, "nat", "ln(1/delta)"},
    {"checkpoint",
     &ResultLayout::checkpoints,
     kCheckpointAfter,
     {.present = Present::with_checkpoints},
     "draws",
     "draws after which the learner's answer is noted"},
};

constexpr Dataset<EdgeRow> kEdges[] = {
    {"case", &EdgeRow::case_index, kOnce, kAlwaysThere, "1", "case that the edge belongs to"},
    {"from", &EdgeRow::from, kOnce, kAlwaysThere, "1", "vertex that is drawn"},
    {"to", &EdgeRow::to, kOnce, kAlwaysThere, "1", "vertex whose reward is shown"},
    {"probability", &EdgeRow::probability, kOnce, kAlwaysThere, "1", "probability that it is"},
};

constexpr Traits kNoEntry{.fill = -1, .fill_is_missing = true};
constexpr Dataset<Failure> kFailureList[] = {
    {"case", &Failure::case_index, kOnce, kNoEntry, "1", "case of a failed task"},
    {"algorithm", &Failure::algorithm, kOnce, kNoEntry, "1", "its algorithm; missing: the case's solution"},
    {"seed", &Failure::seed, kOnce, kNoEntry, "1", "its seed"},
    {"message", &Failure::message, kOnce, text_of(256), "", "what went wrong"},
};

constexpr Dataset<LiveState> kLive[] = {
    {"status", &LiveState::status, kOnce, text_of(16), "", "running, interrupted, complete or failed"},
    {"updated", &LiveState::updated, kOnce, text_of(32), "", "when the writer last gave a sign of life"},
    {"hosts", &LiveState::hosts, kOnce, text_of(1000), "", "hosts that took part"},
    {"ranks", &LiveState::ranks, kOnce, kAlwaysThere, "1", "ranks of the last sitting"},
    {"threads", &LiveState::threads, kOnce, kAlwaysThere, "1", "worker threads of the last sitting"},
    {"generation", &LiveState::generation, kOnce, kAlwaysThere, "1",
     "counts the writers that the file has had"},
    {"busy", &LiveState::busy, kOnce, {.since = 2}, "1", "worker threads that had something to do"},
};

constexpr Dataset<Sitting> kSittingList[] = {
    {"started", &Sitting::started, kOnce, sitting_text(32), "", "when it began; empty: no sitting"},
    {"host", &Sitting::host, kOnce, sitting_text(64), "", "host of its first rank"},
    {"ranks", &Sitting::ranks, kOnce, kSittingNumber, "1", "its ranks"},
    {"code_version", &Sitting::code_version, kOnce, sitting_text(32), "", "version of the program"},
    {"git_commit", &Sitting::git_commit, kOnce, sitting_text(64), "", "commit of its sources"},
    {"build", &Sitting::build, kOnce, sitting_text(256), "", "how it was built"},
    {"checksum", &Sitting::checksum, kOnce, kSittingChecksum, "1", "CRC-32 of the sitting's values"},
};

constexpr RootAttribute kAttributes[] = {{"created", &ResultLayout::created},
                                         {"job", &ResultLayout::job},
                                         {"job_overrides", &ResultLayout::job_overrides},
                                         {"job_name", &ResultLayout::job_name},
                                         {"job_origin", &ResultLayout::job_origin},
                                         {"shard", &ResultLayout::shard},
                                         {"seed", &ResultLayout::seed},
                                         {"max_steps", &ResultLayout::max_steps},
                                         {"pulls_by_delta", &ResultLayout::pulls_by_delta},
                                         {"setting", &ResultLayout::setting},
                                         {"conventions", &ResultLayout::conventions},
                                         {"convention_points", &ResultLayout::convention_points},
                                         {"threshold", &ResultLayout::threshold},
                                         {"stream", &ResultLayout::stream},
                                         {"results_version", &ResultLayout::results_version},
                                         {"code_version", &ResultLayout::code_version},
                                         {"git_commit", &ResultLayout::git_commit},
                                         {"build", &ResultLayout::build},
                                         {"left_out_by_where", &ResultLayout::left_out_by_where, 1},
                                         {"left_out_infeasible", &ResultLayout::left_out_infeasible, 1},
                                         {"precision", &ResultLayout::precision, 2}};

/// Whether no two rows have the same member.
template <typename Row>
consteval bool each_once(std::span<const Row> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (rows[i].member == rows[j].member) return false;
  return true;
}

/// A member without a row would be lost between ranks and never reach the file.
template <typename Record>
consteval bool all_members_stored(std::span<const Dataset<Record>> rows) {
  return rows.size() == member_count<Record>() && each_once(rows);
}
static_assert(all_members_stored<RunRecord>(kRuns), "one row for each member of RunRecord");
static_assert(all_members_stored<CaseDescription>(kDescriptions),
              "one row for each member of CaseDescription");
static_assert(all_members_stored<CaseSolution>(kSolutions), "one row for each member of CaseSolution");
static_assert(all_members_stored<AlgorithmInfo>(kAlgorithms), "one row for each member of AlgorithmInfo");
static_assert(all_members_stored<EdgeRow>(kEdges), "one row for each member of EdgeRow");
static_assert(all_members_stored<Failure>(kFailureList), "one row for each member of Failure");
static_assert(all_members_stored<Sitting>(kSittingList), "one row for each member of Sitting");
static_assert(all_members_stored<LiveState>(kLive), "one row for each member of LiveState");
// format_minor is written with format_version; cases, algorithms and replications are dimensions; weighted
// files have a log_weight.
constexpr std::size_t kOtherMembers = 5;
static_assert(std::size(kAttributes) + std::size(kLists) + kOtherMembers == member_count<ResultLayout>() &&
                  each_once<RootAttribute>(kAttributes) && each_once<Dataset<ResultLayout>>(kLists),
              "one attribute or list for each member of ResultLayout");

}  // namespace

std::string_view to_string(Dimension dimension) {
  constexpr std::string_view kNames[] = {"case",   "algorithm", "delta", "checkpoint", "seed",
                                         "vertex", "edge",      "entry", "sitting"};
  return kNames[static_cast<std::size_t>(dimension)];
}

Extents::Extents(const RecordShape& shape) {
  (*this)[delta] = shape.deltas;
  (*this)[checkpoint] = shape.checkpoints;
  (*this)[vertex] = shape.vertices;
}
Extents::Extents(const ResultLayout& layout) : Extents(layout.shape()) {
  (*this)[case_] = layout.cases.size();
  (*this)[algorithm] = layout.algorithms.size();
  (*this)[seed] = static_cast<std::size_t>(layout.replications);
  (*this)[edge] = layout.edges();
  (*this)[entry] = kFailures;
  (*this)[Dimension::sitting] = kSittings;
}

template <>
Table<RunRecord> table() {
  return {"runs", {case_, algorithm, seed}, 3, kRuns};
}
template <>
Table<CaseDescription> table() {
  return {"cases", {case_}, 1, kDescriptions};
}
template <>
Table<CaseSolution> table() {
  return {"cases", {case_}, 1, kSolutions};
}
template <>
Table<AlgorithmInfo> table() {
  return {"runs", {algorithm}, 1, kAlgorithms};
}
template <>
Table<EdgeRow> table() {
  return {"edges", {edge}, 1, kEdges};
}
template <>
Table<Failure> table() {
  return {"failures", {entry}, 1, kFailureList};
}
template <>
Table<Sitting> table() {
  return {"sittings", {Dimension::sitting}, 1, kSittingList};
}
template <>
Table<LiveState> table() {
  return {"live", {}, 0, kLive};
}
std::span<const Table<ResultLayout>> layout_tables() {
  static const Table<ResultLayout> kTables[] = {{"cases", {}, 0, std::span(kLists).first(2)},
                                                {"runs", {}, 0, kLists}};
  return kTables;
}

bool is_run_coordinate(std::string_view description) {
  const auto end = std::begin(kDescriptions) + kRunCoordinates;
  return std::any_of(std::begin(kDescriptions), end,
                     [&](const auto& each) { return each.name == description; });
}

std::span<const RootAttribute> root_attributes() {
  return kAttributes;
}

}  // namespace tasfg
