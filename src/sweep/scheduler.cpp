#include "tasfg/sweep/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

// A chunk is to take this long: far longer than its two messages, far shorter than a person notices.
constexpr double kShortestChunk = 2e-3;
constexpr double kLongestChunk = 0.1;
// More threads send more messages to the one coordinator, which takes some 0.1 ms for each: chunks of many
// threads are longer.
constexpr double kShortestChunkPerThread = 1e-4;
constexpr double kLongestChunkPerThread = 5e-4;
constexpr std::int64_t kChunkGrowth = 4;  // tasks of a chunk for each of its cell that was measured
constexpr double kSafety = 1.5;           // on what is expected, where time runs out
constexpr double kSortInterval = 0.25;
constexpr double kSortSecondsPerCell = 1e-5;  // sorting must stay a small part of the work

}  // namespace

Scheduler::Scheduler(std::size_t cases, std::size_t algorithms)
    : algorithms_(algorithms), cells_(cases * algorithms), ratios_(algorithms), case_seconds_(cases, 0.0) {}

void Scheduler::add_case(std::size_t case_index, double expected_seconds) {
  case_seconds_[case_index] = expected_seconds;
  const auto c = static_cast<std::int64_t>(case_index);
  if (!cases_.empty() && cases_.back().last == c)
    cases_.back().last = c + 1;
  else
    cases_.push_back({c, c + 1});
  ++waiting_;
}

void Scheduler::add_runs(std::size_t cell, std::int64_t first, std::int64_t last, bool suspect) {
  TASFG_EXPECT(first < last);
  Cell& it = cells_[cell];
  (suspect ? it.suspects : it.pending).push_back({first, last});
  (suspect ? suspects_waiting_ : it.count) += last - first;
  waiting_ += last - first;
  stale_ = true;
}

void Scheduler::open_cell(std::size_t cell, double expected_seconds) {
  cells_[cell].predicted = std::max(expected_seconds, 1e-9);
  stale_ = true;
}

double Scheduler::expected(std::size_t cell) const {
  const Cell& it = cells_[cell];
  const Ratio& ratio = ratios_[cell % algorithms_];
  const double mean = it.measured > 0 ? it.sum / static_cast<double>(it.measured)
                      : ratio.count > 0
                          ? it.predicted * std::exp(ratio.log_sum / static_cast<double>(ratio.count))
                          : it.predicted;
  return std::max(mean, it.floor);
}

double Scheduler::risk(std::size_t cell) const {
  const Cell& it = cells_[cell];
  const Ratio& ratio = ratios_[cell % algorithms_];
  const double long_one = it.predicted * std::max(1.0, ratio.largest);
  return std::max(expected(cell), (it.sum + long_one) / static_cast<double>(it.measured + 1));
}

void Scheduler::measured(std::size_t cell, double seconds) {
  Cell& it = cells_[cell];
  it.sum += seconds;
  ++it.measured;
  it.floor = 0.0;
  if (it.predicted > 0.0 && seconds > 0.0) {
    Ratio& ratio = ratios_[cell % algorithms_];
    ratio.log_sum += std::log(seconds / it.predicted);
    ratio.largest = std::max(ratio.largest, seconds / it.predicted);
    ++ratio.count;
  }
}

void Scheduler::sort(double now) {
  for (const auto& [id, under_way] : outstanding_) {
    if (under_way.chunk.kind != ChunkKind::run || under_way.chunk.count != 1) continue;
    const auto cell = static_cast<std::size_t>(under_way.chunk.cell);
    const double elapsed = now - under_way.since;
    if (elapsed > 2.0 * under_way.chunk.expected && elapsed > kLongestChunk)
      cells_[cell].floor = std::max(cells_[cell].floor, elapsed);
  }
  fresh_.clear();
  order_.clear();
  waiting_seconds_ = 0.0;
  std::vector<double> cost(cells_.size());
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    if (cells_[cell].count == 0 || cells_[cell].predicted == 0.0) continue;
    cost[cell] = risk(cell);
    waiting_seconds_ += static_cast<double>(cells_[cell].count) * expected(cell);
    (cells_[cell].tried ? order_ : fresh_).push_back(cell);
  }
  // Equal costs: the lower cell first, that is at the back.
  const auto cheaper = [&](std::size_t a, std::size_t b) {
    return cost[a] != cost[b] ? cost[a] < cost[b] : a > b;
  };
  std::sort(fresh_.begin(), fresh_.end(), cheaper);
  std::sort(order_.begin(), order_.end(), cheaper);
  left_ = seconds_left(now);
  sorted_at_ = now;
  stale_ = false;
}

std::optional<Chunk> Scheduler::next_case(double now, double time_left) {
  while (!cases_.empty()) {
    Interval& interval = cases_.back();
    Chunk chunk{next_id_, ChunkKind::solve, 0, interval.first, 0, 0.0};
    while (interval.first + chunk.count < interval.last) {
      const double seconds = case_seconds_[static_cast<std::size_t>(interval.first + chunk.count)];
      if (chunk.count > 0 && chunk.expected + seconds > kShortestChunk) break;
      chunk.expected += seconds;
      ++chunk.count;
    }
    if (kSafety * chunk.expected > time_left) return {};
    interval.first += chunk.count;
    if (interval.first == interval.last) cases_.pop_back();
    waiting_ -= chunk.count;
    outstanding_.emplace(next_id_++, UnderWay{chunk, now, false});
    return chunk;
  }
  return {};
}

std::optional<Chunk> Scheduler::take(std::size_t cell, std::int64_t at_most, bool suspect, double now) {
  Cell& it = cells_[cell];
  std::vector<Interval>& intervals = suspect ? it.suspects : it.pending;
  if (intervals.empty()) return {};
  Interval& interval = intervals.back();
  const std::int64_t count = std::min(at_most, interval.last - interval.first);
  const Chunk chunk{next_id_,       ChunkKind::run, static_cast<std::int64_t>(cell),
                    interval.first, count,          static_cast<double>(count) * expected(cell)};
  interval.first += count;
  if (interval.first == interval.last) intervals.pop_back();
  (suspect ? suspects_waiting_ : it.count) -= count;
  waiting_ -= count;
  it.tried = true;
  outstanding_.emplace(next_id_++, UnderWay{chunk, now, suspect});
  return chunk;
}

std::optional<Chunk> Scheduler::next(double now, double threads, double time_left) {
  if (auto chunk = next_case(now, time_left)) return chunk;
  const double interval = kSortInterval + kSortSecondsPerCell * static_cast<double>(cells_.size());
  if (now - sorted_at_ > interval || (stale_ && now - sorted_at_ > 0.1 * interval)) sort(now);
  if (auto chunk = next_run(now, threads, time_left)) return chunk;
  if (!stale_) return {};
  sort(now);  // cells came in since
  return next_run(now, threads, time_left);
}

std::optional<Chunk> Scheduler::next_run(double now, double threads, double time_left) {
  const double target =
      std::clamp(left_ / (kChunksPerThread * threads), kShortestChunk + kShortestChunkPerThread * threads,
                 kLongestChunk + kLongestChunkPerThread * threads);
  const auto from = [&](std::vector<std::size_t>& list, double seconds) -> std::optional<Chunk> {
    while (!list.empty() && cells_[list.back()].count == 0) list.pop_back();
    for (std::size_t i = list.size(); i-- > 0;) {  // past what cannot end in time
      const std::size_t cell = list[i];
      if (cells_[cell].count == 0 || kSafety * expected(cell) > time_left) continue;
      // What comes back first is what was short: a chunk grows with what is known of its own cell.
      const std::int64_t most = kChunkGrowth * (cells_[cell].measured + 1);
      const auto count = static_cast<std::int64_t>(seconds / risk(cell));
      return take(cell, std::clamp<std::int64_t>(count, 1, most), false, now);
    }
    return {};
  };
  if (!fresh_.empty()) {
    auto chunk = from(fresh_, kShortestChunk);
    if (chunk) {
      fresh_.erase(std::find(fresh_.begin(), fresh_.end(), static_cast<std::size_t>(chunk->cell)));
      stale_ = true;  // its other tasks stand in line now
      return chunk;
    }
  }
  if (auto chunk = from(order_, target)) return chunk;
  if (waiting_ == suspects_waiting_ && suspects_waiting_ > 0)
    for (std::size_t cell = 0; cell < cells_.size(); ++cell)
      if (cells_[cell].predicted > 0.0 && kSafety * expected(cell) <= time_left)
        if (auto chunk = take(cell, 1, true, now)) return chunk;
  return {};
}

double Scheduler::next_expected() const {
  if (!cases_.empty()) return kShortestChunk;
  for (const auto* list : {&fresh_, &order_})
    for (std::size_t i = list->size(); i-- > 0;)
      if (cells_[(*list)[i]].count > 0) return expected((*list)[i]);
  return 0.0;
}

void Scheduler::closed(std::int64_t id, std::int64_t undone) {
  const auto found = outstanding_.find(id);
  TASFG_EXPECT(found != outstanding_.end());
  const UnderWay under_way = found->second;
  outstanding_.erase(found);
  if (undone == 0) return;
  const std::int64_t last = under_way.chunk.first + under_way.chunk.count;
  if (under_way.chunk.kind == ChunkKind::run) {
    add_runs(static_cast<std::size_t>(under_way.chunk.cell), last - undone, last, under_way.suspect);
  } else {
    cases_.push_back({last - undone, last});
    waiting_ += undone;
  }
}

double Scheduler::seconds_left(double now) const {
  double left = 0.0;
  for (const Interval& interval : cases_)
    for (std::int64_t c = interval.first; c < interval.last; ++c)
      left += case_seconds_[static_cast<std::size_t>(c)];
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    std::int64_t count = cells_[cell].count;
    for (const Interval& interval : cells_[cell].suspects) count += interval.last - interval.first;
    if (count > 0) left += static_cast<double>(count) * expected(cell);
  }
  for (const auto& [id, under_way] : outstanding_)
    left += std::max(0.0, under_way.chunk.expected - (now - under_way.since));
  return left;
}

}  // namespace tasfg
