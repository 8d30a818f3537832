#include "tasfg/algo/rules/external.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/lanes.hpp"

namespace tasfg {

std::atomic<std::int64_t>& external_steps() {
  thread_local std::atomic<std::int64_t> steps{0};
  return steps;
}

ExternalRule::ExternalRule(const Instance& instance, std::shared_ptr<const ExternalDefinition> definition)
    : definition_(std::move(definition)),
      choose_(definition_->rule.choose),
      shown_(definition_->rule.shown),
      finish_(definition_->rule.finish),
      state_(
          nullptr, definition_->rule.end != nullptr ? definition_->rule.end : [](void*) {}),
      steps_(&external_steps()) {
  view_.K = instance.size();
  view_.reward = &instance.reward();
  if (definition_->start)
    state_.reset(definition_->start(instance.size()));
  else if (definition_->rule.start != nullptr)
    state_.reset(definition_->rule.start(instance.size()));
  else
    return;
  if (state_ == nullptr)
    throw std::runtime_error(fmt::format("the rule {} cannot start a run with {} vertices",
                                         quotable(definition_->rule.name), instance.size()));
}

void ExternalRule::attach(const Estimate& e) {
  view_.inner = &e;
  view_.means = e.means().data();
  view_.observations = e.observations().data();
  view_.pulls = e.pulls().data();
  view_.counts = e.counts();
  view_.stride = static_cast<std::int64_t>(padded(static_cast<std::size_t>(e.size())));
  view_.graph = [](const tasfg_estimate* view, std::int32_t v, std::int32_t u) {
    return static_cast<const Estimate*>(view->inner)->edge(v, u);
  };
  view_.divergence = [](const tasfg_estimate* view, double x, double y) {
    return divergence(*static_cast<const View*>(view)->reward, x, y);
  };
}

void ExternalRule::refuse(std::int32_t v) const {
  const tasfg_rule& rule = definition_->rule;
  const char* said = rule.message != nullptr ? rule.message(state_.get()) : nullptr;
  throw std::runtime_error(fmt::format("the rule {} chose vertex {} after {} draws (must lie in 0..{}){}",
                                       quotable(rule.name), v, view_.t, view_.K - 1,
                                       said != nullptr ? ": " + quotable(said) : std::string()));
}

}  // namespace tasfg
