#include "tasfg/io/stored_job.hpp"

#include "io/made_results.hpp"

namespace tasfg {
namespace {

class StoredJobTest : public InFolder {};

TEST_F(StoredJobTest, AStoredJobFindsItsGraphsByTheNamesOfTheirFiles) {
  (void)create(path("x.h5"), a_layout());
  const auto job = find_stored_job(path("x.h5"), nullptr);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->text, a_layout().job);
  for (const char* name : {"folder/b.csv", "b.csv", "/home/me/folder/b.csv"})
    EXPECT_EQ(job->reader(name).size(), 5);
  for (const char* name : {"ab.csv", "older/b.csv"}) EXPECT_THROW((void)job->reader(name), InputError);
  std::ofstream(path("job.toml")) << "seed = 1\n";
  EXPECT_FALSE(find_stored_job(path("job.toml"), nullptr));
}

}  // namespace
}  // namespace tasfg
