/// A study that is over in no time, with its result file in a folder of its own.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tasfg/io/result_file.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/job/job.hpp"
#include "tasfg/sweep/grid_layout.hpp"
#include "tasfg/sweep/result_writer.hpp"
#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {

class SmallStudy : public testing::Test {
 protected:
  SmallStudy() { std::filesystem::create_directories(folder_); }
  ~SmallStudy() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static constexpr std::int64_t kSeeds = 10;
  static constexpr const char* kJob =
      "seed = 1\nreplications = 10\ndelta = [0.1]\nalgorithms = [\"uniform\", \"oracle\"]\n"
      "[[graph]]\nfamily = \"ring\"\nK = [3, 4]\n";
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("tasfg_" + std::to_string(::getpid()) + "_" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  Grid grid_ = expand_job(kJob, "test.toml", {}, nullptr);
  CellGrid cells_{grid_.cases.size(), grid_.algorithms.size()};
};

/// The same with a new result file, locked and open.
class SmallSweep : public SmallStudy {
 protected:
  LiveState live_{"running", iso_time(), "here", 1, 0};
  WriterLock lock_{path("out.h5"), nullptr};
  ResultFile file_ = ResultFile::create(path("out.h5"), layout_of(grid_, {}, ""), graphs_of(grid_), live_);
  ResultWriter results_{file_, lock_, live_};
};

}  // namespace tasfg
