// How a sweep would do on a large cluster: a discrete-event simulation of ranks and coordinator, with the
// real scheduler, dispatch, queues and harvest of ranks, and with costs that are measured first.
//
//   mpirun -n 2 scaling MEASURED.h5 [MEAN_SECONDS [THREADS [WORKERS REPLICATIONS ...]]]
//
// MEASURED.h5 is a result file whose runs say what tasks cost; each simulated task costs what a random one of
// its cell did, all scaled so that MEAN_SECONDS is their mean (0: as they are). Ranks have THREADS threads
// each (64). What the coordinator does is measured before: reports of several sizes are received by MPI
// (alone, without mpirun, that costs nothing), unpacked, taken in by Inventory and written to a file of the
// same study beside MEASURED.h5, and leases are noted in it and sent. What scheduler and dispatch take is
// measured as they go. All prices are CPU time of one thread.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <limits>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/stopwatch.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sweep/bite_queue.hpp"
#include "tasfg/sweep/dispatch.hpp"
#include "tasfg/sweep/grid_layout.hpp"
#include "tasfg/sweep/harvest.hpp"
#include "tasfg/sweep/inventory.hpp"
#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/liveness.hpp"
#include "tasfg/sweep/messages.hpp"
#include "tasfg/sweep/sweep.hpp"

namespace {

using tasfg::CellId;
using tasfg::Chunk;
using tasfg::Part;
using Measured = tasfg::Scheduler::Measured;

struct Costs {
  std::vector<std::vector<double>> seconds;  // by cell
  tasfg::CellGrid grid;
};

Costs read_costs(const char* path, double wanted_mean) {
  const tasfg::ResultFile file = tasfg::ResultFile::open(path, tasfg::Access::read);
  Costs costs;
  costs.grid = file.layout().grid();
  double sum = 0.0;
  for (CellId cell; cell.value() < file.layout().cells(); ++cell) {
    const std::vector<tasfg::TaskStatus> status = file.run_values(&tasfg::RunRecord::status, cell);
    const std::vector<double> all = file.run_values(&tasfg::RunRecord::seconds, cell);
    std::vector<double>& seconds = costs.seconds.emplace_back();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (status[i] == tasfg::TaskStatus::done) seconds.push_back(all[i]);
    if (seconds.empty()) seconds.push_back(0.0);
    for (const double each : seconds) sum += each / static_cast<double>(seconds.size());
  }
  const double mean = sum / static_cast<double>(costs.seconds.size());
  std::printf("%zu cells, runs of %.2f ms on average", costs.seconds.size(), 1e3 * mean);
  if (wanted_mean > 0.0) {
    std::printf(", scaled to %.2f ms", 1e3 * wanted_mean);
    for (auto& cell : costs.seconds)
      for (double& each : cell) each *= wanted_mean / mean;
  }
  std::printf("\n");
  return costs;
}

/// Seconds of the coordinator.
struct Prices {
  double message = 0.0, byte = 0.0;                                      // received
  double report = 0.0, stretch = 0.0, row = 0.0;                         // unpacked and taken in
  double written_stretch = 0.0, written_piece = 0.0, written_row = 0.0;  // written; pieces join neighbours
  double lease = 0.0, started_stretch = 0.0, started_row = 0.0;          // sent; noted in the file
  std::size_t row_bytes = 0;
};

/// Sizes of what is written at a time: rows of few are dear by their calls, rows of many by their bytes.
struct Size {
  int stretches;
  std::int64_t rows;  // of each
  int reports = 1;    // whose rows are neighbours
};
constexpr Size kSmall{1, 64}, kLong{1, 6400}, kSplit{16, 400}, kJoined{1, 400, 16};
constexpr int kParcels = 200;  // of each size of message
constexpr int kLeases = 1000;

/// What rank 1 does for measure_messages.
void send_messages(tasfg::Link& link, std::size_t row_bytes) {
  for (const std::int64_t rows : {kSmall.rows, kLong.rows})
    for (int i = 0; i < kParcels; ++i) {
      link.send(0, std::string(static_cast<std::size_t>(rows) * row_bytes, 'x'));
      link.flush();
    }
}

void measure_messages(tasfg::Link& link, Prices& prices) {
  const auto each = [&](std::int64_t rows) {
    double seconds = 0.0;
    for (int i = 0; i < kParcels;) {
      const double begin = tasfg::thread_cpu_seconds();
      const auto parcel = link.receive();
      if (!parcel) continue;
      seconds += tasfg::thread_cpu_seconds() - begin;
      TASFG_EXPECT(parcel->bytes.size() == static_cast<std::size_t>(rows) * prices.row_bytes);
      ++i;
    }
    return seconds / kParcels;
  };
  const double few = each(kSmall.rows), many = each(kLong.rows);
  prices.byte = (many - few) /
                static_cast<double>((kLong.rows - kSmall.rows) * static_cast<std::int64_t>(prices.row_bytes));
  prices.message = std::max(
      0.0, few - prices.byte * static_cast<double>(kSmall.rows) * static_cast<double>(prices.row_bytes));
}

/// What reports and leases cost, by the real Inventory and a real file.
class Bench {
 public:
  Bench(const char* measured, const std::string& path)
      : grid_(tasfg::read_study(measured, {"replications=" + std::to_string(kReplications)})),
        lock_(path, nullptr),
        file_(tasfg::ResultFile::create(path, tasfg::layout_of(grid_, {}, ""), tasfg::graphs_of(grid_), live_,
                                        lock_)) {
    for (tasfg::CaseId id; id.value() < grid_.cases.size(); ++id) {
      tasfg::CaseSolution solution;
      solution.status = tasfg::TaskStatus::failed;  // nobody asks for it
      file_.case_format().append(solutions_, tasfg::name_of(id), static_cast<std::size_t>(grid_.at(id).K),
                                 solution);
    }
    results_.write_cases(solutions_);
    inventory_.collect({}, {});
    for (CellId cell; cell.value() < scheduler_.grid().cells(); ++cell) scheduler_.open_cell(cell, 1e-2);
  }

  void measure(Prices& prices) {
    const auto [take_small, write_small] = reports(kSmall);
    const auto [take_long, write_long] = reports(kLong);
    const auto [take_split, write_split] = reports(kSplit);
    const double write_joined = reports(kJoined).second;
    const auto rows = static_cast<double>(kLong.rows - kSmall.rows),
               more = static_cast<double>(kSplit.stretches - 1);
    prices.row = (take_long - take_small) / rows;
    prices.stretch = std::max(0.0, (take_split - take_long) / more);
    prices.report =
        std::max(0.0, take_small - prices.stretch - prices.row * static_cast<double>(kSmall.rows));
    prices.written_row = (write_long - write_small) / rows;
    prices.written_stretch = write_small - prices.written_row * static_cast<double>(kSmall.rows);
    prices.written_stretch = std::max(prices.written_stretch, (write_split - write_long) / more);
    prices.written_piece = std::max(0.0, (write_joined - write_long) / (kJoined.reports - 1));
    const double few = starts(kSmall.rows), many = starts(kLong.rows);
    prices.started_row = (many - few) / rows;
    prices.started_stretch = few - prices.started_row * static_cast<double>(kSmall.rows);
    prices.row_bytes = row_bytes_;
  }
  [[nodiscard]] static std::string a_lease() {
    return tasfg::pack<tasfg::ToWorker>(tasfg::Lease{std::vector<Chunk>(2)});
  }

 private:
  static constexpr std::int64_t kReplications = 20'000;

  /// The next rows of a study that is written from its first cell to its last, again and again.
  tasfg::RunName next(std::int64_t rows) {
    if (at_.seed + rows > kReplications)
      at_ = {CellId((at_.cell.value() + 1) % scheduler_.grid().cells()), 0};
    const tasfg::RunName found = at_;
    at_.seed += rows;
    return found;
  }

  /// A report of so many runs of neighbours, packed.
  std::string report(Size size) {
    tasfg::RunBatch batch;
    for (int s = 0; s < size.stretches; ++s) {
      if (s > 0)
        at_ = {CellId((at_.cell.value() + 1) % scheduler_.grid().cells()), at_.seed};  // no neighbours
      const tasfg::RunName first = next(size.rows);
      const auto K = static_cast<std::size_t>(grid_.at(scheduler_.grid().case_of(first.cell)).K);
      tasfg::RunRecord record;
      record.status = tasfg::TaskStatus::done;
      record.seconds = 1e-2;
      record.steps = 1000;
      record.pulls.assign(K, 10);
      for (std::int64_t row = 0; row < size.rows; ++row)
        file_.run_format().append(batch, {first.cell, first.seed + row}, K, record);
    }
    tasfg::Report report;
    report.parts.resize(1);
    report.runs = {file_.run_format().pack(std::span(&batch, 1))};
    row_bytes_ = report.runs[0].values().size() / static_cast<std::size_t>(report.runs[0].room);
    return tasfg::pack<tasfg::ToCoordinator>(report);
  }

  /// Seconds for taking in reports of that size, and for writing them together.
  std::pair<double, double> reports(Size size) {
    double taken = 0.0, written = 0.0;
    const std::int64_t rows = size.rows * size.stretches * size.reports;
    const int times = static_cast<int>(std::clamp<std::int64_t>(1'000'000 / rows, 100, 1000));
    for (int i = 0; i < times; ++i) {
      if (size.reports > 1 && at_.seed + rows > kReplications)
        at_ = {CellId((at_.cell.value() + 1) % scheduler_.grid().cells()), 0};  // neighbours to the last
      std::vector<std::string> all;
      for (int r = 0; r < size.reports; ++r) all.push_back(report(size));
      const double begin = tasfg::thread_cpu_seconds(), before = results_.cpu_seconds();
      for (std::string& bytes : all)
        inventory_.take(std::get<tasfg::Report>(tasfg::unpack<tasfg::ToCoordinator>(std::move(bytes))));
      inventory_.flush();
      taken += tasfg::thread_cpu_seconds() - begin;
      results_.finish_writing();
      written += results_.cpu_seconds() - before;
    }
    return {taken / times, written / times};
  }

  double starts(std::int64_t rows) {
    constexpr int kTimes = 300;
    double seconds = 0.0;
    for (int i = 0; i < kTimes; ++i) {
      const tasfg::RunName first = next(rows);
      const double begin = tasfg::thread_cpu_seconds();
      inventory_.start({{}, tasfg::TaskKind::run, first.cell, first.seed, rows, 1.0});
      seconds += tasfg::thread_cpu_seconds() - begin;
    }
    return seconds / kTimes;
  }

  tasfg::Grid grid_;
  tasfg::LiveState live_{"running", tasfg::iso_time(), "here", 1, 0};
  tasfg::WriterLock lock_;
  tasfg::ResultFile file_;
  tasfg::ResultWriter results_{file_, lock_, live_};
  tasfg::CaseBatch solutions_;
  tasfg::Scheduler scheduler_{grid_.cell_grid()};
  tasfg::Inventory inventory_{grid_, results_, scheduler_, [](const std::string&) {}};
  tasfg::RunName at_;
  std::size_t row_bytes_ = 0;
};

Prices measure_prices(const char* measured, tasfg::Link& link) {
  Prices prices;
  const std::string path = std::string(measured) + ".scaling.h5";
  {
    Bench bench(measured, path);
    bench.measure(prices);
  }
  std::filesystem::remove(path);
  std::string bytes = std::to_string(prices.row_bytes);
  link.broadcast(bytes);
  if (!link.alone()) {
    measure_messages(link, prices);
    const double begin = tasfg::thread_cpu_seconds();
    for (int i = 0; i < kLeases; ++i) link.send(1, Bench::a_lease());
    link.flush();
    prices.lease = (tasfg::thread_cpu_seconds() - begin) / kLeases;
  }
  std::printf(
      "prices of the coordinator in us: a message %.2f and %.5f a byte, a report %.2f, a stretch of it %.2f, "
      "a row %.4f (%zu bytes); "
      "written: a stretch %.2f, a piece of one %.2f, a row %.4f; a lease %.2f, noting a chunk %.2f, a row of "
      "it %.5f\n",
      1e6 * prices.message, 1e6 * prices.byte, 1e6 * prices.report, 1e6 * prices.stretch, 1e6 * prices.row,
      prices.row_bytes, 1e6 * prices.written_stretch, 1e6 * prices.written_piece, 1e6 * prices.written_row,
      1e6 * prices.lease, 1e6 * prices.started_stretch, 1e6 * prices.started_row);
  return prices;
}

struct Outcome {
  double makespan = 0.0, work = 0.0, longest = 0.0, last_task = 0.0;
  double coordinator = 0.0, writer = 0.0,
         dispatching = 0.0;  // seconds it was busy; of these with scheduler and dispatch
  double starved = 0.0,
         idle_at_end = 0.0;  // seconds of threads without work, while some waited, and when none did
  double written = 0.0;      // runs of neighbours, as they were written
  std::int64_t messages = 0, reports = 0, stretches = 0, rows = 0;
};

/// What a rank has done of a chunk.
struct Done {
  CellId cell;
  Measured measured;
};

/// One rank, as src/sweep/worker_pool.cpp has it.
struct Rank {
  tasfg::BiteQueue queue;
  int idle;
  double last_report = 0.0;
  double wakes = std::numeric_limits<double>::infinity();  // when a report may be due
  tasfg::Harvest<Done> harvest{};

  explicit Rank(int threads) : queue(threads), idle(threads) {}
  [[nodiscard]] double due_in(double now, double interval) const {
    return harvest.due_in(queue, now - last_report, interval);
  }
};

class Simulation {
 public:
  Simulation(const Costs& costs, const Prices& prices, std::int64_t replications, int workers, int threads)
      : costs_(costs),
        prices_(prices),
        threads_(threads),
        scheduler_(costs.grid),
        ranks_(static_cast<std::size_t>(workers / threads_), Rank(threads_)),
        dispatch_(scheduler_, static_cast<int>(ranks_.size())),
        interval_(tasfg::BiteQueue::report_interval(size())),
        look_(seconds(tasfg::BackOff::longest_of(size()))),
        look_supplied_(seconds(tasfg::BackOff::longest_supplied(size()))) {
    for (CellId cell; cell.value() < costs.seconds.size(); ++cell) {
      double mean = 0.0;
      for (const double each : costs.seconds[cell.value()])
        mean += each / static_cast<double>(costs.seconds[cell.value()].size());
      scheduler_.open_cell(cell, std::max(mean, 1e-7));
      scheduler_.add_runs(cell, 0, replications);
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      dispatch_.add_rank(static_cast<int>(rank), threads_);
  }

  Outcome run() {
    events_.push({0.0, -1, 0});  // the first round
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      idle(event.time);
      if (event.rank < 0)
        round(event.time);
      else if (event.what == kLook)
        lease(event);
      else if (event.what == kWake)
        wake(event);
      else
        end_of_bite(event);
    }
    write_until(std::numeric_limits<double>::infinity());
    outcome_.makespan = std::max(outcome_.makespan, written_);
    idle(outcome_.makespan);
    return outcome_;
  }

 private:
  static constexpr double kLatency = 50e-6;              // of a message
  static constexpr double kRounding = 1e-9;              // seconds
  static constexpr std::int64_t kLook = -1, kWake = -2;  // the rank looks for leases; a report may be due
  struct Event {
    double time;
    int rank;           // −1: the coordinator's next round
    std::int64_t what;  // kLook, kWake, or the end of a bite
    bool operator<(const Event& other) const { return time > other.time; }
  };
  struct Bite {
    Part part;
    Done done;
  };
  struct Arriving {
    double time;
    std::vector<Part> parts;
    std::vector<Done> done;
  };
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  static double seconds(std::chrono::microseconds time) { return 1e-6 * static_cast<double>(time.count()); }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  /// Counts the time since the last event.
  void idle(double now) {
    (scheduler_.waiting() > 0 ? outcome_.starved : outcome_.idle_at_end) += idle_ * (now - counted_);
    counted_ = std::max(counted_, now);
  }

  void start_bites(int number, double now) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    for (; rank.idle > 0 && !rank.queue.empty(); --rank.idle, --idle_) {
      const Chunk bite = rank.queue.bite();
      rank.harvest.begin(bite);
      const std::vector<double>& choices = costs_.seconds[bite.cell.value()];
      Measured measured;
      for (std::int64_t i = 0; i < bite.count; ++i) measured.add(choices[random_() % choices.size()]);
      outcome_.work += measured.sum;
      outcome_.longest = std::max(outcome_.longest, measured.longest);
      std::int64_t place = static_cast<std::int64_t>(bites_.size());
      if (free_places_.empty()) {
        bites_.emplace_back();
      } else {
        place = free_places_.back();
        free_places_.pop_back();
      }
      bites_[static_cast<std::size_t>(place)] = {{bite.id, bite.first, bite.count, 0}, {bite.cell, measured}};
      events_.push({now + measured.sum, number, place});
    }
  }

  /// A rank finds all leases that have come.
  void lease(const Event& event) {
    auto& leases = leases_[event.rank];
    for (; !leases.empty() && leases.front().first <= event.time; leases.pop_front())
      ranks_[static_cast<std::size_t>(event.rank)].queue.push(leases.front().second);
    start_bites(event.rank, event.time);
  }

  void wake(const Event& event) {
    Rank& rank = ranks_[static_cast<std::size_t>(event.rank)];
    if (event.time >= rank.wakes) rank.wakes = std::numeric_limits<double>::infinity();
    report(event.rank, event.time);
  }

  void end_of_bite(const Event& event) {
    Rank& rank = ranks_[static_cast<std::size_t>(event.rank)];
    const Bite& bite = bites_[static_cast<std::size_t>(event.what)];
    outcome_.last_task = std::max(outcome_.last_task, event.time);
    rank.harvest.add(bite.part, bite.done);
    free_places_.push_back(event.what);
    ++rank.idle;
    ++idle_;
    start_bites(event.rank, event.time);
    report(event.rank, event.time);
  }

  /// Where it is time to.
  void report(int number, double now) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    double due_in = rank.due_in(now, interval_);
    if (due_in <= kRounding) {
      rank.queue.mark();
      rank.last_report = now;
      Arriving report{now + kLatency, {}, {}};
      std::tie(report.parts, report.done) = rank.harvest.take();
      lease({now, number, kLook});  // who sends looks, too
      if (!report.parts.empty()) arrive(std::move(report));
      due_in = rank.due_in(now, interval_);
    }
    // It wakes up when the next one is due, unless something happens before.
    if (due_in <= interval_ && now + due_in < rank.wakes - kRounding) {
      rank.wakes = now + due_in;
      events_.push({rank.wakes, number, kWake});
    }
  }

  void arrive(Arriving report) {
    reports_.push_back(std::move(report));
    if (!asleep_) return;
    asleep_ = false;
    const double back_off = std::clamp(reports_.back().time - free_, 50e-6, 3e-3);
    events_.push({std::max(reports_.back().time + uniform() * back_off, free_), -1, 0});
  }

  /// Runs of neighbours.
  struct Rows {
    tasfg::RunName first;
    std::int64_t count;
    [[nodiscard]] tasfg::RunName end() const { return {first.cell, first.seed + count}; }
  };
  static std::vector<Rows> joined(std::vector<Rows> rows) {
    std::sort(rows.begin(), rows.end(), [](const Rows& x, const Rows& y) { return x.first < y.first; });
    std::vector<Rows> all;
    for (const Rows& each : rows)
      if (!all.empty() && all.back().end() == each.first)
        all.back().count += each.count;
      else
        all.push_back(each);
    return all;
  }
  [[nodiscard]] std::vector<Rows> rows_of(const std::vector<Part>& parts) const {
    std::vector<Rows> rows;
    for (const Part& part : parts)
      rows.push_back({{scheduler_.chunk(part.chunk).cell, part.first}, part.done});
    return joined(std::move(rows));
  }

  /// The thread that writes, until `now`: as WriteQueue has it, it takes all that waits whenever it is done.
  void write_until(double now) {
    while (!unwritten_.empty() && written_ <= now) {
      const auto pieces = static_cast<double>(unwritten_.size());
      double rows = 0.0;
      for (const Rows& each : unwritten_) rows += static_cast<double>(each.count);
      const auto stretches = static_cast<double>(joined(std::exchange(unwritten_, {})).size());
      const double writing = stretches * prices_.written_stretch +
                             (pieces - stretches) * prices_.written_piece + rows * prices_.written_row;
      outcome_.written += stretches;
      outcome_.writer += writing;
      unwritten_bytes_ = 0.0;
      written_ += writing;
    }
  }
  /// Returns when it could be given them: who does so waits where too much does already.
  double write(const std::vector<Rows>& rows, double now) {
    for (write_until(now); unwritten_bytes_ >= static_cast<double>(tasfg::WriteQueue::kMostBytes);) {
      now = std::max(now, written_);
      write_until(now);
    }
    if (unwritten_.empty()) written_ = std::max(written_, now);  // it slept
    for (const Rows& each : rows) {
      unwritten_.push_back(each);
      unwritten_bytes_ += static_cast<double>(each.count) * static_cast<double>(prices_.row_bytes);
    }
    write_until(now);
    return now;
  }

  /// The coordinator takes what has arrived, writes it, and hands out.
  void round(double now) {
    double busy = 0.0;
    std::vector<Arriving> taken;
    std::vector<Rows> to_write;
    for (; !reports_.empty() && reports_.front().time <= now; reports_.pop_front()) {
      taken.push_back(std::move(reports_.front()));
      ++outcome_.messages;
      ++outcome_.reports;
      const std::vector<Rows> stretches = rows_of(taken.back().parts);
      std::int64_t rows = 0;
      for (const Rows& each : stretches) rows += each.count;
      outcome_.stretches += static_cast<std::int64_t>(stretches.size());
      outcome_.rows += rows;
      busy +=
          prices_.message + prices_.report + static_cast<double>(stretches.size()) * prices_.stretch +
          static_cast<double>(rows) * (prices_.row + prices_.byte * static_cast<double>(prices_.row_bytes));
      to_write.insert(to_write.end(), stretches.begin(), stretches.end());
    }
    const double waited = to_write.empty() ? 0.0 : write(to_write, now + busy) - (now + busy);
    for (const Arriving& report : taken)
      for (const Done& each : report.done) scheduler_.learn(each.cell, each.measured);
    const double begin = tasfg::thread_cpu_seconds();
    for (const Arriving& report : taken)
      for (const Part& part : report.parts) (void)dispatch_.take_back(part);
    std::vector<tasfg::Order> orders =
        dispatch_.hand_out(now + busy + waited, std::numeric_limits<double>::infinity());
    const double dispatching = tasfg::thread_cpu_seconds() - begin;
    outcome_.dispatching += dispatching;
    busy += dispatching;
    for (tasfg::Order& order : orders) {
      busy += prices_.lease;
      for (const Chunk& chunk : order.chunks)
        busy += prices_.started_stretch + prices_.started_row * static_cast<double>(chunk.count);
      ++outcome_.messages;
      const double arrives = now + busy + waited + kLatency;
      const bool supplied = !ranks_[static_cast<std::size_t>(order.rank)].queue.empty();
      leases_[order.rank].emplace_back(arrives, std::move(order.chunks));
      events_.push({arrives + uniform() * (supplied ? look_supplied_ : look_), order.rank, kLook});
    }
    outcome_.coordinator += busy;
    free_ = now + busy + waited;
    outcome_.makespan = std::max(outcome_.makespan, free_);
    asleep_ = reports_.empty();
    if (!asleep_) events_.push({std::max(free_, reports_.front().time), -1, 0});
  }

  const Costs& costs_;
  const Prices& prices_;
  const int threads_;
  tasfg::Scheduler scheduler_;
  std::vector<Rank> ranks_;
  tasfg::Dispatch dispatch_;
  const double interval_, look_, look_supplied_;
  std::mt19937_64 random_{1};
  std::priority_queue<Event> events_;
  std::vector<Bite> bites_;
  std::vector<std::int64_t> free_places_;
  std::map<int, std::deque<std::pair<double, std::vector<Chunk>>>> leases_;
  std::deque<Arriving> reports_;  // under way to the coordinator, or waiting for it
  bool asleep_ = false;
  double free_ = 0.0, written_ = 0.0;  // when the coordinator has time, and when the last row is written
  std::vector<Rows> unwritten_;        // that wait for the thread that writes
  double unwritten_bytes_ = 0.0;
  double counted_ = 0.0;
  double idle_ = static_cast<double>(ranks_.size()) * threads_;  // threads
  Outcome outcome_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || (argc > 4 && argc % 2 == 1)) {
    std::fprintf(
        stderr,
        "usage: [mpirun -n 2] scaling MEASURED.h5 [MEAN_SECONDS [THREADS [WORKERS REPLICATIONS ...]]]\n");
    return 2;
  }
  try {
    tasfg::Link link;
    tasfg::keep_memory();
    if (link.rank() > 0) {
      std::string bytes;
      link.broadcast(bytes);
      if (link.rank() == 1) send_messages(link, std::stoul(bytes));
      // Leases, and the end; asleep, since waiting for the others at the end would take a core.
      for (int left = link.rank() == 1 ? kLeases + 1 : 1; left > 0;) {
        if (link.receive())
          --left;
        else
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return 0;
    }
    const Costs costs = read_costs(argv[1], argc > 2 ? std::atof(argv[2]) : 0.0);
    const Prices prices = measure_prices(argv[1], link);
    const int threads = argc > 3 ? std::atoi(argv[3]) : 64;
    std::vector<std::pair<int, double>> machines;
    for (int i = 4; i + 1 < argc; i += 2) machines.emplace_back(std::atoi(argv[i]), std::atof(argv[i + 1]));
    if (machines.empty()) machines = {{1000, 1e6}, {10'000, 1e6}, {25'000, 2.5e6}, {100'000, 1e7}};
    std::printf("%8s %12s %10s %10s | %11s %11s | %10s %14s %9s %14s | %11s %9s %7s | %9s %s\n", "workers",
                "replications", "makespan/s", "efficiency", "starved", "at the end", "messages/s",
                "rows/stretch", "written", "rows/report", "coordinator", "dispatch", "writer", "longest/s",
                "after the last");
    for (const auto& [asked, replications] : machines) {
      const int each = std::max(1, asked / threads) * std::min(threads, asked);  // whole ranks
      const Outcome outcome =
          Simulation(costs, prices, static_cast<std::int64_t>(replications), each, std::min(threads, asked))
              .run();
      const double all = each * outcome.makespan;
      std::printf(
          "%8d %12.3g %10.1f %9.1f%% | %10.1f%% %10.1f%% | %10.0f %14.0f %9.0f %14.0f | %10.1f%% %8.1f%% "
          "%6.1f%% | "
          "%9.2f "
          "%12.2f s\n",
          each, replications, outcome.makespan, 100.0 * outcome.work / all, 100.0 * outcome.starved / all,
          100.0 * outcome.idle_at_end / all, static_cast<double>(outcome.messages) / outcome.makespan,
          static_cast<double>(outcome.rows) / static_cast<double>(outcome.stretches),
          static_cast<double>(outcome.rows) / outcome.written,
          static_cast<double>(outcome.rows) / static_cast<double>(outcome.reports),
          100.0 * outcome.coordinator / outcome.makespan, 100.0 * outcome.dispatching / outcome.makespan,
          100.0 * outcome.writer / outcome.makespan, outcome.longest, outcome.makespan - outcome.last_task);
      std::fflush(stdout);
    }
    for (int rank = 1; rank < link.size(); ++rank) link.send(rank, "end");
    link.flush();
  } catch (const tasfg::Error& error) {
    std::fprintf(stderr, "scaling: %s\n", error.what());
    return 2;
  }
  return 0;
}
