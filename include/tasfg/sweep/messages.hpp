/// The messages between the ranks of a sweep, as values. Boost.Serialization carries them, as raw bytes: all
/// ranks run one program.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tasfg/sweep/chunk.hpp"
#include "tasfg/sweep/report.hpp"

namespace tasfg {

/// What rank 0 tells the others before they begin.
struct Opening {
  int status = 0;  // an exit status; 0: go on
  std::string text, origin;
  std::vector<std::string> overrides;

  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    carry(archive, status, text, origin, overrides);
  }
};

/// The first message of a rank.
struct Hello {
  int threads = 0;
  std::uint64_t digest = 0;  // of its grid
  std::string host;
  std::string complaint;  // why it cannot work; empty where it can

  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    carry(archive, threads, digest, host, complaint);
  }
};

struct Nothing {
  template <typename Archive>
  void serialize(Archive& /*archive*/, unsigned /*version*/) {}
};
/// Sent every kBeat: a host that is cut off from the others sends nothing, and MPI does not tell.
struct Alive : Nothing {};
/// Give back what is queued.
struct Drain : Nothing {};
/// End what runs, too.
struct Cancel : Nothing {};
/// The answer to Stop: nothing more is under way.
struct Bye : Nothing {};

/// Work for the threads of a rank, the dearest first.
struct Lease {
  std::vector<Chunk> chunks;

  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    carry(archive, chunks);
  }
};

/// Nothing more will come; leave with this exit status.
struct Stop {
  int status = 0;

  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    carry(archive, status);
  }
};

/// The rank got a signal that asks it to end.
struct Interrupted {
  bool time_is_short = false;  // the scheduler announced the end of the job

  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    carry(archive, time_is_short);
  }
};

using ToWorker = std::variant<Lease, Drain, Cancel, Stop, Alive>;
using ToCoordinator = std::variant<Hello, Report, Interrupted, Bye, Alive>;

/// `Message` is Opening, ToWorker or ToCoordinator.
template <typename Message>
[[nodiscard]] std::string pack(const Message& message);
template <typename Message>
[[nodiscard]] Message unpack(std::string bytes);

/// For std::visit: one function for each kind of message.
template <typename... Handlers>
struct Handle : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Handle(Handlers...) -> Handle<Handlers...>;

}  // namespace tasfg
