/// Graph families by name. Each is one row of one table (src/model/graph_families.cpp); parsing,
/// validation, `tasfg list` and the tests read that table.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tasfg/model/feedback_graph.hpp"

namespace tasfg {

/// A parameter's value: a number, or a word (parity, path).
using ParameterValue = std::variant<double, std::string>;
using Parameters = std::map<std::string, ParameterValue, std::less<>>;

enum class ParameterKind {
  integer,  // a whole number in [low, high]
  number,   // a real number in [low, high]
  word,     // one of `words`
  path,     // a file's name
};

/// How a family's matrix depends on a parameter.
enum class Dependence {
  affine,  // G is affine, jointly in all parameters that say so, as long as none of them passes a kink
  other,   // anything else: jumps, another number of vertices
};

/// One parameter of a family: its range and default.
struct ParameterSpec {
  std::string_view name;
  std::string_view summary;
  ParameterKind kind;
  double low = 0.0, high = 1.0;
  double fallback = 0.0;                            // a number's default; NaN: see `computed`
  double (*computed)(const Parameters&) = nullptr;  // a default that depends on the other parameters
  std::string_view computed_text;                   // the same, for people
  std::span<const std::string_view> words;          // the first is the default
  Dependence dependence = Dependence::other;  // of the matrix, where `computed` ones keep their default too
  std::span<const double> kinks = {};         // of an affine parameter, in ascending order
};

/// Whether its values are numbers, not texts.
[[nodiscard]] inline bool is_numeric(const ParameterSpec& spec) {
  return spec.kind == ParameterKind::integer || spec.kind == ParameterKind::number;
}

/// What a family yields: the graph and the means that the paper gives it.
struct GraphAndMeans {
  FeedbackGraph graph;
  std::vector<double> means;
};

/// Gives the graph that a path names. The program's reads files (io/graph_file.hpp) or a study's own
/// (io/stored_job.hpp). Called from several threads.
using GraphSource = std::function<FeedbackGraph(const std::string& path)>;

struct GraphFamily {
  std::string_view name;
  std::string_view summary;
  std::span<const ParameterSpec> parameters;
  GraphAndMeans (*make)(const Parameters&, const std::string& origin);  // null: the graph is read from a file

  [[nodiscard]] bool reads_file() const { return make == nullptr; }
};

[[nodiscard]] std::span<const GraphFamily> graph_families();

/// The row of that name, or an InputError with the nearest name.
[[nodiscard]] const GraphFamily& graph_family(std::string_view name, const std::string& origin);

/// Reads `text` as the parameter's kind demands.
[[nodiscard]] ParameterValue parse_parameter(const GraphFamily& family, std::string_view name,
                                             std::string_view text, const std::string& origin);

/// Refuses a value that the parameter cannot have; the InputError has no place.
void check_parameter(const ParameterSpec& spec, const ParameterValue& value);

/// "0.3", or the word itself.
[[nodiscard]] std::string to_text(const ParameterValue& value);

/// `given` checked against the table, with defaults filled in.
[[nodiscard]] Parameters complete_parameters(const GraphFamily& family, const Parameters& given,
                                             const std::string& origin);

/// Builds the graph and its default means. `given` may leave out what has a default. Not for a family that
/// reads a file (model/graph_source.hpp).
[[nodiscard]] GraphAndMeans make_graph(const GraphFamily& family, const Parameters& given,
                                       const std::string& origin);

/// 0 to 1 in equal steps, rounded as numpy.linspace(0, 1, K): the means where the paper gives no others.
[[nodiscard]] std::vector<double> rising_means(int K);

}  // namespace tasfg
