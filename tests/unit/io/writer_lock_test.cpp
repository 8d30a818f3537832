#include "tasfg/io/writer_lock.hpp"

#include <chrono>
#include <csignal>
#include <thread>

#include "io/made_results.hpp"
#include <sys/wait.h>

namespace tasfg {
namespace {

using namespace std::chrono_literals;

class WriterLockTest : public InFolder {
 protected:
  [[nodiscard]] std::string lock_text() const {
    std::ifstream in(path("x.h5.lock"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put_lock(const std::string& text) const { std::ofstream(path("x.h5.lock")) << text; }
  [[nodiscard]] std::string refused() const {
    return error_of<Error>([this] { const WriterLock lock(path("x.h5"), nullptr); });
  }
};

constexpr const char* kElsewhere = "elsewhere\t12\t34\tfar-node\t2026-01-01T00:00:00Z\t000000000007\n";

TEST_F(WriterLockTest, IsOwnedUntilSomebodyTakesIt) {
  {
    const WriterLock lock(path("x.h5"), nullptr);
    EXPECT_TRUE(lock.owned());
    EXPECT_NE(writer_of(path("x.h5")), "");
    EXPECT_NO_THROW(lock.expect_owned());
    const std::string own = lock_text();
    put_lock(kElsewhere);
    EXPECT_FALSE(lock.owned());
    EXPECT_THROW(lock.expect_owned(), BusyError);
    put_lock(own);
    EXPECT_FALSE(lock.owned()) << "never again";
    put_lock(kElsewhere);
  }
  EXPECT_EQ(lock_text(), kElsewhere) << "another's lock stays";
  fs::remove(path("x.h5.lock"));
  { const WriterLock lock(path("x.h5"), nullptr); }
  EXPECT_FALSE(fs::exists(path("x.h5.lock")));
  EXPECT_EQ(writer_of(path("x.h5")), "");
}

TEST_F(WriterLockTest, BeatsByItself) {
  const WriterLock lock(path("x.h5"), nullptr);
  const std::string before = lock_text();
  std::this_thread::sleep_for(WriterLock::kBeat + 1s);
  EXPECT_NE(lock_text(), before);
  EXPECT_EQ(lock_text().size(), before.size());
  EXPECT_TRUE(lock.owned());
}

TEST_F(WriterLockTest, NeverBeatsIntoTheLockOfAnother) {
  const WriterLock lock(path("x.h5"), nullptr);
  put_lock(kElsewhere);
  std::this_thread::sleep_for(WriterLock::kBeat + 1s);
  EXPECT_EQ(lock_text(), kElsewhere);
}

TEST_F(WriterLockTest, ALivingProcessKeepsItAndADeadOneLosesItWithItsDraft) {
  const pid_t child = ::fork();
  if (child == 0) {
    new WriterLock(path("x.h5"), nullptr);  // never let go
    ::pause();
    ::_exit(0);
  }
  while (writer_of(path("x.h5")).empty()) std::this_thread::sleep_for(10ms);
  const std::string why = error_of<BusyError>([this] { const WriterLock lock(path("x.h5"), nullptr); });
  EXPECT_TRUE(contains(why, "x.h5: is being written by another sweep (host ")) << why;
  EXPECT_TRUE(contains(why, std::to_string(child))) << why;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(writer_of(path("x.h5")), "");
  const std::string draft = path("x.h5.new-" + std::to_string(child));
  std::ofstream{draft};
  const WriterLock lock(path("x.h5"), nullptr);
  EXPECT_TRUE(lock.owned());
  EXPECT_FALSE(fs::exists(draft)) << "should it come back, it must have nothing to publish";
}

TEST_F(WriterLockTest, WhatCannotBeReadIsAnErrorAndNotWaitedFor) {
  fs::create_symlink("nowhere", path("x.h5.lock"));
  EXPECT_TRUE(contains(refused(), "x.h5.lock: is no lock file of tasfg (remove it where no sweep"))
      << refused();
  EXPECT_FALSE(fs::exists(path("nowhere")));
  fs::remove(path("x.h5.lock"));
  fs::create_directory(path("x.h5.lock"));
  EXPECT_TRUE(contains(refused(), "x.h5.lock: is no lock file of tasfg")) << refused();
  fs::remove(path("x.h5.lock"));
  if (::geteuid() == 0) return;  // may read everything
  put_lock(kElsewhere);
  fs::permissions(path("x.h5.lock"), fs::perms::none);
  EXPECT_TRUE(contains(refused(), "x.h5.lock: cannot be read: Permission denied (remove it")) << refused();
}

TEST_F(WriterLockTest, AWatchEndsWhenItIsTold) {
  put_lock(kElsewhere);
  EXPECT_THROW(const WriterLock lock(path("x.h5"), nullptr, [] { return true; }), BusyError);
  EXPECT_EQ(lock_text(), kElsewhere);
}

TEST_F(WriterLockTest, ATimeInTheFutureIsNoSignOfLife) {
  put_lock(kElsewhere);
  EXPECT_TRUE(contains(writer_of(path("x.h5")), "far-node"));
  for (const auto shift : {-1h, 1h}) {
    fs::last_write_time(path("x.h5.lock"), fs::file_time_type::clock::now() + shift);
    EXPECT_EQ(writer_of(path("x.h5")), "");
  }
}

TEST_F(WriterLockTest, ALinkAndItsFileHaveOneLock) {
  fs::create_symlink("x.h5", path("link.h5"));
  const WriterLock lock(path("link.h5"), nullptr);
  EXPECT_TRUE(fs::exists(path("x.h5.lock")));
  EXPECT_NE(writer_of(path("link.h5")), "");
  EXPECT_NE(writer_of(path("x.h5")), "");
}

}  // namespace
}  // namespace tasfg
