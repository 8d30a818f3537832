#include "tasfg/sweep/result_writer.hpp"

#include <sstream>

#include <fmt/format.h>

namespace tasfg {
namespace {

constexpr double kSyncInterval = 30.0;  // seconds
constexpr double kLockBeat = std::chrono::duration<double>(WriterLock::kBeat).count();

}  // namespace

ResultWriter::ResultWriter(ResultFile& file, WriterLock& lock, LiveState live)
    : file_(file), lock_(lock), live_(std::move(live)), sync_([this] { file_.sync(); }, kSyncInterval) {
  std::istringstream before(file.live().hosts);
  for (std::string host; std::getline(before, host, ',');)
    if (!host.empty()) hosts_.insert(host);
}

void ResultWriter::write_runs(RunBatch& batch) {
  if (owned_) file_.write_runs(batch);
}

void ResultWriter::write_cases(CaseBatch& batch) {
  if (owned_) file_.write_cases(batch);
}

void ResultWriter::write_attempts(RunName first, std::span<const std::int32_t> attempts) {
  if (owned_) file_.write_attempts(first.cell, first.seed, attempts);
}

void ResultWriter::add_failure(const Failure& failure) {
  if (owned_) file_.add_failure(failure);
}

void ResultWriter::add_rank(const std::string& host, int threads) {
  live_.threads += threads;
  hosts_.insert(host);
  live_.hosts = fmt::format("{}", fmt::join(hosts_, ","));
}

void ResultWriter::write_live() {
  live_.updated = iso_time();
  if (owned_) file_.write_live(live_);
}

bool ResultWriter::keep(double now) {
  if (owned_) sync_.poll(now);
  if (owned_ && now - last_beat_ > kLockBeat) {
    last_beat_ = now;
    owned_ = lock_.beat();
    write_live();
  }
  return owned_;
}

void ResultWriter::close(const std::string& status) {
  sync_.finish();
  live_.status = status;
  write_live();
  if (owned_) file_.sync();
}

}  // namespace tasfg
