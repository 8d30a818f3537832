#include "tasfg/io/result_layout.hpp"

#include <set>
#include <string_view>
#include <variant>

#include "io/made_results.hpp"
#include "io/result_table.hpp"

namespace tasfg {
namespace {

class ResultLayoutTest : public InFolder {};

TEST_F(ResultLayoutTest, AFileNeverLosesWhatItHolds) {
  const ResultLayout held = a_full_layout();
  const auto refuses = [&](auto change, const std::string& why) {
    ResultLayout wanted = held;
    change(wanted);
    EXPECT_NE(why_not_extension(held, wanted).find(why), std::string::npos)
        << why_not_extension(held, wanted);
  };
  refuses([](ResultLayout& l) { l.replications = 6; }, "7 replications");
  refuses([](ResultLayout& l) { l.cases.pop_back(); }, "case b");
  refuses([](ResultLayout& l) { l.cases[0].key = 1; }, "other contents");
  refuses([](ResultLayout& l) { l.algorithms[0].options = ""; }, "tas-fg with period=2");
  refuses([](ResultLayout& l) { l.log_inv_delta[1] = 4.7; }, "ln(1/delta)");
  refuses([](ResultLayout& l) { l.checkpoints = {10, 1000}; }, "the checkpoint 100");
  refuses([](ResultLayout& l) { l.pulls_by_delta = 0; }, "pulls_at");
  refuses([](ResultLayout& l) { l.weighted = false; }, "measure");
  refuses([](ResultLayout& l) { l.max_steps = 999; }, "max_steps");
  refuses([](ResultLayout& l) { l.seed = 1; }, "seed");
  refuses([](ResultLayout& l) { l.stream = "numpy"; }, "stream");
  refuses([](ResultLayout& l) { l.results_version = "3"; }, "results_version is 2, this job's is 3");
  refuses([](ResultLayout& l) { l.convention_points = "x"; }, "convention");
}

TEST_F(ResultLayoutTest, EveryAttributeOfTheRootIsForPeopleOrKeepsOtherFilesAway) {
  const std::set<std::string_view> for_people = {
      "created",      "job",        "job_overrides", "job_name",          "job_origin",         "shard",
      "code_version", "git_commit", "build",         "left_out_by_where", "left_out_infeasible"};
  const ResultLayout held = a_full_layout();
  for (const RootAttribute& attribute : root_attributes()) {
    ResultLayout wanted = held;
    const auto change = [&](auto member) {
      if constexpr (std::is_same_v<decltype(member), std::string ResultLayout::*>)
        wanted.*member += "x";
      else
        --(wanted.*member);  // what may grow must not shrink
    };
    if (std::string_view(attribute.name) == "precision")
      wanted.precision = "mean=0.9 minimum=32";  // has a form of its own
    else
      std::visit(change, attribute.member);
    EXPECT_EQ(why_not_extension(held, wanted).empty(), for_people.contains(attribute.name)) << attribute.name;
  }
}

}  // namespace
}  // namespace tasfg
