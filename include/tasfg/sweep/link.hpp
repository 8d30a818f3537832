/// The processes of one sweep and the messages between them. Alone, without a launcher, MPI is not touched.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tasfg {

enum class Tag : int {
  hello,   // worker → coordinator: threads, digest, host, complaint
  chunks,  // coordinator → worker
  report,  // worker → coordinator
  drain,   // coordinator → worker: give back what is queued
  cancel,  // coordinator → worker: end what runs, too
  stop,    // coordinator → worker: nothing more will come
  signal,  // worker → coordinator: this process was told to stop
  bye,     // worker → coordinator, in answer to stop: nothing more is under way
  alive,   // either way, every kBeat: a host that is cut off from the others sends nothing, and MPI does not
           // tell
};

inline constexpr double kBeat = 2.0;  // seconds
/// A rank that was told to stop waits so long for a sign of rank 0; seconds.
inline constexpr double kLongestAnswer = 10.0;
/// Rank 0 is silent while the disk keeps it waiting: the others give it so many times the patience.
inline constexpr double kPatienceWithCoordinator = 5.0;

/// When another rank was last heard of. A pause of this process itself (stopped, or waiting for a disk) is
/// nobody's silence.
class Hearing {
 public:
  void heard(double now) { last_ = now; }
  void paused(double seconds) { last_ += seconds; }
  [[nodiscard]] double silence(double now) const { return now - last_; }

 private:
  double last_ = 0.0;
};

struct Message {
  int from = 0;
  Tag tag = Tag::hello;
  std::vector<std::int64_t> words;
};

/// False in all but one of several processes that a launcher started; needs no MPI.
[[nodiscard]] bool first_of_launch();

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

  /// The same text at every rank, from rank 0's. Every rank calls it.
  void broadcast(std::string& text) const;
  /// How many ranks may use the same cores as this one, itself included. Every rank calls it.
  [[nodiscard]] int sharers(std::uint64_t host, std::uint64_t cores) const;

  void send(int to, Tag tag, std::vector<std::int64_t> words);
  /// A message that has arrived, if any.
  [[nodiscard]] std::optional<Message> receive();
  /// Waits until what was sent has left.
  void flush();
  /// The others may be gone: do not wait for them at the end.
  void abandon() { abandoned_ = true; }

 private:
  struct Mpi;
  std::unique_ptr<Mpi> mpi_;
  int rank_ = 0, size_ = 1;
  bool launched_ = false, abandoned_ = false;
};

/// Texts in messages.
void put_text(std::vector<std::int64_t>& words, const std::string& text);
[[nodiscard]] std::string get_text(const std::vector<std::int64_t>& words, std::size_t& at);

}  // namespace tasfg
