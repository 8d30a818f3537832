#include "tasfg/sweep/link.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <list>
#include <thread>
#include <vector>

#include <boost/mpi.hpp>
#include <fmt/format.h>
#include <sys/prctl.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/stopwatch.hpp"

namespace tasfg {
namespace {

constexpr int kTag = 0;  // of every message: its bytes say what it is

/// Waits for MPI asleep, where its own calls would take a core: for rank 0 to make a large file, or for a
/// sender that sleeps.
void wait_for(MPI_Request request, std::chrono::microseconds between) {
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(between);
  }
}
constexpr std::chrono::microseconds kBetweenParts{50}, kBetweenLooks{1000};

// Seconds: an end of MPI that takes as long may not have been noticed; how long to stay then, at most.
constexpr double kGoodbye = 1.9, kLongestStay = 5.0;

bool set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

int number(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? static_cast<int>(std::strtol(value, nullptr, 10)) : 0;
}

}  // namespace

bool first_of_launch() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (set(name)) return number(name) == 0;
  return true;
}

struct Link::Mpi {
  boost::mpi::environment environment{boost::mpi::threading::funneled, /*abort_on_exception=*/false};
  boost::mpi::communicator world;
  struct Sending {
    std::string bytes;
    boost::mpi::request request;
  };
  std::list<Sending> sending;  // MPI reads the bytes until the request is done

  void forget_sent() {
    sending.remove_if([](Sending& each) { return each.request.test().has_value(); });
  }
};

Link::Link() {
  // Whoever started a rank or a step is its only supervisor. When that one is killed, the sweep ends as for a
  // signal: it must not go on beside the one that the scheduler starts in its place.
  launched_ = set("OMPI_COMM_WORLD_SIZE") || set("PMIX_RANK") || set("PMI_RANK");
  if (launched_ || set("SLURM_STEP_ID")) prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (!launched_) {
    // srun without an MPI plugin starts copies that each take themselves for rank 0.
    if (number("SLURM_STEP_NUM_TASKS") > 1)
      throw InputError(remark(fmt::format("srun started {} copies that do not know of each other",
                                          number("SLURM_STEP_NUM_TASKS")),
                              "use srun --mpi=pmix, or mpirun, or one task"));
    return;
  }
  mpi_ = std::make_unique<Mpi>();
  rank_ = mpi_->world.rank();
  size_ = mpi_->world.size();
  if (size_ == 1 && number("SLURM_STEP_NUM_TASKS") > 1 && !set("OMPI_COMM_WORLD_SIZE"))
    throw InputError(remark("the launcher started several copies, but MPI sees one process",
                            "use srun --mpi=pmix, or mpirun"));
}

Link::~Link() {
  if (mpi_ == nullptr) return;
  if (abandoned_) {
    // MPI_Finalize would wait for processes that may be gone.
    (void)mpi_.release();
    return;
  }
  const Stopwatch watch;
  mpi_.reset();
  // A rank waits two seconds for its launcher to answer its goodbye. One that is busier than that, with
  // hundreds of ranks on a full machine, would learn of the rank's end first, call it improper and end with
  // status 1.
  if (const double taken = watch.seconds(); taken > kGoodbye)
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(taken, kLongestStay)));
}

void Link::broadcast(std::string& bytes) const {
  if (mpi_ == nullptr) return;
  std::uint64_t size = bytes.size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&size, 1, MPI_UINT64_T, 0, mpi_->world, &request);
  wait_for(request, kBetweenLooks);
  bytes.resize(size);
  MPI_Ibcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, mpi_->world, &request);
  wait_for(request, kBetweenLooks);
}

int Link::sharers(std::uint64_t host, std::uint64_t cores) const {
  if (mpi_ == nullptr) return 1;
  std::vector<std::uint64_t> hosts, masks;
  boost::mpi::all_gather(mpi_->world, host, hosts);
  boost::mpi::all_gather(mpi_->world, cores, masks);
  int count = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) count += hosts[i] == host && masks[i] == cores ? 1 : 0;
  return count;
}

void Link::send(int to, std::string bytes) {
  TASFG_EXPECT(mpi_ != nullptr);
  ++messages_;
  mpi_->sending.push_back({std::move(bytes), {}});
  Mpi::Sending& sending = mpi_->sending.back();
  sending.request = mpi_->world.isend(to, kTag, sending.bytes.data(), static_cast<int>(sending.bytes.size()));
}

std::optional<Parcel> Link::receive() {
  if (mpi_ == nullptr) return {};
  const auto status = mpi_->world.iprobe(boost::mpi::any_source, kTag);
  if (!status) {  // not at every message: there may be one under way to each of thousands of ranks
    mpi_->forget_sent();
    return {};
  }
  ++messages_;
  const int size = status->count<char>().value_or(0);
  Parcel parcel{status->source(), std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(parcel.bytes.data(), size, MPI_CHAR, parcel.from, kTag, mpi_->world, &request);
  wait_for(request, kBetweenParts);
  return parcel;
}

bool Link::sending() {
  if (mpi_ == nullptr) return false;
  mpi_->forget_sent();
  return !mpi_->sending.empty();
}

void Link::flush() {
  while (sending()) std::this_thread::sleep_for(kBetweenParts);
}

}  // namespace tasfg
