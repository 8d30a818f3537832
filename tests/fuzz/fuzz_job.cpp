// libFuzzer target over the job reader. Lines that start with "--set " are overrides, the rest is the job
// file. An InputError of one line is the right answer to a bad job; any other exception, a crash, a job that
// takes seconds to refuse, or a grid that breaks its own promises is a bug.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "job/job_limits.hpp"

#include "tasfg/base/error.hpp"

namespace {

tasfg::FeedbackGraph no_files(const std::string& path) {
  throw tasfg::InputError(path + ": no such file");
}

void check(const tasfg::Grid& grid) {
  if (grid.cases.empty() || grid.delta.size() != grid.log_inv_delta.size()) std::abort();
  std::set<std::string_view> labels;
  for (std::size_t i = 0; i < grid.cases.size(); ++i) {
    const tasfg::Case& entry = grid.cases[i];
    if (!labels.insert(entry.label).second) std::abort();
    if (grid.instance(i).size() != entry.K || entry.K > grid.largest_K) std::abort();
    for (std::size_t a = 0; a < grid.algorithms.size(); ++a)
      if (grid.replay_command(i, a, 0).find('\n') != std::string::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kSet = "--set ";
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::string text;
  std::vector<std::string> overrides;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (line.starts_with(kSet))
      overrides.emplace_back(line.substr(kSet.size()));
    else
      text += std::string(line) + "\n";
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  // Small limits: valid but large jobs are not what is looked for.
  tasfg::JobLimits limits;
  limits.cases = 100;
  limits.entries = 10'000;
  try {
    const tasfg::Grid grid = tasfg::expand_job_within(limits, text, "fuzz.toml", overrides, &no_files);
    check(grid);
    const tasfg::Grid again = tasfg::expand_job_within(limits, text, "fuzz.toml", overrides, &no_files);
    if (again.digest() != grid.digest()) std::abort();
  } catch (const tasfg::InputError& error) {
    const std::string_view message = error.what();
    for (const char c : message)
      if (static_cast<unsigned char>(c) < 0x20) std::abort();  // one line
    if (message.find("fuzz.toml") == std::string_view::npos &&
        message.find("--set ") == std::string_view::npos)
      std::abort();  // says where
  }
  return 0;
}
