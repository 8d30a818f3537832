#include "tasfg/sweep/liveness.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace tasfg {

void Liveness::heard(int rank, double now) {
  if (const auto found = ranks_.find(rank); found != ranks_.end()) found->second.last_heard = now;
}

bool Liveness::beat_due(double now) {
  if (const double pause = now - last_round_; pause > kBeat)
    for (auto& [number, rank] : ranks_) rank.last_heard += pause;
  last_round_ = now;
  if (now - last_beat_ <= kBeat) return false;
  last_beat_ = now;
  return true;
}

double Liveness::silence(int rank, double now) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? 0.0 : now - found->second.last_heard;
}

std::string Liveness::name(int rank) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? fmt::format("rank {}", rank) : found->second.name;
}

std::string Liveness::silent_ranks(double now, double longer_than) const {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> names;
  for (const auto& [number, rank] : ranks_)
    if (now - rank.last_heard > longer_than) names.push_back(rank.name);
  const std::size_t more = names.size() - std::min(names.size(), kNamed);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::chrono::microseconds BackOff::after_round(bool idle) {
  wait_ = idle ? std::min(2 * wait_, longest_) : kShortest;
  return wait_;
}

}  // namespace tasfg
