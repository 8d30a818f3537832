#include "tasfg/sweep/link.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <list>
#include <thread>

#include <boost/mpi.hpp>
#include <fmt/format.h>
#include <sys/prctl.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

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
    std::vector<std::int64_t> words;
    boost::mpi::request request;
  };
  std::list<Sending> sending;
};

Link::Link() {
  // Whoever started a rank or a step is its only supervisor. When that one is killed, the sweep ends as for a
  // signal: it must not go on beside the one that the scheduler starts in its place.
  launched_ = set("OMPI_COMM_WORLD_SIZE") || set("PMIX_RANK") || set("PMI_RANK");
  if (launched_ || set("SLURM_STEP_ID")) prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (!launched_) {
    // srun without an MPI plugin starts copies that each take themselves for rank 0.
    if (number("SLURM_STEP_NUM_TASKS") > 1)
      throw InputError(fmt::format(
          "srun started {} copies that do not know of each other (use srun --mpi=pmix, or mpirun, "
          "or one task)",
          number("SLURM_STEP_NUM_TASKS")));
    return;
  }
  mpi_ = std::make_unique<Mpi>();
  rank_ = mpi_->world.rank();
  size_ = mpi_->world.size();
  if (size_ == 1 && number("SLURM_STEP_NUM_TASKS") > 1 && !set("OMPI_COMM_WORLD_SIZE"))
    throw InputError(
        "the launcher started several copies, but MPI sees one process (use srun --mpi=pmix, or mpirun)");
}

Link::~Link() {
  if (mpi_ == nullptr || !abandoned_) return;
  // MPI_Finalize would wait for processes that may be gone.
  (void)mpi_.release();
}

void Link::broadcast(std::string& text) const {
  if (mpi_ != nullptr) boost::mpi::broadcast(mpi_->world, text, 0);
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

void Link::send(int to, Tag tag, std::vector<std::int64_t> words) {
  TASFG_EXPECT(mpi_ != nullptr);
  mpi_->sending.push_back({std::move(words), {}});
  Mpi::Sending& sending = mpi_->sending.back();
  sending.request = mpi_->world.isend(to, static_cast<int>(tag), sending.words.data(),
                                      static_cast<int>(sending.words.size()));
}

std::optional<Message> Link::receive() {
  if (mpi_ == nullptr) return {};
  mpi_->sending.remove_if([](Mpi::Sending& each) { return each.request.test().has_value(); });
  const auto status = mpi_->world.iprobe();
  if (!status) return {};
  Message message{status->source(), static_cast<Tag>(status->tag()), {}};
  message.words.resize(static_cast<std::size_t>(status->count<std::int64_t>().value_or(0)));
  mpi_->world.recv(message.from, status->tag(), message.words.data(), static_cast<int>(message.words.size()));
  return message;
}

void Link::flush() {
  if (mpi_ == nullptr) return;
  while (!mpi_->sending.empty()) {
    mpi_->sending.remove_if([](Mpi::Sending& each) { return each.request.test().has_value(); });
    if (!mpi_->sending.empty()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void put_text(std::vector<std::int64_t>& words, const std::string& text) {
  words.push_back(static_cast<std::int64_t>(text.size()));
  for (std::size_t at = 0; at < text.size(); at += sizeof(std::int64_t)) {
    std::int64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
    words.push_back(word);
  }
}

std::string get_text(const std::vector<std::int64_t>& words, std::size_t& at) {
  std::string text(static_cast<std::size_t>(words[at++]), '\0');
  for (std::size_t k = 0; k < text.size(); k += sizeof(std::int64_t)) {
    const std::int64_t word = words[at++];
    std::memcpy(text.data() + k, &word, std::min(sizeof word, text.size() - k));
  }
  return text;
}

}  // namespace tasfg
