#include "tasfg/model/graph_source.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(GraphSource, IsNotAskedForGraphsOfOtherFamilies) {
  const GraphAndMeans made = graph_of(graph_family("ring", "test"), {{"K", 4.0}}, "test", nullptr);
  EXPECT_EQ(made.graph.size(), 4);
  try {
    static_cast<void>(graph_of(graph_family("file", "test"), {}, "test", nullptr));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "test: family = \"file\" (graph files cannot be read here)");
  }
}

}  // namespace
}  // namespace tasfg
