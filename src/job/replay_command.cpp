// How a person runs one task of a grid again.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tasfg/algo/rules/external.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/job/grid.hpp"

namespace tasfg {
namespace {

/// An argument as a shell takes it.
std::string shell_quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string joined(const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + to_text(values[i]);
  return text;
}

/// The parts between blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Whether the case has its family's own means; false where the graph cannot be built any more.
bool has_own_means(const Case& entry, const GraphSource& files) {
  try {
    return graph_of(graph_family(entry.graph, "graph"), entry.parameters, "graph", files).means ==
           entry.means;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string Grid::replay_command(CaseId id, AlgorithmId algorithm, std::int64_t seed) const {
  const Case& entry = at(id);
  const JobAlgorithm& chosen = at(algorithm);
  const bool weighted = options.measure == Measure::error;
  std::vector<std::string> words = {"tasfg", weighted ? "error" : "simulate"};
  const auto option = [&words](std::string flag, std::string value) {
    words.push_back(std::move(flag));
    words.push_back(std::move(value));
  };
  const GraphFamily& family = graph_family(entry.graph, origin);
  option("--graph", entry.graph);
  for (const ParameterSpec& spec : family.parameters)
    option("-P", fmt::format("{}={}", spec.name, to_text(entry.parameters.find(spec.name)->second)));
  if (!has_own_means(entry, files))
    words.push_back("--means=" + joined(entry.means));  // may begin with a minus
  const RewardFamilyRow& row = row_of(entry.reward);
  option("--reward", std::string(row.name));
  for (const RewardParameter& parameter : row.parameters)
    option(fmt::format("--{}", parameter.name), to_text(parameter.get(entry.reward)));
  if (chosen.algorithm.external != nullptr) option("--rule", chosen.algorithm.external->path);
  option("--algorithm", chosen.algorithm.name);
  for (const std::string& word : words_of(chosen.options))
    option("-A", fmt::format("{}.{}", chosen.algorithm.name, word));
  // Of weighted runs, all up to this one.
  if (weighted)
    option("--runs", fmt::format("{}", seed + 1));
  else
    option("--seeds", fmt::format("{}", seed));
  option("--log-inv-delta", joined(log_inv_delta));
  option("--setting", kSettingNames[options.setting]);
  option("--conventions", conventions);
  const std::vector<std::string> points = words_of(points_text(options.conventions));
  const std::vector<std::string> preset = words_of(points_text(conventions_named(conventions, origin)));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i] != preset[i]) option("--set", points[i]);
  option("--threshold", std::string(row_of(options.threshold).name));
  option("--stream", kStreamNames[options.stream]);
  option("--master-seed", fmt::format("{}", options.master_seed));
  option("--max-steps", fmt::format("{}", options.max_steps));
  words.emplace_back("--csv");
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + shell_quoted(word);
  return command;
}

}  // namespace tasfg
