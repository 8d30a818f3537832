#include "tasfg/model/graph_csv.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

std::string message_for(std::string_view text) {
  try {
    (void)parse_graph_csv(text, "G.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GraphCsv, ReadsRowsWithBlanksCommentsAndWindowsLineEnds) {
  const FeedbackGraph graph =
      parse_graph_csv("\xef\xbb\xbf# from, to\r\n 0.5,\t1 \r\n\r\n0,1e-6\r\n", "G.csv");
  EXPECT_EQ(graph.size(), 2);
  EXPECT_EQ(graph(0, 0), 0.5);
  EXPECT_EQ(graph(0, 1), 1.0);
  EXPECT_EQ(graph(1, 0), 0.0);
  EXPECT_EQ(graph(1, 1), 1e-6);
}

TEST(GraphCsv, RefusesBadFilesWithPlaceValueAndRemedy) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "G.csv: holds no numbers (must be K rows of K probabilities)"},
      {"# only a comment\n", "G.csv: holds no numbers (must be K rows of K probabilities)"},
      {"1\n", "G.csv: K = 1 (must be at least 2)"},
      {"1,0\n0\n", "G.csv: line 2 holds 1 values (the first row holds 2)"},
      {"1,0\n", "G.csv: 1 rows of 2 values (the matrix must be square)"},
      {"1,0\n0,1\n1,1\n", "G.csv: more than 2 rows of 2 values (the matrix must be square)"},
      {"1,0\n0,nan\n", "G.csv: line 2, column 2 = \"nan\" (must be a finite number)"},
      {"1,0\n0,inf\n", "G.csv: line 2, column 2 = \"inf\" (must be a finite number)"},
      {"1,0\n0,1.3\n", "G.csv: line 2, column 2 = 1.3 (a probability must lie in [0, 1])"},
      {"1,0\n-0.1,1\n", "G.csv: line 2, column 1 = -0.1 (a probability must lie in [0, 1])"},
      {"1,\n0,1\n", "G.csv: line 1, column 2 = \"\" (must be a finite number)"},
      {"a,b\n1,0\n0,1\n", "G.csv: line 1, column 1 = \"a\" (must be a finite number)"},
      {std::string("1,0\n0,\0", 7), "G.csv: holds binary data (must be text: K rows of K probabilities)"},
      {"1;0\n0;1\n", "G.csv: line 1, column 1 = \"1;0\" (must be a finite number)"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(message_for(text), expected);
}

TEST(GraphCsv, RefusesAMissingFileAndADirectory) {
  EXPECT_THROW((void)read_graph_csv("/no/such/file.csv"), InputError);
  EXPECT_THROW((void)read_graph_csv(std::filesystem::temp_directory_path().string()), InputError);
}

}  // namespace
}  // namespace tasfg
