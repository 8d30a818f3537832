#include "tasfg/solve/curve_request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include "affine_check.hpp"
#include "base/expression.hpp"
#include <fmt/format.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kMostKinks = 200;
constexpr std::size_t kMostWhole = 10'000;
/// How far outside its range an expression may come out by rounding.
constexpr double kRoundingOfRange = 1e-12;

using Numbers = std::map<std::string, double, std::less<>>;

/// The vertex of "means[2]"; nothing for any other name.
std::optional<int> mean_named(const std::string& name) {
  constexpr std::string_view kOpen = "means[";
  if (!name.starts_with(kOpen) || !name.ends_with(']')) return {};
  int vertex = -1;
  const char* end = name.data() + name.size() - 1;
  const auto [stop, error] = std::from_chars(name.data() + kOpen.size(), end, vertex);
  if (error != std::errc{} || stop != end || vertex < 0) return {};
  return vertex;
}

/// The family's parameters as numbers, words, axes and expressions of each other.
class ParameterTable {
 public:
  ParameterTable(const CurveRequest& request, const GraphFamily& family, const std::vector<CurveAxis>& axes)
      : family_(family) {
    for (const auto& [name, text] : request.parameters) read(name, text);
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (mean_named(axes[k].name)) continue;
      if (words_.contains(axes[k].name) || numbers_.contains(axes[k].name) || is_expression(axes[k].name))
        throw InputError("--over", bad_state(fmt::format("and -P both give {}", axes[k].name), "give one"));
      axes_.emplace_back(axes[k].name, k);
    }
    for (const ParameterSpec& spec : family.parameters)
      if (is_numeric(spec) && spec.computed == nullptr && !is_given(spec.name))
        numbers_.emplace(spec.name, spec.fallback);
    order();
  }

  /// Complete and checked, at values of the axes. From several threads.
  [[nodiscard]] Parameters at(const ParameterPoint& point) const {
    Numbers numbers = numbers_;
    for (const auto& [name, k] : axes_) numbers.insert_or_assign(name, point[k]);
    for (const auto& [name, expression] : expressions_)
      numbers.insert_or_assign(name, into_range(name, expression(numbers) + 0.0));
    Parameters all;
    for (const auto& [name, text] : words_) all.emplace(name, text);
    for (const auto& [name, value] : numbers) all.emplace(name, value);
    return complete_parameters(family_, all, "-P");
  }

  /// Forms of all numbers over a box of the certified axes; `sampled` has the values of the others.
  struct Forms {
    std::map<std::string, AffineForm, std::less<>> forms;
    AffineCheck problem;  // a kink, or why there is no form
  };
  [[nodiscard]] Forms forms(const ParameterPoint& sampled, const std::vector<std::size_t>& certified,
                            const VariableBox& box) const {
    Forms result;
    for (const auto& [name, value] : numbers_) result.forms.emplace(name, constant_form(value));
    for (const auto& [name, k] : axes_) {
      const auto found = std::find(certified.begin(), certified.end(), k);
      if (found == certified.end()) {
        result.forms.insert_or_assign(name, constant_form(sampled[k]));
        continue;
      }
      const auto variable = static_cast<std::size_t>(found - certified.begin());
      AffineForm form;
      form.depends[variable] = true;
      for (std::size_t i = 0; i < 4; ++i)
        form.corners[i] = ((i >> variable) & 1U) != 0 ? box.high[variable] : box.low[variable];
      form.magnitude = std::max(std::abs(box.low[variable]), std::abs(box.high[variable]));
      result.forms.insert_or_assign(name, form);
    }
    for (const auto& [name, expression] : expressions_) {
      result.problem = check_affine(expression, box, result.forms);
      if (result.problem.kink || result.problem.failed) return result;
      result.forms.insert_or_assign(name, result.problem.form);
    }
    check_family(box, result);
    return result;
  }

 private:
  static AffineForm constant_form(double value) {
    return {{}, {value, value, value, value}, std::abs(value)};
  }

  /// Whether the family's matrix is affine in what depends on the box's variables.
  void check_family(const VariableBox& box, Forms& result) const {
    for (const ParameterSpec& spec : family_.parameters) {
      const auto found = result.forms.find(spec.name);
      if (found == result.forms.end()) continue;
      const AffineForm& form = found->second;
      for (const double value : form.corners) check(spec, value);
      if (!form.depends[0] && !form.depends[1]) continue;
      if (spec.dependence != Dependence::affine) {
        result.problem.failed = NotAffine{
            form.depends, fmt::format("the graph of family {} is not affine in {}", family_.name, spec.name)};
        return;
      }
      for (const double kink : spec.kinks) {
        AffineCheck level =
            check_level(form, kink, box, fmt::format("{} passes {}, where the graph", spec.name, kink));
        if (!level.kink && !level.failed) continue;
        result.problem = std::move(level);
        return;
      }
    }
  }

  void check(const ParameterSpec& spec, double value) const {
    placed(within("-P", spec.name), [&] { check_parameter(spec, into_range(spec.name, value)); });
  }

  /// A value outside its range by rounding alone is at its end.
  [[nodiscard]] double into_range(std::string_view name, double value) const {
    const ParameterSpec& spec = *find_row(family_.parameters, name);
    if (value < spec.low && value > spec.low - kRoundingOfRange) return spec.low;
    if (value > spec.high && value < spec.high + kRoundingOfRange) return spec.high;
    return value;
  }

  [[nodiscard]] bool is_expression(std::string_view name) const {
    return std::any_of(expressions_.begin(), expressions_.end(),
                       [name](const auto& each) { return each.first == name; });
  }
  [[nodiscard]] bool is_given(std::string_view name) const {
    const bool axis =
        std::any_of(axes_.begin(), axes_.end(), [name](const auto& each) { return each.first == name; });
    return axis || words_.find(name) != words_.end() || numbers_.find(name) != numbers_.end() ||
           is_expression(name);
  }

  void read(const std::string& name, const std::string& text) {
    const ParameterSpec* spec = find_row(family_.parameters, name);
    if (spec == nullptr || !is_numeric(*spec)) {
      // The table words the complaint, where there is one.
      words_.emplace(name, std::get<std::string>(parse_parameter(family_, name, text, "-P")));
      return;
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size())
      numbers_.emplace(name,
                       placed(within("-P", name), [&] { return parse_number(text, "must be a number"); }));
    else
      expressions_.emplace_back(name, Expression(text, within("-P", name)));
  }

  /// Each expression after those that it uses.
  void order() {
    std::vector<std::pair<std::string, Expression>> ordered;
    while (!expressions_.empty()) {
      const auto waits = [&](const std::pair<std::string, Expression>& each) {
        return std::any_of(each.second.names().begin(), each.second.names().end(),
                           [&](const std::string& name) { return is_expression(name); });
      };
      for (const auto& [name, expression] : expressions_) check_names(expression);
      const auto next = std::find_if_not(expressions_.begin(), expressions_.end(), waits);
      if (next == expressions_.end())
        throw InputError(within("-P", expressions_.front().first),
                         bad_text(expressions_.front().second.text(), "must not depend on itself"));
      done_.push_back(next->first);
      ordered.push_back(std::move(*next));
      expressions_.erase(next);
    }
    expressions_ = std::move(ordered);
  }

  void check_names(const Expression& expression) const {
    std::vector<std::string_view> known;
    for (const ParameterSpec& spec : family_.parameters)
      if (is_numeric(spec) &&
          (is_given(spec.name) || std::find(done_.begin(), done_.end(), spec.name) != done_.end()))
        known.push_back(spec.name);
    for (const std::string& name : expression.names())
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw InputError(expression.where(),
                         remark(fmt::format("unknown name {} in an expression", in_quotes(name)),
                                fmt::format("known: {}", fmt::join(known, ", "))));
  }

  const GraphFamily& family_;
  std::map<std::string, std::string, std::less<>> words_;
  Numbers numbers_;
  std::vector<std::pair<std::string, std::size_t>> axes_;  // name and position
  std::vector<std::pair<std::string, Expression>> expressions_;
  std::vector<std::string> done_;
};

/// Makes the graphs of a plan. From several threads.
struct GraphMaker {
  const GraphFamily* family = nullptr;
  std::shared_ptr<const ParameterTable> table;
  std::shared_ptr<const GraphAndMeans> file;  // of family "file", which has no numbers
  std::vector<std::size_t> certified;         // axes

  [[nodiscard]] GraphAndMeans operator()(const ParameterPoint& sampled, const ParameterPoint& at) const {
    if (file) return *file;
    ParameterPoint all = sampled;
    for (std::size_t i = 0; i < certified.size(); ++i) all[certified[i]] = at[i];
    return family->make(table->at(all), "-P");
  }
};

class Planner {
 public:
  explicit Planner(const CurveRequest& request)
      : request_(request), family_(graph_family(request.family, "--graph")) {
    plan_.options = request.options;
    check_options();
    check_ranges();
    table_ = std::make_shared<const ParameterTable>(request, family_, plan_.axes);
    if (family_.reads_file())
      file_ = std::make_shared<const GraphAndMeans>(graph_of(family_, table_->at({}), "-P", request.files));
  }

  CurvePlan run() {
    // An axis in which some slice is not affine is sampled, and the rest looked at again.
    while (!slice_all()) plan_.slices.clear();
    describe();
    return std::move(plan_);
  }

 private:
  void check_options() const {
    const RefineOptions& options = request_.options;
    const auto expect = [](const char* name, double value, double low, double high) {
      if (!(value >= low && value <= high))
        throw InputError(name,
                         bad_value(value, fmt::format("must lie in [{}, {}]", to_text(low), to_text(high))));
    };
    expect("--tolerance", options.tolerance, kLeastTolerance, kMostTolerance);
    expect("--width", options.divergent_width, kLeastWidth, kMostWidth);
    expect("--samples", request_.samples, kLeastSamples, kMostSamples);
  }

  void check_ranges() {
    if (request_.over.empty() || request_.over.size() > 2)
      throw InputError("--over", bad_state(fmt::format("is given {} times", request_.over.size()),
                                           "must be given once for a curve, twice for a map"));
    if (request_.over.size() == 2 && request_.over[0].name == request_.over[1].name)
      throw InputError("--over", bad_state(fmt::format("gives {} twice", request_.over[0].name),
                                           "must give two parameters"));
    for (const CurveRange& range : request_.over) {
      const std::string where = fmt::format("--over {}", range.name);
      CurveAxis axis{range.name, range.low, range.high, {}};
      if (mean_named(range.name)) {
        axis.sampled_because = "it is a mean";
      } else {
        const ParameterSpec* spec = find_row(family_.parameters, range.name);
        if (spec == nullptr || !is_numeric(*spec)) {
          std::vector<std::string_view> known;
          for (const ParameterSpec& each : family_.parameters)
            if (is_numeric(each)) known.push_back(each.name);
          known.emplace_back("means[0]");
          throw InputError(where, remark(fmt::format("{} has no such number to vary", family_.name),
                                         suggest(range.name, known)));
        }
        for (const double end : {range.low, range.high}) placed(where, [&] { check_parameter(*spec, end); });
        if (spec->kind == ParameterKind::integer) axis.sampled_because = "it is a whole number";
      }
      if (!(range.low < range.high))
        throw InputError(where,
                         bad_state(fmt::format("goes from {} to {}", to_text(range.low), to_text(range.high)),
                                   "must go up"));
      plan_.axes.push_back(std::move(axis));
    }
  }

  [[nodiscard]] std::vector<double> samples(const CurveAxis& axis) const {
    std::vector<double> values;
    const ParameterSpec* spec = find_row(family_.parameters, axis.name);
    if (spec != nullptr && spec->kind == ParameterKind::integer) {
      if (axis.high - axis.low >= static_cast<double>(kMostWhole))
        throw InputError(fmt::format("--over {}", axis.name),
                         bad_state(fmt::format("holds {} whole numbers", axis.high - axis.low + 1.0),
                                   fmt::format("must be at most {}", kMostWhole)));
      const auto count = static_cast<std::size_t>(axis.high - axis.low) + 1;
      for (std::size_t i = 0; i < count; ++i) values.push_back(axis.low + static_cast<double>(i));
      return values;
    }
    for (int i = 0; i < request_.samples; ++i)
      values.push_back(i + 1 == request_.samples
                           ? axis.high
                           : axis.low + (axis.high - axis.low) * i / (request_.samples - 1));
    return values;
  }

  /// False where one axis more must be sampled.
  bool slice_all() {
    certified_.clear();
    std::vector<std::vector<double>> values(2, {0.0});
    for (std::size_t k = 0; k < plan_.axes.size(); ++k) {
      if (plan_.axes[k].certified())
        certified_.push_back(k);
      else
        values[k] = samples(plan_.axes[k]);
    }
    for (const double first : values[0]) {
      for (const double second : values[1]) {
        if (request_.glance) request_.glance();
        if (!slice({first, second})) return false;
      }
    }
    return true;
  }

  bool slice(const ParameterPoint& sampled) {
    CurveSlice slice;
    slice.sampled = sampled;
    for (std::size_t i = 0; i < certified_.size(); ++i) {
      slice.whole.low[i] = plan_.axes[certified_[i]].low;
      slice.whole.high[i] = plan_.axes[certified_[i]].high;
    }
    std::array<std::vector<double>, 2> kinks;
    double magnitude = 1.0;
    if (!certified_.empty() && !cut(slice, kinks, magnitude)) return false;
    slice.starts = start_boxes(slice.whole, static_cast<int>(certified_.size()), kinks);
    fill_models(slice, magnitude);
    plan_.slices.push_back(std::move(slice));
    return true;
  }

  /// Finds the kinks; false where an axis is not affine, which is noted.
  bool cut(const CurveSlice& slice, std::array<std::vector<double>, 2>& kinks, double& magnitude) {
    for (;;) {
      const std::optional<AffineCheck> problem = first_problem(slice, kinks, magnitude);
      if (!problem) return true;
      std::string why;
      Dependences in{};
      if (problem->failed) {
        why = problem->failed->why;
        in = problem->failed->in;
      } else if (kinks[problem->kink->variable].size() >= kMostKinks) {
        why = fmt::format("it bends more than {} times", kMostKinks);
        in[problem->kink->variable] = true;
      } else {
        std::vector<double>& list = kinks[problem->kink->variable];
        list.insert(std::lower_bound(list.begin(), list.end(), problem->kink->at), problem->kink->at);
        continue;
      }
      for (std::size_t i = 0; i < certified_.size(); ++i)
        if (in[i]) plan_.axes[certified_[i]].sampled_because = why;
      return false;
    }
  }

  /// Of the boxes between the kinks.
  std::optional<AffineCheck> first_problem(const CurveSlice& slice,
                                           const std::array<std::vector<double>, 2>& kinks,
                                           double& magnitude) const {
    std::array<std::vector<double>, 2> ends;
    for (std::size_t i = 0; i < 2; ++i) {
      ends[i] = {slice.whole.low[i]};
      ends[i].insert(ends[i].end(), kinks[i].begin(), kinks[i].end());
      ends[i].push_back(slice.whole.high[i]);
    }
    for (std::size_t i = 0; i + 1 < ends[0].size(); ++i) {
      for (std::size_t j = 0; j + 1 < ends[1].size(); ++j) {
        VariableBox box{{ends[0][i], ends[1][j]}, {ends[0][i + 1], ends[1][j + 1]}, {}};
        for (std::size_t k = 0; k < certified_.size(); ++k) box.names[k] = plan_.axes[certified_[k]].name;
        const ParameterTable::Forms found = table_->forms(slice.sampled, certified_, box);
        if (found.problem.kink || found.problem.failed) return found.problem;
        for (const auto& [name, form] : found.forms)
          if (find_row(family_.parameters, name)->dependence == Dependence::affine)
            magnitude = std::max(magnitude, form.magnitude);
      }
    }
    return {};
  }

  void fill_models(CurveSlice& slice, double magnitude) const {
    ModelFamily& models = slice.models;
    models.parameters = static_cast<int>(certified_.size());
    models.reward = request_.reward;
    models.rounding = 8.0 * kEpsilon * magnitude;
    // Corners of the range: what the family itself refuses is refused now.
    const GraphMaker graph_at{&family_, table_, file_, certified_};
    const GraphAndMeans made = graph_at(slice.sampled, slice.whole.low);
    static_cast<void>(graph_at(slice.sampled, slice.whole.high));
    static_cast<void>(graph_at(slice.sampled, {slice.whole.low[0], slice.whole.high[1]}));
    static_cast<void>(graph_at(slice.sampled, {slice.whole.high[0], slice.whole.low[1]}));
    models.means = request_.means.empty() ? made.means : request_.means;
    bool varied = false;
    for (std::size_t k = 0; k < plan_.axes.size(); ++k) {
      const std::optional<int> vertex = mean_named(plan_.axes[k].name);
      if (!vertex) continue;
      varied = true;
      if (*vertex >= static_cast<int>(models.means.size()))
        throw InputError(fmt::format("--over {}", plan_.axes[k].name),
                         remark("there is no such vertex",
                                fmt::format("must be means[0] to means[{}]", models.means.size() - 1)));
      models.means[static_cast<std::size_t>(*vertex)] = slice.sampled[k];
    }
    const auto best = std::max_element(models.means.begin(), models.means.end());
    models.best = static_cast<int>(best - models.means.begin());
    const bool tied = std::count(models.means.begin(), models.means.end(), *best) > 1;
    const int K = made.graph.size();
    if (!made.graph.has_matrix())
      throw InputError(fmt::format("--graph {}: K", family_.name),
                       bad_value(K, fmt::format("a curve's K must be at most {}", kLargestMatrix)));
    const auto entries = static_cast<std::size_t>(K) * static_cast<std::size_t>(K);
    if (varied &&
        tied) {  // on the way from one best vertex to another: T* is infinite, as if nothing were seen
      models.matrix = [entries](const ParameterPoint&) { return std::vector<double>(entries, 0.0); };
      return;
    }
    // The rewards are checked on a graph that shows everything: here a vertex may go unobserved.
    static_cast<void>(Instance(FeedbackGraph(K, std::vector<double>(entries, 1.0)), models.means,
                               models.reward, fmt::format("--graph {}", family_.name)));
    models.matrix = [graph_at, sampled = slice.sampled, glance = request_.glance](const ParameterPoint& at) {
      if (glance) glance();
      const GraphAndMeans graph = graph_at(sampled, at);
      return std::vector<double>(graph.graph.row_major().begin(), graph.graph.row_major().end());
    };
  }

  void describe() {
    const Parameters at_low =
        table_->at({plan_.axes[0].low, plan_.axes.size() > 1 ? plan_.axes[1].low : 0.0});
    plan_.description = family_.name;
    for (const ParameterSpec& spec : family_.parameters) {
      const std::string name(spec.name);
      const bool axis = std::any_of(plan_.axes.begin(), plan_.axes.end(),
                                    [&](const CurveAxis& each) { return each.name == name; });
      if (axis) continue;
      const auto given = request_.parameters.find(name);
      // A default that follows other parameters is stated as it is computed.
      const std::string value = given != request_.parameters.end() ? given->second
                                : spec.computed != nullptr         ? std::string(spec.computed_text)
                                                                   : to_text(at_low.find(spec.name)->second);
      plan_.description += fmt::format(", {}={}", name, value);
    }
    plan_.description += fmt::format("; {} rewards", row_of(request_.reward).name);
    if (const std::string parameters = parameters_text(request_.reward); !parameters.empty())
      plan_.description += ", " + parameters;
  }

  const CurveRequest& request_;
  const GraphFamily& family_;
  std::shared_ptr<const ParameterTable> table_;
  std::shared_ptr<const GraphAndMeans> file_;
  std::vector<std::size_t> certified_;  // axes
  CurvePlan plan_;
};

}  // namespace

CurveRange parse_curve_range(const std::string& text, const std::string& origin) {
  const auto equals = text.find('=');
  const auto colon = text.find(':', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || colon == std::string::npos)
    throw InputError(origin, bad_state(in_quotes(text), "must be name=low:high"));
  const std::string name = text.substr(0, equals);
  const std::string where = fmt::format("{} {}", origin, name);
  const auto number = [&](std::size_t begin, std::size_t end) {
    return placed(where, [&] {
      return parse_number(std::string_view(text).substr(begin, end - begin),
                          "must be a number, as in p=0:0.5");
    });
  };
  return {name, number(equals + 1, colon), number(colon + 1, text.size())};
}

RefineOptions usual_refinement(std::size_t parameters) {
  return parameters > 1 ? RefineOptions{.tolerance = 0.02, .divergent_width = 1e-3}
                        : RefineOptions{.tolerance = 1e-3, .divergent_width = 1e-4};
}

CurvePlan plan_curve(const CurveRequest& request) {
  return Planner(request).run();
}

}  // namespace tasfg
