#include "tasfg/io/curve_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

namespace fs = std::filesystem;

// What is in the file is read by tests/python/test_curve_command.py, as users read it.

Curve small_curve() {
  Curve curve;
  curve.axes = {{"p", 0.0, 1.0, {}}};
  curve.vertices = 2;
  curve.cells.push_back({{{0.0, 0.0}, {1.0, 0.0}}, {1.0, 2.0}, CellOutcome::certified});
  static constexpr double kAllocation[] = {0.5, 0.5};
  static constexpr std::uint8_t kSupport[] = {1, 1};
  curve.points.push_back({{0.0, 0.0}, 2.0, 1.0, kAllocation, kSupport, true});
  curve.points.push_back({{1.0, 0.0}, 2.0, 1.0, {}, {}, false});
  return curve;
}

class CurveFile : public ::testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("tasfg-curve-" + std::to_string(::getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  [[nodiscard]] std::string path(const char* name) const { return (folder / name).string(); }
};

std::string reading_error(const std::string& path) {
  try {
    expect_place_for_curve(path);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "no error";
}

TEST_F(CurveFile, ReplacesCurvesAndNothingElse) {
  write_curve_file(path("curve.h5"), small_curve(), {});
  const auto size = fs::file_size(path("curve.h5"));
  EXPECT_GT(size, 1000U);
  write_curve_file(path("curve.h5"), small_curve(), {});
  EXPECT_EQ(fs::file_size(path("curve.h5")), size);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);  // no drafts
  std::ofstream(path("notes.txt")) << "mine";
  EXPECT_EQ(reading_error(path("notes.txt")),
            ": is there and is not a curve (give another -o; it was left as it is)");
  EXPECT_THROW(write_curve_file(path("notes.txt"), small_curve(), {}), InputError);
  EXPECT_EQ(fs::file_size(path("notes.txt")), 4U);
}

TEST_F(CurveFile, NeedsAFolder) {
  EXPECT_EQ(reading_error(path("none/curve.h5")),
            ": its folder is not there (make it first, or give another -o)");
}

}  // namespace
}  // namespace tasfg
