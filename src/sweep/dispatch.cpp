#include "tasfg/sweep/dispatch.hpp"

#include <algorithm>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

constexpr double kShortTask = 0.1;  // seconds; longer ones are not queued behind others near the end
/// A rank that has fewer chunks' worth of seconds for each thread gets another one: one that it works on, and
/// half of one for the time that messages take.
constexpr double kReserveChunks = 1.5;
/// But not more chunks than so many for each thread: those of cells of which little is known are small.
constexpr int kMostChunks = 4;

}  // namespace

void Dispatch::add_rank(int rank, int threads) {
  at(rank).threads = threads;
  threads_ += threads;
  ++come_;
  open_.insert(rank);
}

int Dispatch::wanted(const Rank& rank, For what, double long_task) const {
  if (what == For::idle) return rank.threads - rank.busy();
  // Nothing is put behind a long task.
  const int able = rank.threads - rank.longer_than(long_task);
  if (rank.chunks >= kMostChunks * rank.threads) return 0;
  return able > 0 && rank.seconds < kReserveChunks * scheduler_.chunk_seconds(crew()) * able ? able : 0;
}

bool Dispatch::fill(int number, For what, double now, double time_left, std::vector<Order>& orders) {
  Rank& rank = at(number);
  // No long task is put behind another: a thread elsewhere may come sooner. What is long depends on how much
  // there is to do besides.
  const double long_task = std::max(kShortTask, scheduler_.share(threads_));
  while (const int width = wanted(rank, what, long_task)) {
    if (what == For::reserve && scheduler_.next_expected() > long_task) return false;
    const auto chunk = scheduler_.next(now, crew(), time_left, width);
    if (!chunk) return false;
    ++rank.chunks;
    rank.tasks += chunk->count;
    rank.seconds += chunk->expected;
    if (chunk->count == 1) rank.singles.insert(chunk->expected);
    rank_of_.emplace_hint(rank_of_.end(), chunk->id, number);
    ++chunks_;
    if (orders.empty() || orders.back().rank != number) orders.push_back({number, {}});
    orders.back().chunks.push_back(*chunk);
  }
  return true;
}

std::vector<Order> Dispatch::hand_out(double now, double time_left) {
  std::vector<Order> orders;
  if (scheduler_.waiting() == 0) return orders;
  // First something for every idle thread, then the reserve, so that none waits for a message.
  for (const For what : {For::idle, For::reserve})
    for (const int number : open_)
      if (!fill(number, what, now, time_left, orders)) return orders;
  open_.clear();
  return orders;
}

Chunk Dispatch::take_back(const Part& part) {
  const auto found = rank_of_.find(part.chunk);
  TASFG_EXPECT(found != rank_of_.end());
  const Chunk chunk = scheduler_.chunk(part.chunk);
  const std::int64_t count = part.done + part.undone;
  Rank& rank = at(found->second);
  open_.insert(found->second);
  rank.tasks -= count;
  rank.seconds = rank.tasks == 0 ? 0.0 : rank.seconds - chunk.part(0, count).expected;
  if (part.done > 0) scheduler_.finish(part.chunk, part.done);
  const Chunk rest = part.undone > 0 ? scheduler_.give_back(part.chunk, part.first + part.done, part.undone)
                                     : chunk.part(0, 0);
  if (scheduler_.left(part.chunk) > 0) return rest;
  --rank.chunks;
  if (chunk.count == 1) rank.singles.erase(rank.singles.find(chunk.expected));
  rank_of_.erase(found);
  return rest;
}

int Dispatch::busy_threads() const {
  int busy = 0;
  for (const Rank& rank : ranks_) busy += rank.busy();
  return busy;
}

}  // namespace tasfg
