#include "graph_block.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kMostMeans = 4096;   // the largest K of any family
constexpr std::string_view kVertex = "v";  // in an expression of means: the vertex, counted from 1

const GraphFamily& family_of(const Field& block) {
  const std::vector<std::string_view> known = names_of(graph_families());
  const std::optional<Field> field = block.find("family");
  if (!field)
    throw InputError(block.where(),
                     bad_state("has no family", fmt::format("must be one of {}", fmt::join(known, ", "))));
  return graph_families()[field->one_of(known)];
}

}  // namespace

std::string beside_job(const std::string& path, const std::string& job_file) {
  const std::filesystem::path beside = std::filesystem::path(job_file).parent_path() / path;
  std::string whole = beside.string();
  std::error_code error;
  if (std::filesystem::exists(beside, error)) return whole;
  const auto colon = whole.rfind(':');
  if (colon != std::string::npos && std::filesystem::exists(whole.substr(0, colon), error)) return whole;
  return path;
}

namespace {

/// `key` of the block, else of the job.
std::optional<Field> nearest(std::string_view key, const Field& job, const Field& block) {
  const std::optional<Field> own = block.find(key);
  return own ? own : job.find(key);
}

Complaint too_many_expressions(const Budget& budget) {
  return bad_state(fmt::format("brings the job to more than {} expressions", budget.most_expressions),
                   "the most that a job may have");
}

}  // namespace

GraphBlock::GraphBlock(const Field& job, const Field& block, std::size_t index, const std::string& parity,
                       Budget& budget)
    : index_(index), file_(job.origin()) {
  if (!block.is_table()) block.fail("must be a [[graph]] block");
  family_ = &family_of(block);
  std::vector<std::string_view> known = {"family", "reward", "means", "where"};
  for (const RewardParameter& parameter : reward_parameters()) known.push_back(parameter.name);
  for (const ParameterSpec& spec : family_->parameters) known.push_back(spec.name);
  block.check_keys(known);
  read_rewards(job, block);
  check_budget(budget);
  read_axes(block, parity, budget);
  budget.cases += count(budget.most_cases);
  order_axes();
  read_conditions(block, budget);
  if (const std::optional<Field> means = nearest("means", job, block)) read_means(*means, budget);
}

void GraphBlock::read_axes(const Field& block, const std::string& parity, Budget& budget) {
  for (const ParameterSpec& spec : family_->parameters) {
    Axis axis;
    axis.spec = &spec;
    const std::optional<Field> field = block.find(spec.name);
    if (field) {
      axis.where = field->where();
      read_choices(axis, *field, budget);
    } else if (spec.kind == ParameterKind::path) {
      throw InputError(block.where(), bad_state(fmt::format("has no {}", spec.name),
                                                fmt::format("family {} needs it", family_->name)));
    } else if (spec.kind == ParameterKind::word) {
      axis.choices.emplace_back(spec.name == "parity" ? parity : std::string(spec.words.front()));
    } else if (spec.computed == nullptr) {
      axis.choices.emplace_back(spec.fallback);
    }
    axes_.push_back(std::move(axis));
    check_budget(budget);
  }
}

void GraphBlock::read_conditions(const Field& block, Budget& budget) {
  const std::optional<Field> field = block.find("where");
  if (!field) return;
  for (const Field& item : field->items()) {
    if (++budget.expressions > budget.most_expressions)
      throw InputError(item.where(), too_many_expressions(budget));
    conditions_.emplace_back(item.text("must be text, as \"p + q <= 1\""), item.where());
    expect_known(conditions_.back().names(), {}, "a condition", item.where());
  }
}

void GraphBlock::read_means(const Field& means, Budget& budget) {
  if (means.is_text()) {
    if (++budget.expressions > budget.most_expressions)
      throw InputError(means.where(), too_many_expressions(budget));
    mean_of_.emplace(means.text(), means.where());
    expect_known(mean_of_->names(), {kVertex, "K"}, "an expression", means.where());
    return;
  }
  if (!means.is_list() && !means.is_table())
    means.fail("must be a list of numbers, one per vertex, or an expression of the vertex, as \"v/K\"");
  means_ = means.numbers();
  if (means_.size() > kMostMeans) throw InputError(means.where(), too_many_values(means_.size(), kMostMeans));
}

std::optional<std::vector<double>> GraphBlock::means(const Parameters& parameters, int K) const {
  if (!mean_of_) return means_.empty() ? std::nullopt : std::optional(means_);
  std::map<std::string, double, std::less<>> numbers;
  for (const auto& [name, value] : parameters)
    if (const double* number = std::get_if<double>(&value)) numbers.emplace(name, *number);
  numbers["K"] = K;
  std::vector<double> means;
  for (int v = 1; v <= K; ++v) {
    numbers[std::string(kVertex)] = v;
    means.push_back((*mean_of_)(numbers) + 0.0);  // −0 is 0
  }
  return means;
}

/// Names of an expression are those of numeric parameters, or of `more`.
void GraphBlock::expect_known(const std::vector<std::string>& names, std::vector<std::string_view> more,
                              std::string_view in, const std::string& where) const {
  const auto known = [&](std::string_view name) {
    return std::find(more.begin(), more.end(), name) != more.end();
  };
  for (const Axis& axis : axes_)
    if (is_numeric(*axis.spec) && !known(axis.spec->name)) more.push_back(axis.spec->name);
  for (const std::string& name : names)
    if (!known(name))
      throw InputError(where, remark(fmt::format("unknown name {} in {}", in_quotes(name), in),
                                     fmt::format("known: {}", fmt::join(more, ", "))));
}

void GraphBlock::read_choices(Axis& axis, const Field& field, Budget& budget) const {
  if (!is_numeric(*axis.spec)) {
    for (const Field& item : field.items()) {
      std::string text = item.text("must be text");
      if (axis.spec->kind == ParameterKind::path && !is_printable(text)) item.fail("must be a file's name");
      placed(item.where(), [&] { check_parameter(*axis.spec, text); });
      axis.choices.emplace_back(std::move(text));
    }
  } else if (field.is_table()) {
    for (const double value : field.range()) {
      placed(field.where(), [&] { check_parameter(*axis.spec, value); });
      axis.choices.emplace_back(value);
    }
  } else {
    for (const Field& item : field.items()) {
      if (item.is_text()) {
        if (++budget.expressions > budget.most_expressions)
          throw InputError(item.where(), too_many_expressions(budget));
        Expression expression(item.text(), item.where());
        for (const std::string& name : expression.names())
          if (std::find(axis.uses.begin(), axis.uses.end(), name) == axis.uses.end())
            axis.uses.push_back(name);
        axis.choices.emplace_back(std::move(expression));
      } else {
        const double value =
            item.number(field.is_list() ? "must be a number or an expression"
                                        : "must be a number, a list, a range or an expression");
        placed(field.where(), [&] { check_parameter(*axis.spec, value); });
        axis.choices.emplace_back(value);
      }
    }
  }
  if (axis.choices.empty())
    throw InputError(field.where(), bad_state("is empty", "must hold at least one value"));
}

const Axis* GraphBlock::axis_named(std::string_view name) const {
  for (const Axis& axis : axes_)
    if (axis.spec->name == name && is_numeric(*axis.spec)) return &axis;
  return nullptr;
}

/// Depth first: a parameter is evaluated after those that it uses; one met again on the way down is a cycle.
void GraphBlock::order_axes() {
  enum class Mark { fresh, open, done };
  std::vector<Mark> marks(axes_.size(), Mark::fresh);
  std::vector<std::string_view> trail;
  const std::function<void(std::size_t)> place = [&](std::size_t i) {
    const Axis& axis = axes_[i];
    if (marks[i] == Mark::done) return;
    trail.push_back(axis.spec->name);
    if (marks[i] == Mark::open) {
      const auto start = std::find(trail.begin(), trail.end(), axis.spec->name);
      throw InputError(axis.where, bad_state("depends on itself",
                                             fmt::format("{}", fmt::join(start, trail.end(), " -> "))));
    }
    marks[i] = Mark::open;
    for (const std::string& name : axis.uses) {
      const Axis* used = axis_named(name);
      if (used == nullptr) {
        std::vector<std::string_view> known;
        for (const Axis& other : axes_)
          if (is_numeric(*other.spec) && &other != &axis) known.push_back(other.spec->name);
        throw InputError(axis.where, remark(fmt::format("unknown name {} in an expression", in_quotes(name)),
                                            fmt::format("known: {}", fmt::join(known, ", "))));
      }
      if (used->choices.empty())
        throw InputError(
            axis.where,
            bad_state(fmt::format("uses {}, whose default is computed from other parameters", name),
                      fmt::format("give {} a value", name)));
      place(static_cast<std::size_t>(used - axes_.data()));
    }
    marks[i] = Mark::done;
    trail.pop_back();
    const bool computes = std::any_of(axis.choices.begin(), axis.choices.end(), [](const Choice& choice) {
      return std::holds_alternative<Expression>(choice);
    });
    if (computes) evaluation_.push_back(i);
  };
  for (std::size_t i = 0; i < axes_.size(); ++i) place(i);
}

void GraphBlock::read_rewards(const Field& job, const Field& block) {
  const std::vector<std::string_view> known = names_of(reward_families());
  std::vector<const RewardFamilyRow*> rows;
  if (const std::optional<Field> reward = nearest("reward", job, block)) {
    for (const Field& item : reward->items()) rows.push_back(&reward_families()[item.one_of(known)]);
    if (rows.empty()) throw InputError(reward->where(), bad_state("is empty", "must hold at least one name"));
  } else {
    rows.push_back(&reward_families().front());
  }
  for (const RewardFamilyRow* row : rows)
    for (const RewardFamily& reward : read_reward(*row, job, block)) rewards_.push_back(reward);
  for (const RewardParameter& parameter : reward_parameters()) {
    const bool used = std::any_of(rows.begin(), rows.end(), [&](const RewardFamilyRow* row) {
      return find_row(row->parameters, parameter.name) != nullptr;
    });
    if (const std::optional<Field> own = block.find(parameter.name); own && !used)
      own->fail(fmt::format("{} rewards have no free {}", rows.front()->name, parameter.name));
  }
}

std::vector<RewardFamily> GraphBlock::read_reward(const RewardFamilyRow& row, const Field& job,
                                                  const Field& block) {
  std::vector<RewardFamily> members = {row.defaults};
  for (const RewardParameter& parameter : row.parameters) {
    const std::optional<Field> field = nearest(parameter.name, job, block);
    if (!field) continue;
    if (!block.find(parameter.name)) from_job_.push_back(parameter.name);
    const std::vector<double> values = field->numbers();
    std::vector<RewardFamily> multiplied;
    for (const RewardFamily& member : members) {
      for (const double value : values) {
        multiplied.push_back(member);
        placed(field->where(), [&] { set_parameter(multiplied.back(), parameter.name, value); });
      }
    }
    members = std::move(multiplied);
  }
  return members;
}

bool GraphBlock::uses_from_job(std::string_view parameter) const {
  return std::find(from_job_.begin(), from_job_.end(), parameter) != from_job_.end();
}

std::size_t GraphBlock::count(std::size_t limit) const {
  std::size_t product = rewards_.size();
  for (const Axis& axis : axes_) {
    const std::size_t size = std::max<std::size_t>(axis.choices.size(), 1);
    if (product > limit / size) return limit + 1;
    product *= size;
  }
  return product;
}

void GraphBlock::check_budget(const Budget& budget) const {
  if (count(budget.most_cases) > budget.most_cases - budget.cases)
    throw InputError(within(file_, fmt::format("graph[{}]", index_)),
                     bad_state(fmt::format("brings the job to more than {} cases", budget.most_cases),
                               "the most that a job may have"));
}

std::size_t GraphBlock::for_each(const Visit& visit) const {
  std::size_t left_out = 0;
  std::vector<std::size_t> at(axes_.size(), 0);
  for (;;) {
    if (const std::optional<Parameters> complete = parameters_at(at)) {
      Parameters parameters = *complete;
      std::string label(family_->name);
      for (const Axis& axis : axes_) {
        ParameterValue& value = parameters.find(axis.spec->name)->second;
        label += fmt::format(" {}={}", axis.spec->name, to_text(value));
        if (axis.spec->kind == ParameterKind::path) value = beside_job(std::get<std::string>(value), file_);
      }
      for (const RewardFamily& reward : rewards_) visit(parameters, label + reward_label(reward), reward);
    } else {
      left_out += rewards_.size();
    }
    // The next combination: the last parameter runs fastest.
    std::size_t i = axes_.size();
    while (i > 0 && at[i - 1] + 1 >= axes_[i - 1].choices.size()) at[--i] = 0;
    if (i == 0) return left_out;
    ++at[i - 1];
  }
}

std::optional<Parameters> GraphBlock::parameters_at(const std::vector<std::size_t>& at) const {
  Parameters given;
  std::map<std::string, double, std::less<>> numbers;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].choices.empty()) continue;
    const Choice& choice = axes_[i].choices[at[i]];
    if (const double* number = std::get_if<double>(&choice)) {
      given.emplace(axes_[i].spec->name, *number);
      numbers.emplace(axes_[i].spec->name, *number);
    } else if (const auto* text = std::get_if<std::string>(&choice)) {
      given.emplace(axes_[i].spec->name, *text);
    }
  }
  for (const std::size_t i : evaluation_) {
    const auto* expression = std::get_if<Expression>(&axes_[i].choices[at[i]]);
    if (expression == nullptr) continue;
    const double value = (*expression)(numbers) + 0.0;  // −0 is 0
    given.emplace(axes_[i].spec->name, value);
    numbers.emplace(axes_[i].spec->name, value);
  }
  if (!conditions_.empty()) {
    for (const Axis& axis : axes_)
      if (axis.choices.empty() && axis.spec->computed != nullptr)
        numbers.emplace(axis.spec->name, axis.spec->computed(given));
    if (!std::all_of(conditions_.begin(), conditions_.end(),
                     [&](const Condition& condition) { return condition(numbers); }))
      return {};
  }
  // What an expression gives is checked where the point is kept.
  for (const std::size_t i : evaluation_) {
    const auto* expression = std::get_if<Expression>(&axes_[i].choices[at[i]]);
    if (expression == nullptr) continue;
    std::string where = fmt::format("{} = \"{}\"", expression->where(), quotable(expression->text()));
    for (const std::string& name : expression->names())
      where += fmt::format("{}{}={}", name == expression->names().front() ? " at " : " ", name,
                           to_text(numbers.find(name)->second));
    placed(within(where, axes_[i].spec->name),
           [&] { check_parameter(*axes_[i].spec, given.find(axes_[i].spec->name)->second); });
  }
  return complete_parameters(*family_, given, axes_.front().where);
}

std::string reward_label(const RewardFamily& reward) {
  const RewardFamilyRow& row = row_of(reward);
  std::string label = &row == &reward_families().front() ? std::string() : fmt::format(" {}", row.name);
  for (const RewardParameter& parameter : row.parameters)
    if (parameter.get(reward) != parameter.fallback)
      label += fmt::format(" {}={}", parameter.name, to_text(parameter.get(reward)));
  return label;
}

}  // namespace tasfg
