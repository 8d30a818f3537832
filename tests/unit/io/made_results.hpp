/// Result files with made-up contents.
#pragma once

#include <bit>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sim/content_key.hpp"

namespace tasfg {

namespace fs = std::filesystem;

/// Files in a folder of their own.
class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tasfg_" + std::to_string(::getpid()) + "_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

inline FeedbackGraph a_graph(int K) {
  std::vector<double> matrix(static_cast<std::size_t>(K) * static_cast<std::size_t>(K), 0.0);
  for (int v = 0; v < K; ++v)
    for (int u = v; u < K; ++u)
      matrix[static_cast<std::size_t>(v * K + u)] = 1.0 / (3.0 + v + u);  // not a short decimal
  return {K, std::move(matrix)};
}

inline CaseDescription a_case(const std::string& label, int K) {
  CaseDescription made;
  made.graph = "file";
  made.label = label;
  made.parameters = "path=folder/" + label + ".csv";
  made.reward = "gaussian";
  made.observability = "weak";
  made.K = K;
  made.best = K - 1;
  made.p = 0.3;
  made.variance = 1.0;
  for (int v = 0; v < K; ++v) made.means.push_back(v);
  const Instance instance(a_graph(K), made.means, Gaussian{1.0});
  made.edges = static_cast<std::int64_t>(instance.graph().edge_count());
  made.key = content_key(instance).value;
  return made;
}

inline ResultLayout a_layout() {
  ResultLayout layout;
  layout.seed = 0xFFFFFFFFFFFFFFF1ULL;
  layout.max_steps = 1000;
  layout.setting = "informed";
  layout.conventions = "paper";
  layout.threshold = "practical";
  layout.stream = "philox";
  layout.results_version = "2";
  layout.cases = {a_case("a", 3), a_case("b", 5)};
  layout.algorithms = {{"tas-fg", "period=2"}, {"uniform", ""}, {"exp3.g", ""}};
  layout.delta = {0.1, 0.01};
  layout.log_inv_delta = {2.302585092994046, 4.605170185988092};
  layout.replications = 7;
  layout.job = std::string(100'000, '#') + "\xCE\xB4 = 1\n";  // longer than an object header holds
  layout.created = iso_time();
  return layout;
}

/// The same with every dataset that a job can ask for.
inline ResultLayout a_full_layout() {
  ResultLayout layout = a_layout();
  layout.checkpoints = {10, 100, 1000};
  layout.pulls_by_delta = 1;
  layout.weighted = true;
  return layout;
}

inline GraphOf graphs_of(const ResultLayout& layout) {
  return [layout](CaseId c) { return a_graph(layout.cases[c.value()].K); };
}

template <typename T>
std::vector<T> random_values(std::size_t n, std::mt19937_64& random) {
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<T>(random() % 100));
  return values;
}

/// A record with random values, as a run of that cell would have.
inline RunRecord a_run(const ResultLayout& layout, CellId cell, TaskStatus status, std::mt19937_64& random) {
  const std::size_t K = layout.K(layout.grid().case_of(cell));
  const std::size_t deltas = layout.delta.size();
  RunRecord run;
  run.status = status;
  run.attempts = 1;
  run.sitting = 0;
  run.steps = static_cast<std::int64_t>(random() >> 20);
  run.seconds = 0.25;
  run.tau = random_values<std::int64_t>(deltas, random);
  run.recommended = random_values<std::int32_t>(deltas, random);
  run.correct = random_values<std::int8_t>(deltas, random);
  run.stopped = random_values<std::int8_t>(deltas, random);
  run.pulls = random_values<std::int64_t>(K, random);
  if (layout.weighted) run.log_weight = random_values<double>(deltas, random);
  if (layout.pulls_by_delta != 0) run.pulls_at = random_values<std::int64_t>(deltas * K, random);
  run.checkpoint_recommended = random_values<std::int32_t>(layout.checkpoints.size(), random);
  run.checkpoint_correct = random_values<std::int8_t>(layout.checkpoints.size(), random);
  run.checkpoint_T_ratio = random_values<double>(layout.checkpoints.size(), random);
  return run;
}

/// All values of a record but its checksum, in the order of the table.
inline std::string text_of(const ResultFile& file, RunRecord run, std::size_t K) {
  RunBatch batch;
  run.checksum = 0;
  file.run_format().append(batch, {}, K, run);
  std::string all;
  for (const auto& column : batch.columns) all.append(column.begin(), column.end());
  return all;
}

inline void write(ResultFile& file, RunName name, const RunRecord& run) {
  RunBatch batch;
  file.run_format().append(batch, name, file.layout().K(file.layout().grid().case_of(name.cell)), run);
  file.write_runs(batch);
}
inline void write(ResultFile& file, CaseId case_id, const CaseSolution& solution) {
  CaseBatch batch;
  file.case_format().append(batch, name_of(case_id), file.layout().K(case_id), solution);
  file.write_cases(batch);
}
inline TaskStatus status_of(const ResultFile& file, std::size_t cell, std::size_t seed) {
  return file.run_values(&RunRecord::status, CellId(cell))[seed];
}

inline CaseSolution a_solution(std::size_t K) {
  CaseSolution solution;
  solution.status = TaskStatus::done;
  solution.T_star = 12.5;
  solution.T_star_lower = 12.25;
  solution.T_heuristic = 15.0;
  solution.T_uniform = 20.0;
  solution.m_norm = 0.75;
  solution.tv_heuristic = 0.125;
  solution.seconds = 0.1;
  solution.sitting = 0;
  solution.alpha = solution.alpha_upper = 2;
  solution.weak_domination = solution.weak_domination_lower = solution.domination = 1;
  solution.self_loops = 3;
  solution.face_dimension = 0;
  solution.iterations = 7;
  for (std::size_t v = 0; v < K; ++v) {
    solution.omega.push_back(1.0 / static_cast<double>(K));
    solution.omega_heuristic.push_back(0.5);
    solution.m.push_back(static_cast<double>(v));
  }
  solution.lower_bound = {20.0, 40.0};
  solution.practical_bound = {70.0, 90.0};
  return solution;
}

/// Overwrites bytes of the file where `pattern` first occurs.
inline void damage(const std::string& path, const std::string& pattern, const std::string& by) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  const std::size_t at = all.str().find(pattern);
  ASSERT_NE(at, std::string::npos);
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(at));
  out << by;
}
inline std::string bytes_of(std::int64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

inline const LiveState kLive{"running", "2026-01-01T00:00:00Z", "here,there", 3, 8, 5};

/// A sitting of the program of that commit.
inline Sitting a_sitting(const std::string& commit, const std::string& started = "2026-01-01T00:00:00Z") {
  return {started, "here", 3, "0.1.0", commit, "GCC, Release"};
}

// Under a lock that lasts as long as the call.
inline ResultFile create(const std::string& path, const ResultLayout& layout) {
  ResultFile file = ResultFile::create(path, layout, graphs_of(layout), kLive, WriterLock(path, nullptr));
  file.begin_sitting(a_sitting("abc"));
  return file;
}
inline ResultFile::Copy extend(const std::string& path, const ResultLayout& wanted) {
  return ResultFile::extend(path, wanted, graphs_of(wanted), kLive, WriterLock(path, nullptr));
}
inline ResultFile::Copy merge(const std::string& path, const std::vector<std::string>& inputs) {
  return ResultFile::merge(path, inputs, WriterLock(path, nullptr));
}

/// The text of the error that `body` throws; empty where it throws none.
template <typename ErrorType>
std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return {};
}
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tasfg
