#include "tasfg/sweep/result_writer.hpp"

#include <cerrno>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr double kSyncInterval = 30.0;  // seconds
constexpr double kLockBeat = std::chrono::duration<double>(WriterLock::kBeat).count();

}  // namespace

ResultWriter::ResultWriter(ResultFile& file, const WriterLock& lock, LiveState live)
    : file_(file),
      lock_(lock),
      live_(std::move(live)),
      rows_([this](std::span<PackedRows> packs) {
        if (owned()) file_.write_runs(packs);
      }),
      sync_([this] { file_.sync(); }, kSyncInterval) {
  if (::stat(file.path().c_str(), &opened_) != 0) opened_ = {};  // it is gone already: the first beat tells
  std::istringstream before(file.live().hosts);
  for (std::string host; std::getline(before, host, ',');)
    if (!host.empty()) hosts_.insert(host);
}

bool ResultWriter::owned() {
  constexpr double kLook = 1.0;  // seconds
  const std::scoped_lock lock(looking_);
  if (owned_ && clock_.seconds() - last_look_ > kLook) look_locked();
  return owned_;
}

void ResultWriter::look() {
  const std::scoped_lock lock(looking_);
  look_locked();
}

void ResultWriter::look_locked() {
  last_look_ = clock_.seconds();
  if (!owned_) return;
  expect_in_place();
  const std::int64_t generation = file_.live().generation;
  owned_ = lock_.owned() && generation <= live_.generation;
  // Nobody else writes, and the file has forgotten this sweep: it was cut, and has grown again by our
  // writing.
  if (owned_ && generation < live_.generation) fail_truncated();
}

void ResultWriter::write_runs(const RunBatch& batch) {
  if (owned()) file_.write_runs(batch);
}

void ResultWriter::write_cases(CaseBatch& batch) {
  if (owned()) file_.write_cases(batch);
}

void ResultWriter::write_attempts(RunName first, std::span<const std::int32_t> attempts) {
  if (owned()) file_.write_attempts(first.cell, first.seed, attempts);
}

void ResultWriter::add_failure(const Failure& failure) {
  if (owned()) file_.add_failure(failure);
}

std::optional<ResultFile::Settlement> ResultWriter::settle(CaseId id, std::span<const std::int64_t> skip) {
  finish_writing();  // decisions are made of what the file holds
  if (!owned()) return {};
  return file_.settle(id, skip);
}

void ResultWriter::add_rank(const std::string& host, int threads) {
  live_.threads += threads;
  hosts_.insert(host);
  live_.hosts = fmt::format("{}", fmt::join(hosts_, ","));
}

void ResultWriter::write_live() {
  live_.updated = iso_time();
  if (owned()) file_.write_live(live_);
}

bool ResultWriter::keep(double now) {
  if (owned_) sync_.poll(now);
  if (owned_ && now - last_beat_ > kLockBeat) {
    last_beat_ = now;
    look();
    write_live();
  }
  return owned_;
}

void ResultWriter::close(const std::string& status) {
  finish_writing();
  sync_.finish();
  look();
  live_.status = status;
  live_.busy = 0;
  write_live();
  if (owned_) file_.sync();
  expect_in_place();
}

/// What is written through a descriptor is lost where the name has gone to another file, or to none.
void ResultWriter::expect_in_place() const {
  if (!owned_) return;
  const auto fail = [this](std::string found, std::string must) {
    throw SystemError(file_.path(), remark(std::move(found), std::move(must)));
  };
  struct ::stat now {};
  if (::stat(file_.path().c_str(), &now) != 0) {
    const int why = errno;
    if (why == ENOENT)
      fail("was deleted, or renamed, while the sweep wrote into it",
           "put it back, or run the same command again to begin anew");
    fail(fmt::format("cannot be found any more: {}", std::strerror(why)),
         "run the same command again when this is mended");
  }
  if (now.st_dev != opened_.st_dev || now.st_ino != opened_.st_ino)
    fail("was replaced by another file while the sweep wrote into it; what this sweep did is lost",
         "see what replaced it, then run the same command again");
  if (now.st_size < opened_.st_size) fail_truncated();
}

void ResultWriter::fail_truncated() const {
  throw SystemError(file_.path(), remark("was truncated while the sweep wrote into it",
                                         "move it away and run the same command again"));
}

}  // namespace tasfg
