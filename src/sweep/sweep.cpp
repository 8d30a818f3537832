#include "tasfg/sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <set>
#include <thread>

#include "coordinator.hpp"
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/interruption.hpp"
#include "tasfg/sweep/worker_pool.hpp"

namespace tasfg {
namespace {

constexpr std::chrono::microseconds kShortestWait{50};
constexpr std::chrono::microseconds kLongestWait{3000};

/// This rank's share of the cores that it may use.
int share_of_cores(const Link& link) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  const auto hash = std::hash<std::string_view>{}({reinterpret_cast<const char*>(&cores), sizeof cores});
  const int sharers = link.sharers(std::hash<std::string>{}(host_name()), hash);
  return std::max(1, CPU_COUNT(&cores) / std::max(1, sharers));
}

/// What rank 0 tells the others before they begin: an exit status (0: go on) and the job.
struct Opening {
  int status = 0;
  std::string text, origin;
  std::vector<std::string> overrides;

  [[nodiscard]] std::string pack() const {
    std::string packed;
    const auto put = [&](const std::string& part) { packed += fmt::format("{}:{}", part.size(), part); };
    put(std::to_string(status));
    put(text);
    put(origin);
    for (const std::string& each : overrides) put(each);
    return packed;
  }
  static Opening unpack(const std::string& packed) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < packed.size();) {
      const std::size_t colon = packed.find(':', at);
      const std::size_t size = std::stoul(packed.substr(at, colon - at));
      parts.push_back(packed.substr(colon + 1, size));
      at = colon + 1 + size;
    }
    Opening opening;
    opening.status = std::stoi(parts[0]);
    opening.text = parts[1];
    opening.origin = parts[2];
    opening.overrides.assign(parts.begin() + 3, parts.end());
    return opening;
  }
};

ResultFile open_or_make(const SweepOptions& options, const ResultLayout& layout, const GraphOf& graphs,
                        const LiveState& live, bool& unclean, std::size_t& torn) {
  struct stat info {};
  if (::stat(options.output.c_str(), &info) != 0)
    return ResultFile::create(options.output, layout, graphs, live);
  ResultFile file = ResultFile::open(options.output, Access::write);
  if (const std::string why = why_not_extension(file.layout(), layout); !why.empty())
    throw InputError(fmt::format("{}: holds another job: {} (give another -o; it was left as it is)",
                                 options.output, why));
  unclean = file.live().status == "running";
  if (same_grid(file.layout(), layout)) return file;
  unclean = false;  // what is copied is checked
  ResultFile::Copy grown = ResultFile::extend(options.output, layout, graphs, live);
  torn = grown.torn;
  return std::move(grown.file);
}

int coordinate(const SweepOptions& options, Link& link) {
  Opening opening;
  std::string packed;
  std::unique_ptr<Grid> grid;
  std::unique_ptr<WriterLock> lock;
  std::unique_ptr<ResultFile> file;
  Progress progress(options.quiet ? Progress::Mode::quiet : Progress::Mode::automatic);
  LiveState live{"running", iso_time(), host_name(), link.size(), 0};
  bool unclean = false;
  std::size_t torn = 0;
  try {
    grid = std::make_unique<Grid>(read_study(options.job, options.overrides));
    if (const std::size_t slash = options.output.rfind('/'); slash != std::string::npos && slash > 0) {
      struct stat info {};
      const std::string folder = options.output.substr(0, slash);
      if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
        throw InputError(
            fmt::format("{}: its folder {} does not exist (make it first)", options.output, folder));
    }
    lock = std::make_unique<WriterLock>(options.output, [](const std::string& text) { say(text); });
    const std::string shard =
        options.shard.whole() ? "" : fmt::format("{}/{}", options.shard.index, options.shard.count);
    file = std::make_unique<ResultFile>(open_or_make(options, layout_of(*grid, options.provenance, shard),
                                                     graphs_of(*grid), live, unclean, torn));
    live.generation = file->live().generation + 1;
    opening = {0, grid->text, grid->origin, grid->overrides};
    packed = opening.pack();
  } catch (const InputError&) {
    opening.status = 2;
    packed = opening.pack();
    link.broadcast(packed);
    throw;
  }
  if (unclean) torn = file->drop_torn();
  if (torn > 0)
    progress.say(fmt::format("{}: {} runs were not written in full and run again", options.output, torn));
  if (options.retry_failed) {
    forget_crashes(options.output);
    if (const std::size_t count = file->retry_failed(); count > 0)
      progress.say(fmt::format("{} failed tasks run again", count));
  }
  link.broadcast(packed);
  const int threads = options.threads > 0 ? options.threads : share_of_cores(link);
  if (options.threads > 0) (void)share_of_cores(link);  // every rank takes part in the count
  catch_crashes(options.output, grid->digest(), link.launched() ? nullptr : options.arguments);
  Coordinator coordinator(options, *grid, *file, *lock, link, progress, threads, live);
  return coordinator.run();
}

int work(const SweepOptions& options, Link& link) {
  std::string packed;
  link.broadcast(packed);
  const Opening opening = Opening::unpack(packed);
  if (opening.status != 0) return opening.status;
  const int share = share_of_cores(link);
  const int threads = options.threads > 0 ? options.threads : share;
  std::unique_ptr<Grid> grid;
  std::string complaint;
  try {
    grid = std::make_unique<Grid>(
        expand_job(opening.text, opening.origin, opening.overrides, graph_reader_of(options.job)));
  } catch (const InputError& error) {
    complaint = error.what();
  }
  std::vector<std::int64_t> hello{threads, grid ? static_cast<std::int64_t>(grid->digest()) : 0};
  put_text(hello, host_name());
  put_text(hello, complaint);
  link.send(0, Tag::hello, std::move(hello));

  std::unique_ptr<WorkerPool> pool;
  if (grid) {
    catch_crashes(options.output, grid->digest(), nullptr);
    pool = std::make_unique<WorkerPool>(*grid, threads);
  }
  bool told = false;
  const auto start = std::chrono::steady_clock::now();
  Hearing coordinator;
  double last_look = 0.0, last_alive = 0.0;
  for (auto wait = kShortestWait;;) {
    bool idle = true;
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    while (auto message = link.receive()) {
      idle = false;
      coordinator.heard(now);
      switch (message->tag) {
        case Tag::chunks:
          for (std::size_t at = 0; at + 5 <= message->words.size(); at += 5) {
            const std::int64_t* w = message->words.data() + at;
            pool->push({w[0], static_cast<ChunkKind>(w[1]), w[2], w[3], w[4], 0.0});
          }
          break;
        case Tag::drain:
          if (pool) pool->drain();
          break;
        case Tag::cancel:
          if (pool) pool->cancel();
          break;
        case Tag::stop:
          link.send(0, Tag::bye, {});
          link.flush();
          return static_cast<int>(message->words.at(0));
        case Tag::hello:
        case Tag::report:
        case Tag::signal:
        case Tag::bye:
        case Tag::alive:
          break;
      }
    }
    if (pool)
      for (const Report& report : pool->take()) {
        idle = false;
        link.send(0, Tag::report, report.to_words());
      }
    if (interruptions() > 0 && !told) {
      told = true;
      link.send(0, Tag::signal, {time_is_short() ? 1 : 0});
    }
    if (now - last_look > kBeat) coordinator.paused(now - last_look);
    last_look = now;
    if (now - last_alive > kBeat) {
      last_alive = now;
      link.send(0, Tag::alive, {});
    }
    // All ranks lose rank 0 at the same time. They give up one after the other: the first one's end ends them
    // all.
    const double turn = 0.5 * std::min(link.rank() - 1, 10);
    const double patience =
        told ? std::min(kLongestAnswer, options.lost_after) : kPatienceWithCoordinator * options.lost_after;
    if (coordinator.silence(now) > patience + turn) {
      say(fmt::format(
          "rank {} on {}: no sign of life from rank 0, the coordinator, for {:.0f} s; run the same command "
          "again to go on",
          link.rank(), host_name(), coordinator.silence(now)));
      std::_Exit(kExitInterrupted);  // what its threads run may take long
    }
    wait = idle ? std::min(2 * wait, kLongestWait) : kShortestWait;
    if (pool)
      pool->wait(wait);
    else
      std::this_thread::sleep_for(wait);
  }
}

}  // namespace

int available_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

int run_sweep(const SweepOptions& options, Link& link) {
  catch_interruptions();
  return link.rank() == 0 ? coordinate(options, link) : work(options, link);
}

}  // namespace tasfg
