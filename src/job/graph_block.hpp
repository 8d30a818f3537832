/// One [[graph]] block of a job: a family, and for each of its parameters the values that multiply the grid.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/expression.hpp"
#include "condition.hpp"
#include "toml_reader.hpp"

#include "tasfg/model/graph_families.hpp"
#include "tasfg/model/reward.hpp"

namespace tasfg {

/// What all blocks of a job may have together, and what those read so far have. Checked while a block is
/// read: a few lines can ask for more than any memory holds.
struct Budget {
  std::size_t most_cases;
  std::size_t most_expressions;  // a parsed one takes some kilobytes
  std::size_t cases = 0;
  std::size_t expressions = 0;
};

/// One value of a parameter, or how to compute it from the others.
using Choice = std::variant<double, std::string, Expression>;

/// The values of one parameter. Empty where the family computes it itself.
struct Axis {
  const ParameterSpec* spec = nullptr;
  std::vector<Choice> choices;
  std::vector<std::string> uses;  // the parameters that its expressions use
  std::string where;              // file and key, for messages
};

class GraphBlock {
 public:
  /// Reads block `index` of the job. `parity` is the default of the families that have one.
  GraphBlock(const Field& job, const Field& block, std::size_t index, const std::string& parity,
             Budget& budget);

  [[nodiscard]] const GraphFamily& family() const { return *family_; }
  [[nodiscard]] std::size_t index() const { return index_; }
  /// The mean rewards of a case of K vertices; nothing where they are the family's own.
  [[nodiscard]] std::optional<std::vector<double>> means(const Parameters& parameters, int K) const;
  /// Whether rewards here have this parameter from the top of the job.
  [[nodiscard]] bool uses_from_job(std::string_view parameter) const;

  /// Calls visit(parameters, label, reward) for every case: the first parameter of the family's table
  /// slowest, the reward family fastest. Parameters are complete and checked; the label is "ring K=5 p=0.3".
  /// Returns how many cases `where` leaves out.
  using Visit = std::function<void(Parameters parameters, std::string label, const RewardFamily& reward)>;
  std::size_t for_each(const Visit& visit) const;

 private:
  void read_axes(const Field& block, const std::string& parity, Budget& budget);
  void read_choices(Axis& axis, const Field& field, Budget& budget) const;
  /// The parameters of one combination of choices, complete and checked; nothing where `where` leaves it out.
  [[nodiscard]] std::optional<Parameters> parameters_at(const std::vector<std::size_t>& at) const;
  void read_conditions(const Field& block, Budget& budget);
  void order_axes();
  void read_means(const Field& means, Budget& budget);
  void expect_known(const std::vector<std::string>& names, std::vector<std::string_view> more,
                    std::string_view in, const std::string& where) const;
  /// How many cases what has been read stands for; `limit` + 1 where there are more.
  [[nodiscard]] std::size_t count(std::size_t limit) const;
  void check_budget(const Budget& budget) const;
  void read_rewards(const Field& job, const Field& block);
  /// Members of one reward family, one for each combination of its parameters.
  [[nodiscard]] std::vector<RewardFamily> read_reward(const RewardFamilyRow& row, const Field& job,
                                                      const Field& block);
  [[nodiscard]] const Axis* axis_named(std::string_view name) const;

  const GraphFamily* family_ = nullptr;
  std::size_t index_;
  std::string file_;                     // the job file's name: graph files are found beside it
  std::vector<Axis> axes_;               // in the order of the family's table
  std::vector<std::size_t> evaluation_;  // axes with expressions, those that others use first
  std::vector<Condition> conditions_;    // `where`
  std::vector<RewardFamily> rewards_;
  std::vector<double> means_;               // where they are listed
  std::optional<Expression> mean_of_;       // where they are computed, of the vertex v and the parameters
  std::vector<std::string_view> from_job_;  // parameters of rewards that stand at the top of the job
};

/// " bernoulli", " variance=4": what a label says of the rewards; nothing where they are the default ones.
[[nodiscard]] std::string reward_label(const RewardFamily& reward);

/// Beside the job file if it is there, else as it stands, from the working directory. "graphs.h5:G" names a
/// dataset of the file graphs.h5.
[[nodiscard]] std::string beside_job(const std::string& path, const std::string& job_file);

}  // namespace tasfg
