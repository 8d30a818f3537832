/// Long work that Ctrl-C ends.
#pragma once

#include <atomic>
#include <chrono>
#include <future>

#include <nanobind/nanobind.h>

namespace tasfg::python {

/// How often the calling thread looks for Ctrl-C and reports progress.
inline constexpr std::chrono::milliseconds kGlance{50};

/// What `work(cancel)` returns. It is done in a thread of its own and without the interpreter's lock, which
/// the caller holds; on Ctrl-C `cancel` becomes true, and once the work has ended KeyboardInterrupt is
/// thrown.
template <typename Work>
auto interruptible(Work work) {
  std::atomic<bool> cancel{false};
  auto result = std::async(std::launch::async, [&] { return work(cancel); });
  const auto ended = [&] {
    const nanobind::gil_scoped_release released;
    return result.wait_for(kGlance) == std::future_status::ready;
  };
  while (!ended()) {
    if (PyErr_CheckSignals() == 0) continue;
    cancel = true;
    while (!ended()) {
    }
    throw nanobind::python_error();
  }
  return result.get();
}

}  // namespace tasfg::python
