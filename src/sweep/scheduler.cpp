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
// More ranks send more messages to the one coordinator, which takes some 20 µs for a chunk: those of many
// ranks are longer.
constexpr double kShortestChunkPerRank = 2e-4;
constexpr double kLongestChunkPerRank = 4e-3;
constexpr double kLongestChunkOfMany = 1.0;          // of hundreds of ranks
constexpr double kLongestChunkPerRankOfMany = 2e-3;  // of thousands again longer
constexpr std::int64_t kChunkGrowth = 4;  // tasks for each thread and each of its cell that was measured
// As long as what is left takes each thread so many times the dearest task, the order does not matter for the
// end.
constexpr double kFarFromEnd = 20.0;
constexpr double kLastSeconds = 1.0;  // and a few times the interval in which it is known how much is left
constexpr double kSafety = 1.5;       // on what is expected, where time runs out
constexpr double kSortInterval = 0.25;
constexpr double kSortSecondsPerCell = 1e-5;  // sorting must stay a small part of the work

}  // namespace

Scheduler::Scheduler(CellGrid grid)
    : grid_(grid), cells_(grid.cells()), ratios_(grid.algorithms), case_seconds_(grid.cases, 0.0) {}

void Scheduler::add_case(CaseId id, double expected_seconds) {
  case_seconds_[id.value()] = expected_seconds;
  const std::int64_t c = id.number();
  if (!cases_.empty() && cases_.back().last == c)
    cases_.back().last = c + 1;
  else
    cases_.push_back({c, c + 1});
  ++waiting_;
}

void Scheduler::add_runs(CellId cell, std::int64_t first, std::int64_t last, Turn turn) {
  TASFG_EXPECT(first < last);
  Cell& it = at(cell);
  last = std::min(last, it.end);
  if (first >= last) return;
  (turn == Turn::last ? it.last : it.by_cost).push_back({first, last});
  (turn == Turn::last ? last_waiting_ : it.count) += last - first;
  waiting_ += last - first;
  stale_ = true;
}

void Scheduler::end_runs(CellId cell, std::int64_t end) {
  Cell& it = at(cell);
  it.end = end;
  const auto cut = [&](std::vector<Interval>& intervals, std::int64_t& count) {
    for (Interval& each : intervals) {
      const std::int64_t last = std::clamp(end, each.first, each.last);
      count -= each.last - last;
      waiting_ -= each.last - last;
      each.last = last;
    }
    std::erase_if(intervals, [](const Interval& each) { return each.first == each.last; });
  };
  cut(it.by_cost, it.count);
  cut(it.last, last_waiting_);
}

void Scheduler::open_cell(CellId cell, double predicted_seconds) {
  at(cell).predicted = std::max(predicted_seconds, 1e-9);
  stale_ = true;
}

double Scheduler::expected(CellId cell) const {
  const Cell& it = at(cell);
  const Ratio& ratio = ratio_of(cell);
  const double mean = it.measured > 0 ? it.sum / static_cast<double>(it.measured)
                      : ratio.count > 0
                          ? it.predicted * std::exp(ratio.log_sum / static_cast<double>(ratio.count))
                          : it.predicted;
  return std::max(mean, it.floor);
}

double Scheduler::risk(CellId cell) const {
  const Cell& it = at(cell);
  const double long_one = it.predicted * std::max(1.0, ratio_of(cell).largest);
  return std::max(expected(cell), (it.sum + long_one) / static_cast<double>(it.measured + 1));
}

void Scheduler::learn(CellId cell, const Measured& runs) {
  if (runs.count == 0) return;
  Cell& it = at(cell);
  it.sum += runs.sum;
  it.measured += runs.count;
  it.floor = 0.0;
  if (it.predicted > 0.0 && runs.sum > 0.0) {
    const auto count = static_cast<double>(runs.count);
    Ratio& ratio = ratios_[grid_.algorithm_of(cell).value()];
    ratio.log_sum += count * std::log(runs.sum / (count * it.predicted));
    ratio.largest = std::max(ratio.largest, runs.longest / it.predicted);
    ratio.count += runs.count;
  }
}

void Scheduler::sort(double now) {
  for (const auto& [id, it] : outstanding_) {
    if (it.chunk.kind != TaskKind::run || it.chunk.count != 1) continue;
    Cell& cell = at(it.chunk.cell);
    const double elapsed = now - it.since;
    if (elapsed > 2.0 * it.chunk.expected && elapsed > kLongestChunk)
      cell.floor = std::max(cell.floor, elapsed);
  }
  fresh_.clear();
  order_.clear();
  waiting_seconds_ = 0.0;
  std::vector<double> cost(cells_.size());
  for (CellId cell; cell.value() < cells_.size(); ++cell) {
    const Cell& it = at(cell);
    if (it.count == 0 || it.predicted == 0.0) continue;
    cost[cell.value()] = risk(cell);
    waiting_seconds_ += static_cast<double>(it.count) * expected(cell);
    (it.tried ? order_ : fresh_).push_back(cell);
  }
  // Equal costs: the lower cell first, that is at the back.
  const auto cheaper = [&](CellId a, CellId b) {
    return cost[a.value()] != cost[b.value()] ? cost[a.value()] < cost[b.value()] : a > b;
  };
  std::sort(fresh_.begin(), fresh_.end(), cheaper);
  std::sort(order_.begin(), order_.end(), cheaper);
  work_.clear();
  double work = 0.0, measured = 0.0;
  for (const CellId cell : order_) {
    const double seconds = static_cast<double>(at(cell).count) * expected(cell);
    work_.push_back(work += seconds);
    if (at(cell).measured > 0) measured += seconds;
  }
  mostly_measured_ = measured > 0.5 * waiting_seconds_;
  left_ = seconds_left(now);
  sorted_at_ = now;
  stale_ = false;
}

Chunk Scheduler::hand_out(Chunk chunk, double now, Turn turn) {
  chunk.id = next_id_;
  ++next_id_;
  waiting_ -= chunk.count;
  outstanding_.emplace_hint(outstanding_.end(), chunk.id, UnderWay{chunk, now, turn, chunk.count});
  return chunk;
}

std::optional<Chunk> Scheduler::next_case(double now, double time_left, int width) {
  if (cases_.empty()) return {};
  Interval& interval = cases_.back();
  Chunk chunk{{}, TaskKind::solve, {}, interval.first, 0, 0.0};
  while (interval.first + chunk.count < interval.last) {
    const double seconds = case_seconds_[chunk.solved_case(chunk.count).value()];
    if (chunk.count > 0 && chunk.expected + seconds > kShortestChunk * width) break;
    chunk.expected += seconds;
    ++chunk.count;
  }
  if (kSafety * chunk.expected > time_left * width) return {};
  interval.first += chunk.count;
  if (interval.first == interval.last) cases_.pop_back();
  return hand_out(chunk, now, Turn::by_cost);
}

std::optional<Chunk> Scheduler::take(CellId cell, std::int64_t at_most, Turn turn, double now) {
  Cell& it = at(cell);
  std::vector<Interval>& intervals = turn == Turn::last ? it.last : it.by_cost;
  if (intervals.empty()) return {};
  Interval& interval = intervals.back();
  const std::int64_t count = std::min(at_most, interval.last - interval.first);
  const Chunk chunk{
      {}, TaskKind::run, cell, interval.first, count, static_cast<double>(count) * expected(cell)};
  interval.first += count;
  if (interval.first == interval.last) intervals.pop_back();
  (turn == Turn::last ? last_waiting_ : it.count) -= count;
  it.tried = true;
  return hand_out(chunk, now, turn);
}

std::optional<Chunk> Scheduler::next(double now, const Crew& crew, double time_left, int width) {
  if (auto chunk = next_case(now, time_left, width)) return chunk;
  const double interval = kSortInterval + kSortSecondsPerCell * static_cast<double>(cells_.size());
  if (now - sorted_at_ > interval || (stale_ && now - sorted_at_ > 0.1 * interval)) sort(now);
  if (auto chunk = next_run(now, crew, time_left, width)) return chunk;
  if (!stale_) return {};
  sort(now);  // cells came in since
  return next_run(now, crew, time_left, width);
}

double Scheduler::chunk_seconds(const Crew& crew) const {
  const double shortest = kShortestChunk + kShortestChunkPerRank * crew.ranks;
  const double longest =
      mostly_measured_
          ? std::max(std::min(kLongestChunk + kLongestChunkPerRank * crew.ranks, kLongestChunkOfMany),
                     kLongestChunkPerRankOfMany * crew.ranks)
          : std::max(kLongestChunk, shortest);
  return std::clamp(left_ / (kChunksPerThread * crew.threads), shortest, longest);
}

/// The cell in proportion to whose waiting work it is the turn; none where the dearest must come first, or
/// where there is nothing left of it.
std::optional<CellId> Scheduler::in_proportion(const Crew& crew) {
  while (!order_.empty() && at(order_.back()).count == 0) order_.pop_back();
  if (order_.empty() || crew.threads * (kFarFromEnd * risk(order_.back()) + kLastSeconds) > left_) return {};
  constexpr double kGolden = 0.6180339887498949;  // its multiples spread evenly
  turn_ += kGolden;
  turn_ -= std::floor(turn_);
  const auto found = std::upper_bound(work_.begin(), work_.end(), turn_ * work_.back());
  const auto i = static_cast<std::size_t>(found - work_.begin());
  if (i >= order_.size() || at(order_[i]).count == 0) return {};
  return order_[i];
}

std::optional<Chunk> Scheduler::next_run(double now, const Crew& crew, double time_left, int width) {
  const auto chunk_of = [&](CellId cell, double seconds) {
    // What comes back first is what was short: a chunk grows with what is known of its own cell.
    const auto most = static_cast<double>(kChunkGrowth * (at(cell).measured + 1) * width);
    const double each = risk(cell);
    // A long task travels alone.
    const double count = each > seconds ? 1.0 : std::clamp(seconds * width / each, 1.0, most);
    return take(cell, static_cast<std::int64_t>(count), Turn::by_cost, now);
  };
  const auto in_time = [&](CellId cell) { return kSafety * expected(cell) <= time_left; };
  const auto dearest = [&](std::vector<CellId>& list, double seconds) -> std::optional<Chunk> {
    while (!list.empty() && at(list.back()).count == 0) list.pop_back();
    for (std::size_t i = list.size(); i-- > 0;)  // past what cannot end in time
      if (at(list[i]).count > 0 && in_time(list[i])) return chunk_of(list[i], seconds);
    return {};
  };
  if (!fresh_.empty()) {
    auto chunk = dearest(fresh_, kShortestChunk / width);
    if (chunk) {
      fresh_.erase(std::find(fresh_.begin(), fresh_.end(), chunk->cell));
      stale_ = true;  // its other tasks stand in line now
      return chunk;
    }
  }
  const double seconds = chunk_seconds(crew);
  if (const auto cell = in_proportion(crew); cell && in_time(*cell)) return chunk_of(*cell, seconds);
  if (auto chunk = dearest(order_, seconds)) return chunk;
  if (waiting_ == last_waiting_ && last_waiting_ > 0)
    for (CellId cell; cell.value() < cells_.size(); ++cell)
      if (at(cell).predicted > 0.0 && in_time(cell))
        if (auto chunk = take(cell, 1, Turn::last, now)) return chunk;
  return {};
}

double Scheduler::next_expected() const {
  if (!cases_.empty()) return kShortestChunk;
  for (const auto* list : {&fresh_, &order_})
    for (std::size_t i = list->size(); i-- > 0;)
      if (at((*list)[i]).count > 0) return expected((*list)[i]);
  return 0.0;
}

const Chunk& Scheduler::chunk(ChunkId id) const {
  const auto found = outstanding_.find(id);
  TASFG_EXPECT(found != outstanding_.end());
  return found->second.chunk;
}

std::int64_t Scheduler::left(ChunkId id) const {
  const auto found = outstanding_.find(id);
  return found == outstanding_.end() ? 0 : found->second.left;
}

Scheduler::UnderWay& Scheduler::under_way(ChunkId id) {
  const auto found = outstanding_.find(id);
  TASFG_EXPECT(found != outstanding_.end());
  return found->second;
}

void Scheduler::finish(ChunkId id, std::int64_t done) {
  UnderWay& it = under_way(id);
  TASFG_EXPECT(done <= it.left);
  it.left -= done;
  if (it.left == 0) outstanding_.erase(id);
}

Chunk Scheduler::give_back(ChunkId id, std::int64_t first, std::int64_t count) {
  const UnderWay it = under_way(id);
  TASFG_EXPECT(first >= it.chunk.first && first + count <= it.chunk.first + it.chunk.count);
  const Chunk rest = it.chunk.part(first - it.chunk.first, count);
  finish(id, count);
  if (count > 0 && rest.kind == TaskKind::run) {
    add_runs(rest.cell, first, first + count, it.turn);
  } else if (count > 0) {
    cases_.push_back({first, first + count});
    waiting_ += count;
  }
  return rest;
}

double Scheduler::seconds_left(double now) const {
  double left = 0.0;
  for (const Interval& interval : cases_)
    for (std::int64_t c = interval.first; c < interval.last; ++c)
      left += case_seconds_[static_cast<std::size_t>(c)];
  for (CellId cell; cell.value() < cells_.size(); ++cell) {
    std::int64_t count = at(cell).count;
    for (const Interval& interval : at(cell).last) count += interval.last - interval.first;
    if (count > 0) left += static_cast<double>(count) * expected(cell);
  }
  for (const auto& [id, it] : outstanding_)
    left += it.chunk.count == 1 ? std::max(0.0, it.chunk.expected - (now - it.since))
                                : it.chunk.part(0, it.left).expected;
  return left;
}

}  // namespace tasfg
