/// The options that say what is simulated and how, shared by `tasfg simulate` and `tasfg error`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instance_options.hpp"

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

class RunOptions {
 public:
  void add_to(Command& app);

  // What was given; an InputError says what is wrong with it.
  [[nodiscard]] Instance instance() const { return instance_.instance(conventions_); }
  [[nodiscard]] std::string describe() const { return instance_.describe(conventions_); }
  [[nodiscard]] SimulationOptions simulation() const;
  [[nodiscard]] std::vector<Algorithm> algorithms() const;
  [[nodiscard]] std::vector<double> log_inv_delta() const;
  /// Worker threads; all cores where none were given.
  [[nodiscard]] std::size_t threads() const;

 private:
  InstanceOptions instance_;
  std::string algorithms_ = "tas-fg";
  std::string log_inv_delta_, delta_;
  std::string setting_ = "informed", conventions_ = "paper", stream_ = "philox", threshold_ = "practical";
  std::vector<std::string> points_, algorithm_options_, rules_;
  double max_steps_ = 1e9;
  bool no_skip_ = false;
  double master_seed_ = 0;
  int threads_ = 0;
};

/// What stands between commas.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);

}  // namespace tasfg
