/// The processes of one sweep and the way between them. Alone, without a launcher, MPI is not touched.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tasfg {

/// False in all but one of several processes that a launcher started; needs no MPI.
[[nodiscard]] bool first_of_launch();

/// A packed message (messages.hpp) and who sent it.
struct Parcel {
  int from = 0;
  std::string bytes;
};

class Link {
 public:
  /// Joins the other processes where a launcher started several, and is alone otherwise. An InputError where
  /// the launcher started copies that do not know of each other.
  Link();
  /// Waits for the others, unless `abandon` was called.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool alone() const { return size_ == 1; }
  [[nodiscard]] bool launched() const { return launched_; }

  /// The same bytes at every rank, from rank 0's. Every rank calls it.
  void broadcast(std::string& bytes) const;
  /// How many ranks may use the same cores as this one, itself included. Every rank calls it.
  [[nodiscard]] int sharers(std::uint64_t host, std::uint64_t cores) const;

  /// Does not wait. Messages between two ranks arrive in the order in which they were sent.
  void send(int to, std::string bytes);
  /// A message that has arrived, if any.
  [[nodiscard]] std::optional<Parcel> receive();
  /// Messages sent and received so far.
  [[nodiscard]] std::int64_t messages() const { return messages_; }
  /// Whether something that was sent has not left yet. A large message leaves in parts, at each look for
  /// messages: whoever receives it waits in between.
  [[nodiscard]] bool sending();
  /// Waits until what was sent has left.
  void flush();
  /// The others may be gone: do not wait for them at the end.
  void abandon() { abandoned_ = true; }

 private:
  struct Mpi;
  std::unique_ptr<Mpi> mpi_;
  int rank_ = 0, size_ = 1;
  std::int64_t messages_ = 0;
  bool launched_ = false, abandoned_ = false;
};

}  // namespace tasfg
