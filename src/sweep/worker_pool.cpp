#include "tasfg/sweep/worker_pool.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <sstream>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>

#include "tasfg/base/contract.hpp"
#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/grid_layout.hpp"
#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {
namespace {

/// A chunk whose tasks take longer than expected reports what it has after so long.
constexpr std::chrono::milliseconds kReportInterval{200};

}  // namespace

std::vector<std::int64_t> Report::to_words() const {
  std::vector<std::int64_t> words{chunk, closed ? 1 : 0, undone, std::bit_cast<std::int64_t>(seconds),
                                  static_cast<std::int64_t>(failures.size())};
  std::ostringstream out;
  boost::archive::binary_oarchive archive(out, boost::archive::no_header);
  archive << static_cast<const BatchBytes&>(runs) << static_cast<const BatchBytes&>(solutions);
  put_text(words, out.str());
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
  const auto failures = static_cast<std::size_t>(next());
  std::istringstream in(get_text(words, at));
  boost::archive::binary_iarchive archive(in, boost::archive::no_header);
  archive >> static_cast<BatchBytes&>(report.runs) >> static_cast<BatchBytes&>(report.solutions);
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
    : grid_(grid), run_format_(shape_of(grid)), case_format_(shape_of(grid)) {
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
  const CellGrid cells{grid_.cases.size(), grid_.algorithms.size()};
  const auto K = [&](CaseId c) { return static_cast<std::size_t>(grid_.cases[c.value()].K); };
  for (std::int64_t i = 0; i < chunk.count; ++i) {
    // A chunk of cheap tasks is given back from its next task on; one that runs may end.
    if (draining_) {
      part.undone = chunk.count - i;
      break;
    }
    const std::int64_t index = chunk.first + i;
    if (chunk.kind == ChunkKind::solve) {
      const TaskMark mark({index, -1});
      const CaseId case_id(index);
      CaseSolution solution;
      try {
        solution = solve_case(grid_, case_id);
      } catch (const std::exception& error) {
        solution.status = TaskStatus::failed;
        part.failures.push_back({static_cast<std::int32_t>(index), -1, -1, error.what()});
      }
      case_format_.append(part.solutions, name_of(case_id), K(case_id), solution);
    } else {
      const TaskMark mark({chunk.cell, index});
      const RunName name{CellId(chunk.cell), index};
      const CaseId case_id = cells.case_of(name.cell);
      RunRecord record;
      try {
        record = runner.run(name, cancelled_);
        if (record.status == TaskStatus::pending) {
          part.undone = chunk.count - i;
          break;
        }
      } catch (const std::exception& error) {
        record.status = TaskStatus::failed;
        part.failures.push_back({static_cast<std::int32_t>(case_id.value()),
                                 static_cast<std::int32_t>(cells.algorithm_of(name.cell).value()), index,
                                 error.what()});
      }
      run_format_.append(part.runs, name, K(case_id), record);
    }
    if (const auto now = std::chrono::steady_clock::now(); now - reported > kReportInterval) {
      Report so_far;
      so_far.chunk = chunk.id;
      std::swap(so_far.runs, part.runs);
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
