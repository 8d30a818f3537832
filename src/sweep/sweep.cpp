#include "tasfg/sweep/sweep.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "coordinator.hpp"
#include "worker.hpp"
#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/interruption.hpp"
#include "tasfg/sweep/messages.hpp"

namespace tasfg {
namespace {

/// Every rank calls it, since all take part in the count.
int threads_of(const SweepOptions& options, const Link& link) {
  const int share = share_of_cores(link);
  return options.threads > 0 ? options.threads : share;
}

/// Rank 0's opening, at every rank. Every rank calls it.
Opening broadcast(const Link& link, const Opening& opening) {
  std::string bytes = pack(opening);
  link.broadcast(bytes);
  return unpack<Opening>(std::move(bytes));
}

std::string shard_name(const std::string& shard) {
  return shard.empty() ? "the whole" : "shard " + quotable(shard);
}

/// The result file of the job: a new one, or the one that is there, grown where the job has.
ResultFile open_or_make(const SweepOptions& options, const ResultLayout& layout, const GraphOf& graphs,
                        const LiveState& live, const WriterLock& lock, Progress& progress) {
  const auto say_torn = [&](std::size_t torn) {
    if (torn > 0)
      progress.say(fmt::format("{}: {} runs were not written in full and run again", options.output, torn));
  };
  struct stat info {};
  if (::stat(options.output.c_str(), &info) != 0)
    return ResultFile::create(options.output, layout, graphs, live, lock);
  ResultFile file = ResultFile::open(options.output, Access::write);
  if (const std::string why = why_not_extension(file.layout(), layout); !why.empty())
    throw InputError(options.output,
                     remark("holds another job: " + why, "give another -o; it was left as it is"));
  if (const std::string& held = file.layout().shard; held != layout.shard)
    throw InputError(options.output, remark(fmt::format("holds {} of the job, not {}", shard_name(held),
                                                        shard_name(layout.shard)),
                                            "give another -o and merge the files; it was left as it is"));
  if (same_grid(file.layout(), layout) && file.layout().format_minor == layout.format_minor) {
    if (file.live().status == "running")
      say_torn(file.drop_torn());  // its last writer did not come to an end
    return file;
  }
  ResultFile::Copy grown = ResultFile::extend(options.output, layout, graphs, live, lock);
  say_torn(grown.torn);
  return std::move(grown.file);
}

void retry_failed(const SweepOptions& options, ResultFile& file, Progress& progress) {
  forget_crashes(options.output);
  if (const std::size_t count = file.retry_failed(); count > 0)
    progress.say(fmt::format("{} failed tasks run again", count));
}

int coordinate(const SweepOptions& options, Link& link) {
  Progress progress(options.quiet ? Progress::Mode::quiet : Progress::Mode::automatic);
  LiveState live{"running", iso_time(), host_name(), link.size(), 0};
  std::optional<Grid> grid;
  std::optional<WriterLock> lock;
  std::optional<ResultFile> file;
  try {
    grid = read_study(options.job, options.overrides);
    expect_folder_of(options.output);
    const ResultLayout layout = layout_of(*grid, options.provenance, options.shard.text());
    if (interruptions() > 0) {
      progress.say(
          fmt::format("interrupted ({}) before it began; run the same command again", interruption_name()));
      return broadcast(link, {kExitInterrupted, {}, {}, {}}).status;
    }
    lock.emplace(options.output, &say, [] { return interruptions() > 0; });
    file = open_or_make(options, layout, graphs_of(*grid), live, *lock, progress);
    LiveState claim = file->live();
    live.generation = ++claim.generation;
    claim.status = live.status;
    lock->expect_owned();
    file->write_live(claim);  // a writer that has lost the lock finds another generation from now on
    file->begin_sitting({live.updated, live.hosts, live.ranks, options.provenance.version,
                         options.provenance.commit, options.provenance.build});
    if (options.retry_failed) retry_failed(options, *file, progress);
  } catch (const Error& error) {
    (void)broadcast(link, {exit_status_of(error), {}, {}, {}});
    throw;
  } catch (...) {
    (void)broadcast(link, {kExitError, {}, {}, {}});
    throw;
  }
  (void)broadcast(link, {0, grid->text, grid->origin, grid->overrides});
  const int threads = threads_of(options, link);
  catch_crashes(options.output, grid->digest(), link.launched() ? nullptr : options.arguments);
  ResultWriter results(*file, *lock, live);
  Team team(link, *grid, threads);
  return Coordinator(options, *grid, results, team, progress).run();
}

int work(const SweepOptions& options, Link& link) {
  const Opening opening = broadcast(link, {});
  if (opening.status != 0) return opening.status;
  Hello hello{threads_of(options, link), 0, host_name(), ""};
  std::optional<Grid> grid;
  try {
    grid = expand_job(opening.text, opening.origin, opening.overrides, graph_source_of(options.job));
    hello.digest = grid->digest();
    catch_crashes(options.output, hello.digest, nullptr);
  } catch (const Error& error) {
    hello.complaint = error.what();
  }
  link.send(0, pack<ToCoordinator>(hello));
  return Worker(link, grid ? &*grid : nullptr, hello.threads, options.lost_after).run();
}

}  // namespace

int share_of_cores(const Link& link) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  const auto hash = std::hash<std::string_view>{}({reinterpret_cast<const char*>(&cores), sizeof cores});
  const int sharers = link.sharers(std::hash<std::string>{}(host_name()), hash);
  return std::max(1, CPU_COUNT(&cores) / std::max(1, sharers));
}

void expect_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return;
  const std::string folder = path.substr(0, slash);
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    throw InputError(path, remark(fmt::format("its folder {} does not exist", folder), "make it first"));
  if (::access(folder.c_str(), W_OK) != 0)
    throw InputError(path,
                     remark(fmt::format("its folder {} cannot be written to", folder), "choose another"));
}

int available_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 16 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

int run_sweep(const SweepOptions& options, Link& link) {
  keep_memory();
  return link.rank() == 0 ? coordinate(options, link) : work(options, link);
}

}  // namespace tasfg
