#include "tasfg/sweep/dispatch.hpp"

#include <algorithm>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

constexpr double kShortTask = 0.1;  // seconds; longer ones are not queued behind others near the end

}  // namespace

void Dispatch::add_rank(int rank, int threads) {
  ranks_[static_cast<std::size_t>(rank)].threads = threads;
  threads_ += threads;
}

std::vector<Order> Dispatch::hand_out(double now, double time_left) {
  std::vector<Order> orders;
  if (scheduler_.waiting() == 0) return orders;
  // First a chunk for every idle thread, then one in reserve, so that none waits for a message. Nothing is
  // put behind a long task, and no long task behind another: a thread elsewhere may come sooner. What is long
  // depends on how much there is to do besides.
  const double long_task = std::max(kShortTask, scheduler_.share(threads_));
  for (const int reserve : {0, 1})
    for (std::size_t number = 0; number < ranks_.size(); ++number) {
      Rank& rank = ranks_[number];
      while (rank.load() < rank.threads + reserve * std::max(0, rank.threads - rank.longer_than(long_task))) {
        if (reserve == 1 && scheduler_.next_expected() > long_task) return orders;
        const auto chunk = scheduler_.next(now, threads_, time_left);
        if (!chunk) return orders;
        rank.chunks.insert(chunk->expected);
        rank_of_.emplace(chunk->id, static_cast<int>(number));
        ++chunks_;
        orders.push_back({static_cast<int>(number), *chunk});
      }
    }
  return orders;
}

Chunk Dispatch::close(ChunkId id, std::int64_t undone) {
  const auto found = rank_of_.find(id);
  TASFG_EXPECT(found != rank_of_.end());
  std::multiset<double>& chunks = ranks_[static_cast<std::size_t>(found->second)].chunks;
  chunks.erase(chunks.find(scheduler_.chunk(id).expected));
  rank_of_.erase(found);
  return scheduler_.close(id, undone);
}

int Dispatch::busy_threads() const {
  int busy = 0;
  for (const Rank& rank : ranks_) busy += std::min(rank.load(), rank.threads);
  return busy;
}

}  // namespace tasfg
