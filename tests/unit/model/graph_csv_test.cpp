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

TEST(GraphCsv, ReadsWhatOtherProgramsWrite) {
  const std::pair<const char*, const char*> texts[] = {
      {"semicolons", "0.5;1\n0;0.25\n"},
      {"numpy.savetxt", "5.000000000000000000e-01 1.000000000000000000e+00\n0.0e+00 2.5e-01\n"},
      {"tabs", "0.5\t1\n0\t0.25\n"},
      {"a header", "a,b\n0.5,1\n0,0.25\n"},
      {"an index", "a,0.5,1\nb,0,0.25\n"},
      {"pandas", ",a,b\na,0.5,1\nb,0,0.25\n"},
      {"pandas without names", ",0,1\n0,0.5,1.0\n1,0.0,0.25\n"},
      {"R's write.csv", "\"\",\"V1\",\"V2\"\n\"1\",0.5,1\n\"2\",0,0.25\n"},
      {"R's write.table", "\"V1\" \"V2\"\n\"1\" 0.5 1\n\"2\" 0 0.25\n"},
      {"edges", "from,to,probability\n0,0,0.5\n1,1,.25\n0,1,1\n"},
      {"edges by semicolons", "from;to;probability\n0;0;0.5\n1;1;.25\n0;1;1\n"},
  };
  for (const auto& [what, text] : texts) {
    const FeedbackGraph graph = parse_graph_csv(text, "G.csv");
    ASSERT_EQ(graph.size(), 2) << what;
    EXPECT_EQ(std::vector<double>(graph.row_major().begin(), graph.row_major().end()),
              (std::vector<double>{0.5, 1, 0, 0.25}))
        << what;
  }
}

TEST(GraphCsv, RefusesBadFilesWithPlaceValueAndRemedy) {
  const std::string matrix = "must be K rows of K probabilities; row: chosen vertex, column: shown vertex";
  const std::string square = "the matrix must be square; a header or an index column must hold names";
  const std::string number = "must be a probability, a number in [0, 1]";
  const std::pair<std::string, std::string> cases[] = {
      {"", "G.csv: holds no numbers (" + matrix + ")"},
      {"# only a comment\n", "G.csv: holds no numbers (" + matrix + ")"},
      {"a,b\n", "G.csv: holds no numbers (" + matrix + ")"},
      {"1\n", "G.csv: K = 1 (must be at least 2)"},
      {"1,0\n0\n", "G.csv: line 2 holds 1 values (the first row holds 2)"},
      {"1,0\n", "G.csv: 1 rows of 2 values (" + square + ")"},
      {"1,0\n0,1\n1,1\n", "G.csv: more than 2 rows of 2 values (" + square + ")"},
      {"1,0\n0,nan\n", "G.csv: line 2, column 2 = \"nan\" (" + number + ")"},
      {"nan,inf\n0,1\n", "G.csv: line 1, column 1 = \"nan\" (" + number + ")"},
      {"1,0\n0,1.3\n", "G.csv: line 2, column 2 = 1.3 (a probability must lie in [0, 1])"},
      {"1,0\n-0.1,1\n", "G.csv: line 2, column 1 = -0.1 (a probability must lie in [0, 1])"},
      {"1,\n0,1\n", "G.csv: line 1, column 2 = \"\" (" + number + ")"},
      {"1,x\n0,1\n", "G.csv: line 1, column 2 = \"x\" (" + number + ")"},
      {"a,b\n1,0\n0,x\n", "G.csv: line 3, column 2 = \"x\" (" + number + ")"},
      {"0,5;1\n0;1\n", "G.csv: line 1, column 1 = \"0,5\" (a decimal comma; must be a point)"},
      {std::string("1,0\n0,\0", 7),
       "G.csv: holds binary data (must be text: K rows of K probabilities; row: chosen vertex, column: shown "
       "vertex)"},
      {"from,to,probability\n", "G.csv: holds no edges (must be lines of from,to,probability)"},
      {"from,to,probability\n0,1\n", "G.csv: line 2 holds 2 values (must be from, to, probability)"},
      {"from,to,probability\n0,a,1\n",
       "G.csv: line 2, to = \"a\" (must be a vertex, a whole number from 0 to 999999)"},
      {"from,to,probability\n0,1,1\n0,1,1\n", "G.csv: line 3 repeats the edge from 0 to 1 (each edge once)"},
      {"from,to,probability\n0,1,2\n", "G.csv: line 2, column 3 = 2 (a probability must lie in [0, 1])"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(message_for(text), expected);
}

TEST(GraphCsv, ReadsNumbersInAnyArrangement) {
  for (const char* text : {"0.5,1,2", "0.5\n1\n2\n", "# means\n0.5; 1\n2", "0.5 1 2\n"})
    EXPECT_EQ(parse_vector(text, "x"), (std::vector<double>{0.5, 1, 2})) << text;
  EXPECT_THROW((void)parse_vector("0.5,a", "x"), InputError);
}

TEST(GraphCsv, RefusesAMissingFileAndADirectory) {
  EXPECT_THROW((void)read_graph_csv("/no/such/file.csv"), InputError);
  EXPECT_THROW((void)read_graph_csv(std::filesystem::temp_directory_path().string()), InputError);
}

}  // namespace
}  // namespace tasfg
