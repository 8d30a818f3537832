#include "graph_block.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kMostMeans = 4096;  // the largest K of any family

bool is_numeric(const ParameterSpec& spec) {
  return spec.kind == ParameterKind::integer || spec.kind == ParameterKind::number;
}

std::string_view family_of(const Field& block) {
  std::vector<std::string_view> known;
  for (const GraphFamily& family : graph_families()) known.push_back(family.name);
  const std::optional<Field> field = block.find("family");
  if (!field)
    throw InputError(
        fmt::format("{} has no family (must be one of {})", block.where(), fmt::join(known, ", ")));
  return known[field->one_of(known)];
}

/// Beside the job file if it is there, else as it stands, from the working directory. "graphs.h5:G" names a
/// dataset of the file graphs.h5.
std::string resolved_path(const std::string& path, const std::string& job_file) {
  const std::filesystem::path beside = std::filesystem::path(job_file).parent_path() / path;
  std::string whole = beside.string();
  std::error_code error;
  if (std::filesystem::exists(beside, error)) return whole;
  const auto colon = whole.rfind(':');
  if (colon != std::string::npos && std::filesystem::exists(whole.substr(0, colon), error)) return whole;
  return path;
}

std::string value_text(const ParameterValue& value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr ? to_text(*number) : std::get<std::string>(value);
}

}  // namespace

GraphBlock::GraphBlock(const Field& job, const Field& block, std::size_t index, const std::string& parity,
                       Budget& budget)
    : index_(index), file_(job.origin()) {
  if (!block.is_table()) block.fail("must be a [[graph]] block");
  family_ = &graph_family(family_of(block), block.origin());
  std::vector<std::string_view> known = {"family", "reward", "means", "variance"};
  for (const ParameterSpec& spec : family_->parameters) known.push_back(spec.name);
  block.check_keys(known);
  read_rewards(job, block);
  check_budget(budget);
  read_axes(block, parity, budget);
  budget.cases += count(budget.most_cases);
  order_axes();
  std::optional<Field> means = block.find("means");
  if (!means) means = job.find("means");
  if (!means) return;
  if (!means->is_list() && !means->is_table()) means->fail("must be a list of numbers, one per vertex");
  means_ = means->numbers();
  if (means_.size() > kMostMeans)
    throw InputError(
        fmt::format("{} holds {} values (must be at most {})", means->where(), means_.size(), kMostMeans));
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
      throw InputError(
          fmt::format("{} has no {} (family {} needs it)", block.where(), spec.name, family_->name));
    } else if (spec.kind == ParameterKind::word) {
      axis.choices.emplace_back(spec.name == "parity" ? parity : std::string(spec.words.front()));
    } else if (spec.computed == nullptr) {
      axis.choices.emplace_back(spec.fallback);
    }
    axes_.push_back(std::move(axis));
    check_budget(budget);
  }
}

void GraphBlock::read_choices(Axis& axis, const Field& field, Budget& budget) const {
  if (!is_numeric(*axis.spec)) {
    for (const Field& item : field.items()) {
      std::string text = item.text("must be text");
      if (axis.spec->kind == ParameterKind::path && !is_printable(text)) item.fail("must be a file's name");
      check_value(axis, text, item.where());
      axis.choices.emplace_back(std::move(text));
    }
  } else if (field.is_table()) {
    for (const double value : field.range()) {
      check_value(axis, value, field.where());
      axis.choices.emplace_back(value);
    }
  } else {
    for (const Field& item : field.items()) {
      if (item.is_text()) {
        if (++budget.expressions > budget.most_expressions)
          throw InputError(
              fmt::format("{} brings the job to more than {} expressions (the most that a job may have)",
                          item.where(), budget.most_expressions));
        Expression expression(item.text(), item.where());
        for (const std::string& name : expression.names())
          if (std::find(axis.uses.begin(), axis.uses.end(), name) == axis.uses.end())
            axis.uses.push_back(name);
        axis.choices.emplace_back(std::move(expression));
      } else {
        const double value =
            item.number(field.is_list() ? "must be a number or an expression"
                                        : "must be a number, a list, a range or an expression");
        check_value(axis, value, field.where());
        axis.choices.emplace_back(value);
      }
    }
  }
  if (axis.choices.empty())
    throw InputError(fmt::format("{} is empty (must hold at least one value)", field.where()));
}

void GraphBlock::check_value(const Axis& axis, const ParameterValue& value, const std::string& where) const {
  const ParameterSpec& spec = *axis.spec;
  if (const double* x = std::get_if<double>(&value)) {  // grids are large; the table's check words the error
    const bool whole = spec.kind == ParameterKind::number || *x == std::floor(*x);
    if (is_numeric(spec) && whole && *x >= spec.low && *x <= spec.high) return;
  }
  const std::string name(spec.name);
  reworded("?: " + name, where, [&] {
    return complete_parameters(*family_, Parameters{{name, value}}, "?").size();
  });
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
      throw InputError(
          fmt::format("{} depends on itself ({})", axis.where, fmt::join(start, trail.end(), " -> ")));
    }
    marks[i] = Mark::open;
    for (const std::string& name : axis.uses) {
      const Axis* used = axis_named(name);
      if (used == nullptr) {
        std::vector<std::string_view> known;
        for (const Axis& other : axes_)
          if (is_numeric(*other.spec) && &other != &axis) known.push_back(other.spec->name);
        throw InputError(fmt::format("{}: unknown name \"{}\" in an expression (known: {})", axis.where,
                                     quotable(name), fmt::join(known, ", ")));
      }
      if (used->choices.empty())
        throw InputError(
            fmt::format("{} uses {}, whose default is computed from other parameters (give {} a value)",
                        axis.where, name, name));
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
  std::optional<Field> reward = block.find("reward");
  if (!reward) reward = job.find("reward");
  std::vector<std::string_view> known;
  for (const RewardFamilyRow& row : reward_families()) known.push_back(row.name);
  std::vector<const RewardFamilyRow*> rows;
  if (reward) {
    for (const Field& item : reward->items()) rows.push_back(&reward_families()[item.one_of(known)]);
    if (rows.empty())
      throw InputError(fmt::format("{} is empty (must hold at least one name)", reward->where()));
  } else {
    rows.push_back(&reward_families().front());
  }
  std::optional<Field> variance = block.find("variance");
  const bool own_variance = variance.has_value();
  if (!variance) variance = job.find("variance");
  std::vector<double> variances = {1.0};
  if (variance) variances = variance->numbers();
  bool used = false;
  for (const RewardFamilyRow* row : rows) {
    if (!row->takes_variance) {
      rewards_.push_back(row->make(1.0));
      continue;
    }
    used = true;
    for (const double value : variances) {
      rewards_.push_back(reworded("?: variance", variance ? variance->where() : std::string(),
                                  [&] { return make_reward(row->name, value, "?"); }));
    }
  }
  if (own_variance && !used)
    variance->fail(fmt::format("{} rewards have no free variance", rows.front()->name));
  uses_job_variance_ = used && variance && !own_variance;
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
    throw InputError(
        fmt::format("{}: graph[{}] brings the job to more than {} cases (the most that a job may have)",
                    file_, index_, budget.most_cases));
}

void GraphBlock::for_each(const Visit& visit) const {
  std::vector<std::size_t> at(axes_.size(), 0);
  for (;;) {
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
      std::string where = fmt::format("{} = \"{}\"", expression->where(), quotable(expression->text()));
      for (const std::string& name : expression->names())
        where += fmt::format("{}{}={}", name == expression->names().front() ? " at " : " ", name,
                             to_text(numbers.find(name)->second));
      check_value(axes_[i], value, fmt::format("{}: {}", where, axes_[i].spec->name));
      given.emplace(axes_[i].spec->name, value);
      numbers.emplace(axes_[i].spec->name, value);
    }
    Parameters complete = complete_parameters(*family_, given, axes_.front().where);
    std::string label(family_->name);
    for (const Axis& axis : axes_) {
      ParameterValue& value = complete.find(axis.spec->name)->second;
      label += fmt::format(" {}={}", axis.spec->name, value_text(value));
      if (axis.spec->kind == ParameterKind::path) value = resolved_path(std::get<std::string>(value), file_);
    }
    for (const RewardFamily& reward : rewards_) visit(complete, label + reward_label(reward), reward);
    // The next combination: the last parameter runs fastest.
    std::size_t i = axes_.size();
    while (i > 0 && at[i - 1] + 1 >= axes_[i - 1].choices.size()) at[--i] = 0;
    if (i == 0) return;
    ++at[i - 1];
  }
}

std::string reward_label(const RewardFamily& reward) {
  if (const auto* gaussian = std::get_if<Gaussian>(&reward))
    return gaussian->variance == 1.0 ? std::string()
                                     : fmt::format(" variance={}", to_text(gaussian->variance));
  return fmt::format(" {}", row_of(reward).name);
}

}  // namespace tasfg
