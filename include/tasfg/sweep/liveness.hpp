/// Who is alive. Neither MPI nor mpirun notices a host that is cut off before minutes have passed: ranks send
/// each other signs of life, and whoever waits for messages keeps count of the silence.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

namespace tasfg {

inline constexpr double kBeat = 2.0;  // seconds between two signs of life

/// When the other ranks were last heard of. Times are seconds since some start; the caller has the clock.
class Liveness {
 public:
  /// Expects signs of life of `rank` from now on; `name` is for messages. Ranks that are not watched are
  /// never silent.
  void watch(int rank, std::string name, double now) { ranks_[rank] = {std::move(name), now}; }
  void heard(int rank, double now);
  /// Something was sent to whoever waits for a sign of life.
  void sent(double now) { last_beat_ = now; }
  /// Whether it is time to send a sign of life. Ask in every round of the waiting loop: where the last round
  /// was long ago, this process itself was stopped, or waited for a disk, and that is nobody's silence.
  [[nodiscard]] bool beat_due(double now);

  [[nodiscard]] double silence(int rank, double now) const;
  [[nodiscard]] std::string name(int rank) const;
  /// Who was not heard of for so many seconds: "rank 2 on n7, rank 3 on n7 and 14 more", or nothing.
  [[nodiscard]] std::string silent_ranks(double now, double longer_than) const;

 private:
  struct Rank {
    std::string name;
    double last_heard = 0.0;
  };
  std::map<int, Rank> ranks_;
  double last_round_ = 0.0, last_beat_ = 0.0;
};

/// How long to sleep between two looks for messages: short while there are any, then longer and longer
/// (OpenMPI's blocking calls would spin).
class BackOff {
 public:
  explicit BackOff(std::chrono::microseconds longest) : longest_(longest) {}
  [[nodiscard]] std::chrono::microseconds after_round(bool idle);

  static constexpr std::chrono::microseconds kShortest{50};
  static constexpr std::chrono::microseconds kLongest{3000};
  static constexpr std::chrono::microseconds kLongestAlone{50000};  // nobody sends messages
  /// Of one rank of many: where hundreds share a host, their looks alone would fill its cores.
  [[nodiscard]] static std::chrono::microseconds longest_of(int ranks) {
    return kLongest + std::chrono::microseconds(50) * std::min(ranks, 400);
  }
  /// The same while it has work enough: nobody waits for a message.
  [[nodiscard]] static std::chrono::microseconds longest_supplied(int ranks) {
    return std::chrono::microseconds(20000) + std::chrono::microseconds(500) * std::min(ranks, 400);
  }

 private:
  std::chrono::microseconds longest_, wait_ = kShortest;
};

}  // namespace tasfg
