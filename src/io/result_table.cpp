#include "result_table.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

using enum Dimension;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Traits kMissingNumber{.fill = kNaN, .fill_is_missing = true, .summed = true};
constexpr Traits kMissingCount{.fill = -1, .fill_is_missing = true, .summed = true};
constexpr Traits kStatus{.fill = 0, .summed = true};
constexpr Traits kTiming{.fill = kNaN, .fill_is_missing = true};
constexpr Traits kZero{};
constexpr Traits kPullsByDelta{
    .fill = -1, .fill_is_missing = true, .summed = true, .present = Present::with_pulls_by_delta};
constexpr Traits kCheckpointNumber{
    .fill = kNaN, .fill_is_missing = true, .summed = true, .present = Present::with_checkpoints};
constexpr Traits kCheckpointCount{
    .fill = -1, .fill_is_missing = true, .summed = true, .present = Present::with_checkpoints};
constexpr Traits text_of(std::size_t room) {
  return {.text_room = room};
}

using Run = RunRecord;
constexpr Dataset<Run> kRuns[] = {
    {"status", &Run::status, {}, {}, kStatus, "1", "state of the run"},
    {"steps",
     &Run::steps,
     {},
     {},
     kMissingCount,
     "draws",
     "draws of the trajectory until every delta had stopped"},
    {"seconds", &Run::seconds, {}, {}, kTiming, "s", "time that the trajectory took"},
    {"attempts", &Run::attempts, {}, {}, kZero, "1", "times that the run was handed to a worker"},
    {"tau", &Run::tau, delta, {}, kMissingCount, "draws", "stopping time (draws made, where not stopped)"},
    {"recommended", &Run::recommended, delta, {}, kMissingCount, "1", "recommended vertex, from 0"},
    {"correct", &Run::correct, delta, {}, kMissingCount, "1", "1: the recommended vertex is the best one"},
    {"stopped", &Run::stopped, delta, {}, kMissingCount, "1", "1: stopped at this delta; 0: capped before"},
    {"pulls", &Run::pulls, {}, vertex, kMissingCount, "draws", "draws of each vertex"},
    {"pulls_at", &Run::pulls_at, delta, vertex, kPullsByDelta, "draws",
     "draws of each vertex when it stopped"},
    {"checkpoint_recommended",
     &Run::checkpoint_recommended,
     checkpoint,
     {},
     kCheckpointCount,
     "1",
     "vertex that would be recommended after so many draws"},
    {"checkpoint_correct",
     &Run::checkpoint_correct,
     checkpoint,
     {},
     kCheckpointCount,
     "1",
     "1: that vertex is the best one"},
    {"checkpoint_T_ratio",
     &Run::checkpoint_T_ratio,
     checkpoint,
     {},
     kCheckpointNumber,
     "1",
     "T at the shares of the draws so far, over T_star"},
    {"checksum", &Run::checksum, {}, {}, kZero, "1", "CRC-32 of the run's results"},
};

using Description = CaseDescription;
constexpr Dataset<Description> kDescriptions[] = {
    {"graph", &Description::graph, {}, {}, kZero, "", "graph family"},
    {"label", &Description::label, {}, {}, kZero, "", "the case in words"},
    {"K", &Description::K, {}, {}, kZero, "1", "number of vertices"},
    {"p", &Description::p, {}, {}, kTiming, "1", "parameter p of the graph"},
    {"q", &Description::q, {}, {}, kTiming, "1", "parameter q of the graph"},
    {"r", &Description::r, {}, {}, kTiming, "1", "parameter r of the graph"},
    {"reward", &Description::reward, {}, {}, kZero, "", "reward family"},
    {"variance", &Description::variance, {}, {}, kTiming, "1", "variance of Gaussian rewards"},
    {"parameters", &Description::parameters, {}, {}, kZero, "", "all parameters of the graph"},
    {"observability", &Description::observability, {}, {}, kZero, "", "observability of the graph"},
    {"best", &Description::best, {}, {}, kZero, "1", "best vertex, from 0"},
    {"edges", &Description::edges, {}, {}, kZero, "1", "number of edges"},
    {"key",
     &Description::key,
     {},
     {},
     kZero,
     "1",
     "key of the instance's content, which its random streams depend on"},
    {"means", &Description::means, {}, vertex, kTiming, "1", "mean rewards"},
};
constexpr std::size_t kRunCoordinates = 8;  // the first of them

using Solution = CaseSolution;
constexpr Dataset<Solution> kSolutions[] = {
    {"status", &Solution::status, {}, {}, kStatus, "1", "state of the case's solution"},
    {"T_star",
     &Solution::T_star,
     {},
     {},
     kMissingNumber,
     "draws per nat",
     "characteristic time: the value of omega, an upper end"},
    {"T_star_lower",
     &Solution::T_star_lower,
     {},
     {},
     kMissingNumber,
     "draws per nat",
     "certified lower end of the characteristic time"},
    {"T_heuristic",
     &Solution::T_heuristic,
     {},
     {},
     kMissingNumber,
     "draws per nat",
     "T at the heuristic allocation"},
    {"T_uniform",
     &Solution::T_uniform,
     {},
     {},
     kMissingNumber,
     "draws per nat",
     "T at the uniform allocation"},
    {"m_norm", &Solution::m_norm, {}, {}, kMissingNumber, "1", "Euclidean norm of m"},
    {"tv_heuristic",
     &Solution::tv_heuristic,
     {},
     {},
     kMissingNumber,
     "1",
     "total variation between omega and omega_heuristic"},
    {"alpha",
     &Solution::alpha,
     {},
     {},
     kMissingCount,
     "1",
     "independence number (a lower bound where alpha_upper is larger)"},
    {"alpha_upper",
     &Solution::alpha_upper,
     {},
     {},
     kMissingCount,
     "1",
     "upper bound of the independence number"},
    {"weak_domination",
     &Solution::weak_domination,
     {},
     {},
     kMissingCount,
     "1",
     "weak domination number (an upper bound where weak_domination_lower is smaller)"},
    {"weak_domination_lower",
     &Solution::weak_domination_lower,
     {},
     {},
     kMissingCount,
     "1",
     "lower bound of the weak domination number"},
    {"domination",
     &Solution::domination,
     {},
     {},
     kMissingCount,
     "1",
     "size of the smallest dominating set found"},
    {"self_loops",
     &Solution::self_loops,
     {},
     {},
     kMissingCount,
     "1",
     "number of vertices with a self-loop, sigma(G)"},
    {"face_dimension",
     &Solution::face_dimension,
     {},
     {},
     kMissingCount,
     "1",
     "dimension of the set of optimal allocations; 0: omega is unique"},
    {"iterations", &Solution::iterations, {}, {}, kMissingCount, "1", "iterations of the solver"},
    {"omega",
     &Solution::omega,
     {},
     vertex,
     kMissingNumber,
     "1",
     "optimal allocation (the analytic centre where it is not unique)"},
    {"omega_heuristic", &Solution::omega_heuristic, {}, vertex, kMissingNumber, "1", "heuristic allocation"},
    {"m", &Solution::m, {}, vertex, kMissingNumber, "observations per draw", "observation rates at omega"},
    {"lower_bound",
     &Solution::lower_bound,
     {},
     delta,
     kMissingNumber,
     "draws",
     "least mean stopping time of any delta-correct algorithm: T_star kl(delta, 1-delta)"},
    {"practical_bound",
     &Solution::practical_bound,
     {},
     delta,
     kMissingNumber,
     "draws",
     "the t with t = T_star beta(t, delta), for the job's threshold"},
    {"seconds", &Solution::seconds, {}, {}, kTiming, "s", "time that the solution took"},
    {"checksum", &Solution::checksum, {}, {}, kZero, "1", "CRC-32 of the case's solution"},
};

constexpr Dataset<AlgorithmInfo> kAlgorithms[] = {
    {"algorithm", &AlgorithmInfo::name, {}, {}, kZero, "", "algorithm"},
    {"algorithm_options", &AlgorithmInfo::options, {}, {}, kZero, "", "options that are not the defaults"},
};

constexpr Dataset<ResultLayout> kLists[] = {
    {"delta", &ResultLayout::delta, {}, delta, kZero, "1", "error probability allowed"},
    {"log_inv_delta", &ResultLayout::log_inv_delta, {}, delta, kZero, "nat", "ln(1/delta)"},
    {"checkpoint",
     &ResultLayout::checkpoints,
     {},
     checkpoint,
     {.present = Present::with_checkpoints},
     "draws",
     "draws after which the learner's answer is noted"},
};

constexpr Dataset<EdgeRow> kEdges[] = {
    {"case", &EdgeRow::case_index, {}, {}, kZero, "1", "case that the edge belongs to"},
    {"from", &EdgeRow::from, {}, {}, kZero, "1", "vertex that is drawn"},
    {"to", &EdgeRow::to, {}, {}, kZero, "1", "vertex whose reward is shown"},
    {"probability", &EdgeRow::probability, {}, {}, kZero, "1", "probability that it is"},
};

constexpr Traits kNoEntry{.fill = -1, .fill_is_missing = true};
constexpr Dataset<Failure> kFailureList[] = {
    {"case", &Failure::case_index, {}, {}, kNoEntry, "1", "case of a failed task"},
    {"algorithm", &Failure::algorithm, {}, {}, kNoEntry, "1", "its algorithm; missing: the case's solution"},
    {"seed", &Failure::seed, {}, {}, kNoEntry, "1", "its seed"},
    {"message", &Failure::message, {}, {}, text_of(256), "", "what went wrong"},
};

constexpr Dataset<LiveState> kLive[] = {
    {"status", &LiveState::status, {}, {}, text_of(16), "", "running, interrupted, complete or failed"},
    {"updated", &LiveState::updated, {}, {}, text_of(32), "", "when the writer last gave a sign of life"},
    {"hosts", &LiveState::hosts, {}, {}, text_of(1000), "", "hosts that took part"},
    {"ranks", &LiveState::ranks, {}, {}, kZero, "1", "ranks of the last sitting"},
    {"threads", &LiveState::threads, {}, {}, kZero, "1", "worker threads of the last sitting"},
    {"generation", &LiveState::generation, {}, {}, kZero, "1", "counts the writers that the file has had"},
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
                                         {"build", &ResultLayout::build}};

template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<std::vector<T>> {
  using Type = T;
};

template <typename T>
constexpr Stored stored_as() {
  if constexpr (std::is_same_v<T, std::string>) return Stored::text;
  if constexpr (std::is_same_v<T, double>) return Stored::f64;
  if constexpr (std::is_same_v<T, std::int32_t>) return Stored::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Stored::u32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Stored::i64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Stored::u64;
  static_assert(sizeof(TaskStatus) == 1);
  return Stored::i8;
}

bool is_present(const Traits& traits, const RecordShape& shape) {
  if (shape.minor < traits.since) return false;
  switch (traits.present) {
    case Present::always:
      return true;
    case Present::with_pulls_by_delta:
      return shape.pulls_by_delta;
    case Present::with_checkpoints:
      return shape.checkpoints > 0;
  }
  TASFG_ENSURE(false);
  return false;
}

}  // namespace

std::string_view to_string(Dimension dimension) {
  constexpr std::string_view kNames[] = {"case", "algorithm", "delta", "checkpoint",
                                         "seed", "vertex",    "edge",  "entry"};
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

std::uint64_t Column::values(const Extents& extents) const {
  std::uint64_t count = 1;
  for (const Dimension dimension : dimensions) count *= extents[dimension];
  return count;
}

void Column::put_fill(unsigned char* to, std::size_t count) const {
  if (type == Stored::text) {
    std::memset(to, 0, count * value_bytes);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * value_bytes, fill.data(), value_bytes);
}

template <typename Record>
std::vector<Column> columns_of(const Table<Record>& table, const Extents& extents, const RecordShape& shape) {
  std::vector<Column> columns;
  for (std::size_t row = 0; row < table.datasets.size(); ++row) {
    const Dataset<Record>& dataset = table.datasets[row];
    if (!is_present(dataset.traits, shape)) continue;
    Column column;
    column.group = table.group;
    column.name = dataset.name;
    column.units = dataset.units;
    column.long_name = dataset.long_name;
    column.traits = dataset.traits;
    column.row = row;
    column.inner[0] = dataset.before;
    column.inner[1] = dataset.after;
    for (const Dimension each : dataset.before.span()) column.before *= extents[each];
    for (const Dimension each : dataset.after.span()) column.after *= extents[each];
    column.dimensions.assign(table.own.begin(),
                             table.own.begin() + static_cast<std::ptrdiff_t>(table.own_count));
    const auto last = column.dimensions.empty() ? column.dimensions.end() : column.dimensions.end() - 1;
    column.dimensions.insert(last, dataset.before.span().begin(), dataset.before.span().end());
    column.dimensions.insert(column.dimensions.end(), dataset.after.span().begin(),
                             dataset.after.span().end());
    std::visit(
        [&]<typename T>(T Record::*) {
          using Value = typename ValueOf<T>::Type;
          column.type = stored_as<Value>();
          if constexpr (std::is_same_v<Value, std::string>) {
            column.value_bytes = std::max<std::size_t>(1, dataset.traits.text_room);
          } else {
            column.value_bytes = sizeof(Value);
            const auto fill = static_cast<Value>(dataset.traits.fill);
            std::memcpy(column.fill.data(), &fill, sizeof fill);
          }
        },
        dataset.member);
    columns.push_back(std::move(column));
  }
  return columns;
}

template <typename Record>
void put_row(const Table<Record>& table, std::span<const Column> columns, const Record& record, std::size_t K,
             BatchBytes& batch, std::int64_t cell, std::int64_t seed) {
  batch.columns.resize(columns.size());
  batch.cells.push_back(cell);
  batch.seeds.push_back(seed);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    std::vector<unsigned char>& bytes = batch.columns[i];
    const std::size_t begin = bytes.size();
    bytes.resize(begin + column.stride());
    unsigned char* to = bytes.data() + begin;
    std::visit(
        [&]<typename T>(T Record::*member) {
          const T& value = record.*member;
          if constexpr (std::is_same_v<T, std::string>) {
            std::memcpy(to, value.data(), std::min(value.size(), column.value_bytes));  // the rest is 0
          } else if constexpr (std::is_same_v<T, typename ValueOf<T>::Type>) {
            std::memcpy(to, &value, sizeof value);
          } else {
            // Along the vertices the record has K values, the column room for more.
            const std::size_t have = column.by_vertex() ? K : column.after;
            if (value.size() != column.before * have || have > column.after) {
              TASFG_EXPECT(value.empty());
              column.put_fill(to, column.before * column.after);
              return;
            }
            for (std::size_t b = 0; b < column.before; ++b) {
              unsigned char* part = to + b * column.after * column.value_bytes;
              if (have > 0) std::memcpy(part, value.data() + b * have, have * column.value_bytes);
              column.put_fill(part + have * column.value_bytes, column.after - have);
            }
          }
        },
        table.datasets[column.row].member);
  }
}

template <typename Record>
void get_row(const Table<Record>& table, std::span<const Column> columns, const BatchBytes& batch,
             std::size_t row, std::size_t K, Record& record) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const unsigned char* from = batch.columns[i].data() + row * column.stride();
    std::visit(
        [&]<typename T>(T Record::*member) {
          T& value = record.*member;
          if constexpr (std::is_same_v<T, std::string>) {
            const char* text = reinterpret_cast<const char*>(from);
            value.assign(text, strnlen(text, column.value_bytes));
          } else if constexpr (std::is_same_v<T, typename ValueOf<T>::Type>) {
            std::memcpy(&value, from, sizeof value);
          } else {
            const std::size_t have = column.by_vertex() ? std::min(K, column.after) : column.after;
            value.resize(column.before * have);
            for (std::size_t b = 0; b < column.before && have > 0; ++b)
              std::memcpy(value.data() + b * have, from + b * column.after * column.value_bytes,
                          have * column.value_bytes);
          }
        },
        table.datasets[column.row].member);
  }
}

template <typename Record>
void fit_texts(const Table<Record>& table, std::span<Column> columns, std::span<const Record> records) {
  for (Column& column : columns)
    if (const auto* member = std::get_if<std::string Record::*>(&table.datasets[column.row].member);
        member != nullptr && column.traits.text_room == 0)
      for (const Record& record : records)
        column.value_bytes = std::max(column.value_bytes, (record.**member).size());
}

std::uint32_t row_checksum(std::span<const Column> columns, const BatchBytes& batch, std::size_t row,
                           std::size_t K) {
  Checksum sum;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (!column.traits.summed) continue;
    const unsigned char* bytes = batch.columns[i].data() + row * column.stride();
    if (!column.by_vertex()) {
      sum.process_bytes(bytes, column.stride());
      continue;
    }
    for (std::size_t b = 0; b < column.before; ++b)
      sum.process_bytes(bytes + b * column.after * column.value_bytes,
                        std::min(K, column.after) * column.value_bytes);
  }
  return sum.checksum();
}

#define TASFG_RECORD(Record)                                                                           \
  template std::vector<Column> columns_of(const Table<Record>&, const Extents&, const RecordShape&);   \
  template void put_row(const Table<Record>&, std::span<const Column>, const Record&, std::size_t,     \
                        BatchBytes&, std::int64_t, std::int64_t);                                      \
  template void get_row(const Table<Record>&, std::span<const Column>, const BatchBytes&, std::size_t, \
                        std::size_t, Record&);                                                         \
  template void fit_texts(const Table<Record>&, std::span<Column>, std::span<const Record>);
TASFG_RECORD(RunRecord)
TASFG_RECORD(CaseDescription)
TASFG_RECORD(CaseSolution)
TASFG_RECORD(AlgorithmInfo)
TASFG_RECORD(ResultLayout)
TASFG_RECORD(EdgeRow)
TASFG_RECORD(Failure)
TASFG_RECORD(LiveState)
#undef TASFG_RECORD

}  // namespace tasfg
