#include "tasfg/sweep/background.hpp"

#include <chrono>

namespace tasfg {

void Background::poll(double now) {
  if (under_way_.valid()) {
    if (under_way_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    under_way_.get();
  }
  if (now - last_ <= interval_) return;
  last_ = now;
  under_way_ = std::async(std::launch::async, action_);
}

void Background::finish() {
  if (under_way_.valid()) under_way_.get();
}

}  // namespace tasfg
