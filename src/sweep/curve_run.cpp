#include "tasfg/sweep/curve_run.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sweep/liveness.hpp"
#include "tasfg/sweep/sweep.hpp"

namespace tasfg {
namespace {

// Messages: a word that says what it is, and numbers or bytes. From workers: `ask` for tasks (how many
// threads wait for one), `done` (task, bytes), `failed` (text). To workers: `tasks` (none: go home).
enum class Word : std::uint64_t { ask, done, failed, tasks };

class Writer {
 public:
  explicit Writer(Word word) { put(static_cast<std::uint64_t>(word)); }
  template <typename Number>
  Writer& put(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  template <typename Value>
  Writer& put_all(std::span<const Value> values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  Writer& put_text(std::string_view text) {
    bytes_.append(text);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <typename Number>
  Number get() {
    TASFG_EXPECT(at_ + sizeof(Number) <= bytes_.size());
    Number number;
    std::memcpy(&number, bytes_.data() + at_, sizeof number);
    at_ += sizeof number;
    return number;
  }
  template <typename Value>
  void get_all(std::span<Value> values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    TASFG_EXPECT(values.size_bytes() <= bytes_.size() - at_);
    if (!values.empty()) std::memcpy(values.data(), bytes_.data() + at_, values.size_bytes());
    at_ += values.size_bytes();
  }
  [[nodiscard]] bool at_end() const { return at_ >= bytes_.size(); }
  [[nodiscard]] std::string rest() const { return bytes_.substr(at_); }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// The threads of one rank: tasks in, results out.
class Threads {
 public:
  struct Result {
    std::size_t task;
    std::string bytes;
    std::string failure;  // empty: it went well
  };

  Threads(int count, std::function<std::string(std::size_t)> task) : task_(std::move(task)) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    tasks_come_.notify_all();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void push(std::size_t task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(task);
      ++under_way_;
    }
    tasks_come_.notify_one();
  }
  /// Results so far; waits for the first, but no longer than `at_most`.
  std::vector<Result> take(std::chrono::microseconds at_most) {
    std::unique_lock lock(mutex_);
    results_come_.wait_for(lock, at_most, [this] { return !results_.empty(); });
    under_way_ -= results_.size();
    return std::exchange(results_, {});
  }
  /// Tasks that were pushed and whose results were not taken.
  [[nodiscard]] std::size_t under_way() {
    const std::lock_guard lock(mutex_);
    return under_way_;
  }
  [[nodiscard]] std::size_t count() const { return threads_.size(); }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      tasks_come_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
      if (ended_) return;
      Result result{tasks_.front(), {}, {}};
      tasks_.pop_front();
      lock.unlock();
      try {
        result.bytes = task_(result.task);
      } catch (const std::exception& error) {
        result.failure = error.what();
        if (result.failure.empty()) result.failure = "a task failed";
      }
      lock.lock();
      results_.push_back(std::move(result));
      lock.unlock();
      results_come_.notify_one();
    }
  }

  const std::function<std::string(std::size_t)> task_;
  std::mutex mutex_;
  std::condition_variable tasks_come_, results_come_;
  std::deque<std::size_t> tasks_;
  std::vector<Result> results_;
  std::size_t under_way_ = 0;
  bool ended_ = false;
  std::vector<std::jthread> threads_;
};

/// Rank 0: hands out tasks to its own threads and to those who ask.
class Desk {
 public:
  Desk(Link& link, int threads, const SharedTasks& tasks)
      : link_(link), tasks_(tasks), threads_(threads, [&tasks](std::size_t task) {
          tasks.here(task);
          return std::string();
        }) {}

  void run() {
    BackOff back_off(link_.alone() ? BackOff::kLongestAlone : BackOff::kLongest);
    std::size_t at_home = 1;  // ranks that will not ask again, this one included
    bool idle = false;
    while (done_ < tasks_.count || static_cast<int>(at_home) < link_.size()) {
      while (next_ < tasks_.count && threads_.under_way() < 2 * threads_.count()) threads_.push(next_++);
      auto taken = threads_.take(back_off.after_round(idle));
      idle = taken.empty();
      for (const Threads::Result& each : taken) finish(each.failure);
      while (auto parcel = link_.receive()) {
        idle = false;
        Reader reader(parcel->bytes);
        const auto word = static_cast<Word>(reader.get<std::uint64_t>());
        if (word == Word::ask) {
          at_home += answer(parcel->from, reader.get<std::uint64_t>()) ? 0 : 1;
        } else if (word == Word::failed) {
          finish(reader.rest());
        } else {
          const auto task = reader.get<std::uint64_t>();
          tasks_.arrived(task, reader.rest());
          finish({});
        }
      }
    }
    link_.flush();
    if (!failure_.empty()) throw SystemError(failure_);
  }

 private:
  /// One more is done, or has failed.
  void finish(const std::string& failure) {
    if (failure_.empty() && failure.empty()) {
      ++done_;
      return;
    }
    if (failure_.empty()) failure_ = failure;
    next_ = done_ = tasks_.count;  // nothing more is handed out, nothing more is waited for
  }

  /// False where nothing is left.
  bool answer(int rank, std::uint64_t wanted) {
    Writer message(Word::tasks);
    const bool any = next_ < tasks_.count;
    for (; wanted > 0 && next_ < tasks_.count; --wanted) message.put(static_cast<std::uint64_t>(next_++));
    link_.send(rank, message.take());
    return any;
  }

  Link& link_;
  const SharedTasks& tasks_;
  Threads threads_;
  std::size_t next_ = 0, done_ = 0;
  std::string failure_;
};

/// The other ranks: ask, work, send results.
void serve(Link& link, int count, const std::function<std::string(std::size_t)>& task) {
  Threads threads(count, task);
  BackOff back_off(BackOff::kLongest);
  bool asked = false, more = true, idle = false;
  while (more || threads.under_way() > 0) {
    const std::size_t under_way = threads.under_way();
    if (more && !asked && under_way < 2 * threads.count()) {
      link.send(0, Writer(Word::ask).put(static_cast<std::uint64_t>(2 * threads.count() - under_way)).take());
      asked = true;
    }
    std::vector<Threads::Result> results = threads.take(back_off.after_round(idle));
    idle = results.empty();
    for (Threads::Result& each : results) {
      if (each.failure.empty())
        link.send(0,
                  Writer(Word::done).put(static_cast<std::uint64_t>(each.task)).put_text(each.bytes).take());
      else
        link.send(0, Writer(Word::failed).put_text(each.failure).take());
    }
    while (auto parcel = link.receive()) {
      idle = false;
      asked = false;
      Reader reader(parcel->bytes);
      [[maybe_unused]] const auto word = static_cast<Word>(reader.get<std::uint64_t>());
      TASFG_EXPECT(word == Word::tasks);
      more = !reader.at_end();
      while (!reader.at_end()) threads.push(reader.get<std::uint64_t>());
    }
  }
  link.flush();
}

}  // namespace

namespace {

/// A point without its values.
struct PackedPoint {
  ParameterPoint at;
  double upper, lower;
  std::uint64_t vertices, clear;
};

}  // namespace

std::string pack_map(const CertifiedMap& map) {
  std::vector<PackedPoint> points;
  points.reserve(map.points.size());
  std::size_t values = 0;
  for (const MapPoint& point : map.points) {
    points.push_back({point.at, point.upper, point.lower, point.allocation.size(), point.clear ? 1U : 0U});
    values += point.allocation.size();
  }
  Writer writer(Word::done);
  for (const std::size_t count : {map.cells.size(), points.size(), values})
    writer.put(static_cast<std::uint64_t>(count));
  writer.put_all(std::span<const Cell>(map.cells)).put_all(std::span<const PackedPoint>(points));
  for (const MapPoint& point : map.points) writer.put_all(point.allocation);
  for (const MapPoint& point : map.points) writer.put_all(point.support);
  return writer.take();
}

CertifiedMap unpack_map(const std::string& bytes) {
  Reader reader(bytes);
  static_cast<void>(reader.get<std::uint64_t>());
  CertifiedMap map;
  const auto kept = std::make_shared<PointValues>();
  map.cells.resize(reader.get<std::uint64_t>());
  std::vector<PackedPoint> points(reader.get<std::uint64_t>());
  kept->allocations.resize(reader.get<std::uint64_t>());
  kept->supports.resize(kept->allocations.size());
  reader.get_all(std::span(map.cells));
  reader.get_all(std::span(points));
  reader.get_all(std::span(kept->allocations));
  reader.get_all(std::span(kept->supports));
  std::span<const double> allocations(kept->allocations);
  std::span<const std::uint8_t> supports(kept->supports);
  map.points.reserve(points.size());
  for (const PackedPoint& point : points) {
    map.points.push_back({point.at, point.upper, point.lower, allocations.first(point.vertices),
                          supports.first(point.vertices), point.clear != 0});
    allocations = allocations.subspan(point.vertices);
    supports = supports.subspan(point.vertices);
  }
  map.values = {kept};
  return map;
}

void run_everywhere(Link& link, int threads, const SharedTasks& tasks) {
  TASFG_EXPECT(threads > 0);
  if (link.rank() == 0)
    Desk(link, threads, tasks).run();
  else
    serve(link, threads, tasks.away);
}

Curve run_curve(const CurvePlan& plan, Link& link, int threads) {
  const int share = share_of_cores(link);
  std::vector<CertifiedMap> parts(link.rank() == 0 ? plan.parts() : 0);
  run_everywhere(
      link, threads > 0 ? threads : share,
      {.count = plan.parts(),
       .here = [&](std::size_t part) { parts[part] = plan.compute(part); },
       .away = [&](std::size_t part) { return pack_map(plan.compute(part)); },
       .arrived = [&](std::size_t part, const std::string& bytes) { parts[part] = unpack_map(bytes); }});
  return link.rank() == 0 ? join(plan, std::move(parts)) : Curve{};
}

}  // namespace tasfg
