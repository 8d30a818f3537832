#include "io/draft_file.hpp"

#include "io/made_results.hpp"
#include <fcntl.h>
#include <sys/wait.h>

namespace tasfg {
namespace {

class DraftFileTest : public InFolder {
 protected:
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  [[nodiscard]] std::string get(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const std::string own_ = "x.new-" + std::to_string(::getpid());
};

/// A process that has ended.
long a_dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_F(DraftFileTest, TakesItsNameWhenItIsPublished) {
  const WriterLock lock(path("x"), nullptr);
  {
    DraftFile draft(path("x"), lock);
    put(own_, "first");
    EXPECT_FALSE(fs::exists(path("x")));
    draft.publish(-1);
  }
  EXPECT_EQ(get("x"), "first");
  {
    DraftFile draft(path("x"), lock);
    put(own_, "second");
  }
  EXPECT_EQ(get("x"), "first") << "not published";
  EXPECT_FALSE(fs::exists(path(own_)));
}

TEST_F(DraftFileTest, ReplacesOnlyTheFileThatItWasMadeFrom) {
  const WriterLock lock(path("x"), nullptr);
  put("x", "old");
  const int old = ::open(path("x").c_str(), O_RDONLY);
  DraftFile draft(path("x"), lock);
  put(own_, "new");
  EXPECT_THROW(draft.publish(-1), SystemError) << "something is there";
  fs::rename(path("x"), path("y"));
  put("x", "of another");
  EXPECT_THROW(draft.publish(old), SystemError);
  EXPECT_EQ(get("x"), "of another");
  fs::rename(path("y"), path("x"));
  draft.publish(old);
  EXPECT_EQ(get("x"), "new");
  ::close(old);
}

TEST_F(DraftFileTest, OnlyDraftsOfDeadProcessesAreRemoved) {
  const long dead = a_dead_process();
  const std::vector<std::string> kept = {"x.new-ideas.txt",
                                         "x.new-",
                                         "x.new-12a",
                                         "x.new-0" + std::to_string(dead),
                                         "x.new--" + std::to_string(dead),
                                         "x.new-1",  // init runs
                                         "y.new-" + std::to_string(dead)};
  for (const std::string& each : kept) put(each, "somebody's");
  put("x.new-" + std::to_string(dead), "debris");
  const long other = a_dead_process();
  fs::create_directory(path("x.new-" + std::to_string(other)));
  const WriterLock lock(path("x"), nullptr);
  const DraftFile draft(path("x"), lock);
  for (const std::string& each : kept) EXPECT_EQ(get(each), "somebody's") << each;
  EXPECT_FALSE(fs::exists(path("x.new-" + std::to_string(dead))));
  EXPECT_TRUE(fs::exists(path("x.new-" + std::to_string(other)))) << "a folder is no draft";
}

TEST_F(DraftFileTest, LinksAreFollowedToTheirEnd) {
  fs::create_directory(path("far"));
  fs::create_symlink("far/b", path("a"));
  fs::create_symlink("../c", path("far/b"));
  EXPECT_EQ(fs::path(behind_links(path("a"))).lexically_normal(), path("c")) << "though there is nothing";
  EXPECT_EQ(behind_links("plain"), "plain");
}

}  // namespace
}  // namespace tasfg
