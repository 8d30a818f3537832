#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/job/job.hpp"
#include "tasfg/sim/environment.hpp"

namespace tasfg {
namespace {

class Digest {
 public:
  void add(std::uint64_t word) { key_ = stream_key(key_.value, word); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  [[nodiscard]] std::uint64_t value() const { return key_.value; }

 private:
  StreamKey key_;
};

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

std::string_view threshold_name(ThresholdKind kind) {
  for (const ThresholdRow& row : threshold_rows())
    if (row.kind == kind) return row.name;
  return {};
}

/// Whether the case has its family's own means; false where the graph cannot be built any more.
bool has_own_means(const Case& entry, const GraphReader& reader) {
  try {
    return make_graph(graph_family(entry.graph, "graph"), entry.parameters, "graph", reader).means ==
           entry.means;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

Instance Grid::instance(std::size_t case_index) const {
  const Case& entry = cases.at(case_index);
  const std::string place = fmt::format("{}: case {} ({})", origin, case_index, entry.label);
  GraphAndMeans made = make_graph(graph_family(entry.graph, place), entry.parameters, place, reader);
  Instance instance(std::move(made.graph), entry.means, entry.reward, place);
  // Only a graph file can have changed since the job was read.
  if (entry.graph == "file" && content_key(instance) != entry.key)
    throw InputError(fmt::format("{}: the graph file has changed since the job was read", place));
  return instance;
}

std::uint64_t Grid::digest() const {
  Digest digest;
  digest.add(std::string_view("tasfg job 1"));
  digest.add(static_cast<std::uint64_t>(options.setting));
  digest.add(std::string_view(points_text(options.conventions)));
  digest.add(static_cast<std::uint64_t>(options.threshold));
  digest.add(static_cast<std::uint64_t>(options.stream));
  digest.add(options.master_seed);
  digest.add(static_cast<std::uint64_t>(options.max_steps));
  digest.add(static_cast<std::uint64_t>(replications));
  digest.add(static_cast<std::uint64_t>(log_inv_delta.size()));
  for (const double value : log_inv_delta) digest.add(value);
  digest.add(static_cast<std::uint64_t>(algorithms.size()));
  for (const JobAlgorithm& entry : algorithms) {
    digest.add(std::string_view(entry.algorithm.name));
    digest.add(std::string_view(entry.options));
  }
  digest.add(static_cast<std::uint64_t>(cases.size()));
  for (const Case& entry : cases) {
    digest.add(std::string_view(entry.label));
    digest.add(entry.key.value);
  }
  for (const std::int64_t each : options.checkpoints) digest.add(static_cast<std::uint64_t>(each));
  if (options.pulls_by_delta) digest.add(std::string_view("pulls_by_delta"));
  return digest.value();
}

std::string Grid::replay_command(std::size_t case_index, std::size_t algorithm, std::int64_t seed) const {
  const Case& entry = cases.at(case_index);
  const JobAlgorithm& chosen = algorithms.at(algorithm);
  std::vector<std::string> words = {"tasfg", "simulate"};
  const auto option = [&words](std::string flag, std::string value) {
    words.push_back(std::move(flag));
    words.push_back(std::move(value));
  };
  const GraphFamily& family = graph_family(entry.graph, origin);
  option("--graph", entry.graph);
  for (const ParameterSpec& spec : family.parameters) {
    const ParameterValue& value = entry.parameters.find(spec.name)->second;
    const double* number = std::get_if<double>(&value);
    option("-P", fmt::format("{}={}", spec.name,
                             number != nullptr ? to_text(*number) : std::get<std::string>(value)));
  }
  if (!has_own_means(entry, reader))
    words.push_back("--means=" + joined(entry.means));  // may begin with a minus
  const RewardFamilyRow& row = row_of(entry.reward);
  option("--reward", std::string(row.name));
  if (const auto* gaussian = std::get_if<Gaussian>(&entry.reward))
    option("--variance", to_text(gaussian->variance));
  option("--algorithm", chosen.algorithm.name);
  for (const std::string& word : words_of(chosen.options))
    option("-A", fmt::format("{}.{}", chosen.algorithm.name, word));
  option("--seeds", fmt::format("{}", seed));
  option("--log-inv-delta", joined(log_inv_delta));
  option("--setting", std::string(kSettingNames[static_cast<std::size_t>(options.setting)]));
  option("--conventions", conventions);
  const std::vector<std::string> points = words_of(points_text(options.conventions));
  const std::vector<std::string> preset = words_of(points_text(conventions_named(conventions, origin)));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i] != preset[i]) option("--set", points[i]);
  option("--threshold", std::string(threshold_name(options.threshold)));
  option("--stream", std::string(kStreamNames[static_cast<std::size_t>(options.stream)]));
  option("--master-seed", fmt::format("{}", options.master_seed));
  option("--max-steps", fmt::format("{}", options.max_steps));
  words.emplace_back("--csv");
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + shell_quoted(word);
  return command;
}

}  // namespace tasfg
