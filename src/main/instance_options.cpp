#include "instance_options.hpp"

#include <fmt/format.h>

#include "tasfg/base/named_rows.hpp"
#include "tasfg/io/graph_file.hpp"
#include "tasfg/job/graph_source.hpp"

namespace tasfg {

void InstanceOptions::add_to(Command& app) {
  app.add_option("-g,--graph", graph_, "graph family (see `tasfg list`)")->group("Instance");
  app.add_option("--graph-file", graph_file_,
                 "graph read from a file: K rows of K probabilities, or HDF5 FILE[:DATASET]")
      ->group("Instance");
  app.add_option("-P,--parameter", parameters_, "a parameter of the family, as name=value; repeatable")
      ->group("Instance")
      ->allow_extra_args(false);
  app.add_option("--means", means_, "mean rewards, comma-separated (default: the family's own)")
      ->group("Instance");
  app.add_option("--reward", reward_,
                 fmt::format("reward family: {}", fmt::join(names_of(reward_families()), ", ")))
      ->group("Instance")
      ->capture_default_str();
  for (const RewardParameter& parameter : reward_parameters())
    app.add_option(fmt::format("--{}", parameter.name), reward_parameters_[std::string(parameter.name)],
                   fmt::format("{} (default: {})", parameter.summary, parameter.fallback))
        ->group("Instance");
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
  GraphAndMeans made = graph_of(family, parameters(family, parity), "-P", &read_graph_file);
  std::vector<double> means = means_.empty() ? std::move(made.means) : parse_numbers(means_, "--means");
  const std::string origin = !graph_file_.empty() ? graph_file_ : fmt::format("--graph {}", family.name);
  return {std::move(made.graph), std::move(means), reward(), origin};
}

RewardFamily InstanceOptions::reward() const {
  RewardFamily reward = reward_family(reward_, "--reward").defaults;
  for (const auto& each : reward_parameters_) {
    if (each.second.empty()) continue;
    placed("--" + each.first, [&] { set_parameter(reward, each.first, parse_number(each.second)); });
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
    numbers.push_back(parse_number(item, fmt::format("{}: number {}", origin, numbers.size() + 1)));
    begin = comma + 1;
  }
  return numbers;
}

}  // namespace tasfg
