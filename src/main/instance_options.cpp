#include "instance_options.hpp"

#include <fmt/format.h>

#include "tasfg/base/named_rows.hpp"
#include "tasfg/io/graph_file.hpp"
#include "tasfg/model/graph_csv.hpp"
#include "tasfg/model/graph_source.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {

void InstanceOptions::add_to(Command& app) {
  app.add_option("-g,--graph", graph_, "graph family (see `tasfg list`)")->group("Instance");
  app.add_option(
         "--graph-file", graph_file_,
         fmt::format("graph read from a file: {}; as CSV, .npy, .mtx or HDF5 FILE[:DATASET]; or CSV of edges "
                     "from,to,probability",
                     kMatrixOrientation))
      ->group("Instance");
  app.add_option("-P,--parameter", parameters_, "a parameter of the family, as name=value; repeatable")
      ->group("Instance")
      ->allow_extra_args(false);
  app.add_option("--means", means_, "mean rewards, comma-separated (default: the family's own)")
      ->group("Instance");
  app.add_option("--means-file", means_file_, "mean rewards read from a file: K numbers as text, or .npy")
      ->group("Instance");
  app.add_option("--reward", reward_,
                 fmt::format("reward family: {}", fmt::join(names_of(reward_families()), ", ")))
      ->group("Instance")
      ->capture_default_str();
  for (const RewardParameter& parameter : reward_parameters())
    app.add_option(fmt::format("--{}", parameter.name), reward_parameters_[std::string(parameter.name)],
                   fmt::format("{} (default: {})", parameter.summary, parameter.fallback))
        ->group("Instance");
  app.hint([](const std::string& argument) -> std::string {
    if (find_row(graph_families(), argument) != nullptr)
      return fmt::format("did you mean --graph {}?", argument);
    const std::string name = argument.substr(std::min(argument.find_first_not_of('-'), argument.size()));
    for (const GraphFamily& family : graph_families())
      if (find_row(family.parameters, name) != nullptr)
        return fmt::format("a parameter of the graph is given as -P {}=VALUE", name);
    return "";
  });
}

std::string InstanceOptions::family_name() const {
  if (!graph_.empty() && !graph_file_.empty())
    throw InputError("--graph and --graph-file", bad_state("both name a graph", "give one"));
  if (!graph_file_.empty()) return "file";
  if (graph_.empty())
    throw InputError("no graph: give --graph FAMILY (see `tasfg list`) or --graph-file FILE");
  return graph_;
}

std::map<std::string, std::string> InstanceOptions::texts(const GraphFamily& family,
                                                          const std::string& parity) const {
  std::map<std::string, std::string> given;
  if (!graph_file_.empty()) given.emplace("path", graph_file_);
  for (const ParameterSpec& spec : family.parameters)
    if (spec.name == "parity") given.emplace("parity", parity);
  for (const std::string& text : parameters_) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("-P", bad_state(in_quotes(text), "must be name=value"));
    given.insert_or_assign(text.substr(0, equals), text.substr(equals + 1));
  }
  return given;
}

Parameters InstanceOptions::parameters(const GraphFamily& family, const std::string& parity) const {
  Parameters given;
  for (const auto& [name, text] : texts(family, parity))
    given.emplace(name, parse_parameter(family, name, text, "-P"));
  return given;
}

CurveRequest InstanceOptions::curve_request(const std::string& parity) const {
  CurveRequest request;
  request.family = family_name();
  request.parameters = texts(graph_family(request.family, "--graph"), parity);
  if (!means_.empty()) request.means = parse_numbers(means_, "--means");
  request.reward = reward();
  request.files = &read_graph_file;
  return request;
}

Instance InstanceOptions::instance(const std::string& parity) const {
  const GraphFamily& family = graph_family(family_name(), "--graph");
  const Parameters given = parameters(family, parity);
  if (family.reads_file() && given.empty())
    throw InputError("--graph file", remark("names no file", "give --graph-file FILE instead"));
  GraphAndMeans made = graph_of(family, given, "-P", &read_graph_file);
  const std::string origin = !graph_file_.empty() ? graph_file_ : fmt::format("--graph {}", family.name);
  const RewardFamily rewards = reward();
  if (!means_.empty() && !means_file_.empty())
    throw InputError("--means and --means-file", bad_state("both list means", "give one"));
  if (!means_.empty()) return {std::move(made.graph), parse_numbers(means_, "--means"), rewards, origin};
  if (!means_file_.empty())
    return {std::move(made.graph), read_numbers_file(means_file_), rewards, origin + " and " + means_file_};
  expect_default_means_fit(made.means, rewards, origin, "give --means or --means-file");
  if (family.reads_file())
    say(fmt::format(
        "{}: no --means or --means-file; means rise from 0 to 1 in equal steps, vertex {} is best", origin,
        made.means.size() - 1));
  return {std::move(made.graph), std::move(made.means), rewards, origin};
}

RewardFamily InstanceOptions::reward() const {
  RewardFamily reward = reward_family(reward_, "--reward").defaults;
  for (const auto& each : reward_parameters_) {
    if (each.second.empty()) continue;
    placed("--" + each.first, [&] {
      set_parameter(reward, each.first, parse_number(each.second, "must be a positive number, as 0.5"));
    });
  }
  return reward;
}

std::string InstanceOptions::describe(const std::string& parity) const {
  const GraphFamily& family = graph_family(family_name(), "--graph");
  const Parameters complete = complete_parameters(family, parameters(family, parity), "-P");
  std::string text(family.name);
  for (const ParameterSpec& spec : family.parameters)
    text += fmt::format(", {}={}", spec.name, to_text(complete.find(spec.name)->second));
  return text;
}

std::vector<double> parse_numbers(const std::string& text, const std::string& origin) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string_view item = std::string_view(text).substr(begin, comma - begin);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    numbers.push_back(placed(fmt::format("{}: number {}", origin, numbers.size() + 1), [&] {
      return parse_number(item, "must be numbers separated by commas, as 0.1,0.5");
    }));
    begin = comma + 1;
  }
  return numbers;
}

}  // namespace tasfg
