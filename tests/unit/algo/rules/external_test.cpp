#include "tasfg/algo/rules/external.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// What the functions below were told.
struct Heard {
  std::vector<std::int64_t> t;
  std::vector<double> rewards;
  int finished = 0;
  int ended = 0;
};
Heard heard;

std::shared_ptr<ExternalDefinition> definition_of(tasfg_rule rule) {
  auto definition = std::make_shared<ExternalDefinition>();
  definition->rule = rule;
  definition->rule.name = "mine";
  return definition;
}

std::int32_t listening(void* /*state*/, const tasfg_estimate* e) {
  heard.t.push_back(e->t);
  return static_cast<std::int32_t>(e->t % e->K);
}

TEST(ExternalRule, SeesTheEstimateAsItIs) {
  const Instance instance = instance_of("loopy-star", {{"K", 5.0}});
  Estimate e(instance, Setting::informed, {});
  PhiloxStream stream(stream_key(1)), twin(stream_key(1)), draws(stream_key(2));
  static const Estimate* watched = nullptr;
  static double drawn = 0.0;
  watched = &e;
  tasfg_rule rule{};
  rule.choose = [](void* /*state*/, const tasfg_estimate* view) -> std::int32_t {
    EXPECT_EQ(view->t, watched->draws());
    EXPECT_EQ(view->best, watched->best());
    EXPECT_EQ(view->means, watched->means().data());
    EXPECT_EQ(view->observations, watched->observations().data());
    EXPECT_EQ(view->pulls, watched->pulls().data());
    for (std::int32_t v = 0; v < view->K; ++v)
      for (std::int32_t u = 0; u < view->K; ++u) {
        EXPECT_EQ(view->counts[u * view->stride + v], watched->count(v, u));
        EXPECT_EQ(view->graph(view, v, u), watched->edge(v, u));
      }
    EXPECT_EQ(view->divergence(view, 0.25, 1.25), 0.5);
    drawn = view->uniform(view);
    return static_cast<std::int32_t>(view->t % view->K);
  };
  ExternalRule external(instance, definition_of(rule));
  for (int t = 0; t < 40; ++t) {
    const int v = external.choose(e, stream);
    EXPECT_EQ(drawn, twin.uniform());
    draw(instance, e, v, draws, 1.0, [&](int u, double r) { external.shown(e, u, r); });
    external.finish(e, v);
  }
}

TEST(ExternalRule, CallsWhatThereIsAndEndsItsState) {
  heard = {};
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  Estimate e(instance, Setting::informed, {});
  PhiloxStream stream(stream_key(1));
  tasfg_rule rule{};
  rule.start = [](std::int32_t K) -> void* { return K == 3 ? &heard : nullptr; };
  rule.choose = &listening;
  rule.shown = [](void* state, const tasfg_estimate* view, std::int32_t u, double reward) {
    EXPECT_EQ(u, (view->t - 1) % view->K);
    static_cast<Heard*>(state)->rewards.push_back(reward);
  };
  rule.finish = [](void* state, const tasfg_estimate*, std::int32_t) {
    ++static_cast<Heard*>(state)->finished;
  };
  rule.end = [](void* state) { ++static_cast<Heard*>(state)->ended; };
  {
    ExternalRule external(instance, definition_of(rule));
    ExternalRule moved(std::move(external));
    std::vector<double> rewards;
    for (int t = 0; t < 5; ++t) {
      const int v = moved.choose(e, stream);
      draw(instance, e, v, stream, 1.0, [&](int u, double r) {
        rewards.push_back(r);
        moved.shown(e, u, r);
      });
      moved.finish(e, v);
    }
    EXPECT_EQ(heard.rewards, rewards);
    EXPECT_EQ(heard.t, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(heard.finished, 5);
    EXPECT_EQ(heard.ended, 0);
  }
  EXPECT_EQ(heard.ended, 1);
}

TEST(ExternalRule, AVertexThatIsNotThereIsAnErrorWithTheRulesWords) {
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  const auto message = [&](tasfg_rule rule) -> std::string {
    Estimate e(instance, Setting::informed, {});
    PhiloxStream stream(stream_key(1));
    try {
      ExternalRule external(instance, definition_of(rule));
      static_cast<void>(external.choose(e, stream));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  };
  tasfg_rule rule{};
  rule.choose = [](void*, const tasfg_estimate* e) -> std::int32_t { return e->K; };
  EXPECT_EQ(message(rule), "the rule mine chose vertex 3 after 0 draws (must lie in 0..2)");
  rule.choose = [](void*, const tasfg_estimate*) -> std::int32_t { return -1; };
  rule.message = [](void*) -> const char* { return "tired\n"; };
  EXPECT_EQ(message(rule), "the rule mine chose vertex -1 after 0 draws (must lie in 0..2): tired?");
  rule.start = [](std::int32_t) -> void* { return nullptr; };
  EXPECT_EQ(message(rule), "the rule mine cannot start a run with 3 vertices");
}

TEST(ExternalRule, CountsItsSteps) {
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  Estimate e(instance, Setting::informed, {});
  PhiloxStream stream(stream_key(1));
  tasfg_rule rule{};
  rule.choose = &listening;
  ExternalRule external(instance, definition_of(rule));
  const std::int64_t before = external_steps().load();
  for (int t = 0; t < 7; ++t) static_cast<void>(external.choose(e, stream));
  EXPECT_EQ(external_steps().load(), before + 7);
}

}  // namespace
}  // namespace tasfg
