#include "tasfg/sweep/worker_pool.hpp"

#include <algorithm>
#include <bit>
#include <exception>

#include "tasfg/base/contract.hpp"
#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/study.hpp"

namespace tasfg {
namespace {

/// A chunk whose tasks take longer than expected reports what it has after so long.
constexpr std::chrono::milliseconds kReportInterval{200};

}  // namespace

std::vector<std::int64_t> Report::to_words() const {
  std::vector<std::int64_t> words{chunk,
                                  closed ? 1 : 0,
                                  undone,
                                  std::bit_cast<std::int64_t>(seconds),
                                  static_cast<std::int64_t>(rows.size()),
                                  static_cast<std::int64_t>(solutions.size()),
                                  static_cast<std::int64_t>(failures.size())};
  words.insert(words.end(), rows.begin(), rows.end());
  words.insert(words.end(), solutions.begin(), solutions.end());
  for (const Failure& failure : failures) {
    words.push_back(failure.case_index);
    words.push_back(failure.algorithm);
    words.push_back(failure.seed);
    put_text(words, failure.message);
  }
  return words;
}

Report Report::from_words(const std::vector<std::int64_t>& words) {
  std::size_t at = 0;
  const auto next = [&] {
    TASFG_EXPECT(at < words.size());
    return words[at++];
  };
  Report report;
  report.chunk = next();
  report.closed = next() != 0;
  report.undone = next();
  report.seconds = std::bit_cast<double>(next());
  const auto rows = static_cast<std::size_t>(next());
  const auto solutions = static_cast<std::size_t>(next());
  const auto failures = static_cast<std::size_t>(next());
  const auto part = [&](std::size_t n) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
    at += n;
    return std::vector<std::int64_t>(first, first + static_cast<std::ptrdiff_t>(n));
  };
  report.rows = part(rows);
  report.solutions = part(solutions);
  for (std::size_t i = 0; i < failures; ++i) {
    Failure failure;
    failure.case_index = static_cast<std::int32_t>(next());
    failure.algorithm = static_cast<std::int32_t>(next());
    failure.seed = next();
    failure.message = get_text(words, at);
    report.failures.push_back(std::move(failure));
  }
  return report;
}

WorkerPool::WorkerPool(const Grid& grid, int threads)
    : grid_(grid), shape_{grid.log_inv_delta.size(), static_cast<std::size_t>(grid.largest_K)} {
  for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  cancel();
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  chunks_come_.notify_all();
}

void WorkerPool::push(const Chunk& chunk) {
  {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(chunk);
    ++load_;
  }
  chunks_come_.notify_one();
}

std::vector<Report> WorkerPool::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(reports_, {});
}

void WorkerPool::wait(std::chrono::microseconds at_most) {
  std::unique_lock lock(mutex_);
  reports_come_.wait_for(lock, at_most, [this] { return !reports_.empty(); });
}

void WorkerPool::drain() {
  draining_ = true;
}

void WorkerPool::cancel() {
  draining_ = true;
  cancelled_ = true;
}

void WorkerPool::report(Report report) {
  {
    const std::scoped_lock lock(mutex_);
    if (report.closed) --load_;
    reports_.push_back(std::move(report));
  }
  reports_come_.notify_one();
}

void WorkerPool::work() {
  TaskRunner runner(grid_);
  while (true) {
    Chunk chunk;
    {
      std::unique_lock lock(mutex_);
      chunks_come_.wait(lock, [this] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      chunk = queue_.front();
      queue_.pop_front();
    }
    ++busy_;
    run(chunk, runner);
    --busy_;
  }
}

void WorkerPool::run(const Chunk& chunk, TaskRunner& runner) {
  Report part;
  part.chunk = chunk.id;
  auto reported = std::chrono::steady_clock::now();
  const auto algorithms = static_cast<std::int64_t>(grid_.algorithms.size());
  for (std::int64_t i = 0; i < chunk.count; ++i) {
    // A chunk of cheap tasks is given back from its next task on; one that runs may end.
    if (draining_) {
      part.undone = chunk.count - i;
      break;
    }
    const std::int64_t index = chunk.first + i;
    if (chunk.kind == ChunkKind::solve) {
      const TaskMark mark({index, -1});
      CaseResult result;
      try {
        result = solve_case(grid_, static_cast<std::size_t>(index));
      } catch (const std::exception& error) {
        result.status = TaskStatus::failed;
        const auto K = static_cast<std::size_t>(grid_.cases[static_cast<std::size_t>(index)].K);
        for (auto* vector : {&result.omega, &result.omega_heuristic, &result.m})
          vector->assign(K, result.T_star);
        part.failures.push_back({static_cast<std::int32_t>(index), -1, -1, error.what()});
      }
      const std::vector<std::int64_t> words = result.to_words();
      part.solutions.push_back(index);
      part.solutions.push_back(static_cast<std::int64_t>(words.size()));
      part.solutions.insert(part.solutions.end(), words.begin(), words.end());
    } else {
      const TaskMark mark({chunk.cell, index});
      const RunRow row = append_row(part.rows, shape_, chunk.cell, index);
      try {
        if (!runner.run(chunk.cell, index, cancelled_, row)) {
          part.rows.resize(part.rows.size() - shape_.words());
          part.undone = chunk.count - i;
          break;
        }
      } catch (const std::exception& error) {
        row.set_status(TaskStatus::failed);
        part.failures.push_back({static_cast<std::int32_t>(chunk.cell / algorithms),
                                 static_cast<std::int32_t>(chunk.cell % algorithms), index, error.what()});
      }
    }
    if (const auto now = std::chrono::steady_clock::now(); now - reported > kReportInterval) {
      Report so_far;
      so_far.chunk = chunk.id;
      std::swap(so_far.rows, part.rows);
      std::swap(so_far.solutions, part.solutions);
      std::swap(so_far.failures, part.failures);
      so_far.seconds = std::chrono::duration<double>(now - reported).count();
      report(std::move(so_far));
      reported = now;
    }
  }
  part.closed = true;
  part.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - reported).count();
  report(std::move(part));
}

}  // namespace tasfg
