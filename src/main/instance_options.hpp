/// The options that name one instance, shared by `tasfg solve`, `tasfg simulate` and `tasfg curve`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "command_line.hpp"

#include "tasfg/base/enum_names.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/model/instance.hpp"
#include "tasfg/solve/curve_request.hpp"

namespace tasfg {

class InstanceOptions {
 public:
  void add_to(Command& app);

  /// Builds and checks the instance. `parity` is the default of the families that have one.
  [[nodiscard]] Instance instance(const std::string& parity) const;

  /// The same as a curve's request, whose parameters may be expressions; ranges and the rest are the
  /// caller's.
  [[nodiscard]] CurveRequest curve_request(const std::string& parity) const;

  /// One line for people: "ring, K=5, p=0.3".
  [[nodiscard]] std::string describe(const std::string& parity) const;

 private:
  [[nodiscard]] RewardFamily reward() const;
  /// Names and texts; `parity` is the default of the families that have one.
  [[nodiscard]] std::map<std::string, std::string> texts(const GraphFamily& family,
                                                         const std::string& parity) const;
  [[nodiscard]] Parameters parameters(const GraphFamily& family, const std::string& parity) const;
  [[nodiscard]] std::string family_name() const;

  std::string graph_;
  std::string graph_file_;
  std::vector<std::string> parameters_;
  std::string means_, means_file_;
  std::string reward_ = "gaussian";
  std::map<std::string, std::string> reward_parameters_;  // name → text; empty where not given
};

/// Comma-separated numbers.
[[nodiscard]] std::vector<double> parse_numbers(const std::string& text, const std::string& origin);

/// The value that an option names, or an InputError with the nearest name.
template <typename Enum>
[[nodiscard]] Enum named_value(const EnumNames<Enum>& names, const std::string& given, const char* option) {
  if (const std::optional<Enum> value = names.find(given)) return *value;
  throw InputError(option, bad_state(in_quotes(given), suggest(given, names.all())));
}

}  // namespace tasfg
