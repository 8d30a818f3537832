/// Rules that are not part of the program: of a shared library (algo/rule_library.hpp), or of Python.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tasfg/algo/estimate.hpp"
#include "tasfg/model/instance.hpp"
#include "tasfg/rule.h"

namespace tasfg {

/// A rule behind the C interface, and what keeps its functions and names there.
struct ExternalDefinition {
  tasfg_rule rule{};
  std::function<void*(int K)> start;  // instead of rule.start, where a function alone does not know enough
  std::uint64_t digest = 0;           // of what defines it, so that results of two versions are not mixed
  std::string path;                   // of the library; empty where there is none
  std::shared_ptr<void> owner;        // of the functions
  /// Called before a run's estimate goes; may take it over.
  void (*part)(void* state, Estimate& estimate) = nullptr;
};

/// Draws of external rules in this thread. Where it stands still although a run is on, the rule does not
/// return.
[[nodiscard]] std::atomic<std::int64_t>& external_steps();

/// One run of such a rule.
class ExternalRule {
 public:
  ExternalRule(const Instance& instance, std::shared_ptr<const ExternalDefinition> definition);

  template <typename Stream>
  int choose(const Estimate& e, Stream& stream) {
    if (view_.inner != &e) [[unlikely]] {
      attach(e);
      view_.stream = &stream;
      view_.uniform = [](const tasfg_estimate* view) {
        return static_cast<Stream*>(view->stream)->uniform();
      };
    }
    look(e);
    steps_->store(steps_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    const std::int32_t v = choose_(state_.get(), &view_);
    if (v < 0 || v >= view_.K) [[unlikely]]
      refuse(v);
    return v;
  }
  void shown(const Estimate& e, int u, double reward) {
    if (shown_ == nullptr) return;
    look(e);
    shown_(state_.get(), &view_, u, reward);
  }
  void finish(const Estimate& e, int v) {
    if (finish_ == nullptr) return;
    look(e);
    finish_(state_.get(), &view_, v);
  }
  /// The estimate is about to go.
  void part(Estimate& e) {
    if (definition_->part != nullptr) definition_->part(state_.get(), e);
  }

 private:
  void attach(const Estimate& e);
  void look(const Estimate& e) {
    view_.t = e.draws();
    view_.best = e.best();
  }
  /// An exception with what the rule says about it.
  [[noreturn]] void refuse(std::int32_t v) const;

  std::shared_ptr<const ExternalDefinition> definition_;
  int32_t (*choose_)(void*, const tasfg_estimate*);
  void (*shown_)(void*, const tasfg_estimate*, std::int32_t, double);
  void (*finish_)(void*, const tasfg_estimate*, std::int32_t);
  std::unique_ptr<void, void (*)(void*)> state_;
  std::atomic<std::int64_t>* steps_;
  /// What the rule sees. Its functions know its address alone.
  struct View : tasfg_estimate {
    const RewardFamily* reward = nullptr;
  };
  View view_{};
};

}  // namespace tasfg
