/// When a cell has runs enough: the decision of a sweep that stops at precision. It depends on the records of
/// the seeds 0 … n − 1 alone, at the looks n = ⌈32·1.25ᵏ⌉, and is the same bits on every machine; so the set
/// of runs of a job does not depend on who computes it, in which order, or how often it is interrupted.
///
/// Intervals. They have 95 % after stopping where they are narrow for the first time, not only at a number of
/// runs that was fixed before; for that they are wider than Student's. With z = 2.2414, the normal quantile
/// of 1 − 0.025/2: one half of the 5 % is left to the looking. For a mean of n values of deviation s and
/// skewness g the half-width is
///
///     z s/√n · (1 + [(z² + 1)/4 + g² (z⁴ + 2z² − 3)/18]/n),
///
/// Student's correction and Edgeworth's for skewness (a sample without its tail has too small a mean and too
/// small an s, and so is the one that would stop). A median lies between the values of ranks
/// ⌊(n + 1 − z√n)/2⌋ from either end. docs/sweeps.md says more.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasfg/base/enum_names.hpp"

namespace tasfg {

/// What is to be precise. `ratio`: the mean over that of the first algorithm, seed by seed.
enum class Quantity { mean, median, error, ratio };
inline constexpr EnumNames<Quantity> kQuantityNames{"mean", "median", "error", "ratio"};

/// What a job asks for.
struct Precision {
  static constexpr std::int64_t kFirstLook = 32;

  std::array<double, 4> targets{};  // by Quantity: the largest relative half-width; 0: not asked for
  std::int64_t minimum = kFirstLook;

  [[nodiscard]] double target(Quantity quantity) const { return targets[static_cast<std::size_t>(quantity)]; }
  [[nodiscard]] bool asked() const { return *this != Precision{}; }
  /// Whether the cells of a case depend on each other.
  [[nodiscard]] bool paired() const { return target(Quantity::ratio) > 0.0; }
  /// "mean=0.02 ratio=0.05 minimum=32"; empty where nothing is asked for.
  [[nodiscard]] std::string text() const;
  /// Whether every cell that is precise by this is so by `other`. Nothing asked for: all replications run.
  [[nodiscard]] bool as_strict_as(const Precision& other) const;
  bool operator==(const Precision&) const = default;
};
/// The precision of such a text; an InputError, naming `where`, for others.
[[nodiscard]] Precision parse_precision(std::string_view text, std::string_view where);

/// The first look at n runs or more.
[[nodiscard]] std::int64_t look_from(std::int64_t n);

/// The values of a cell, one list for each δ with a value for each seed: τ, infinite where it was capped; or
/// ln of the weight. NaN where the run failed.
using CellValues = std::vector<std::vector<double>>;

/// Why nothing can be said of the precision.
enum class Doubt { none, few, capped, no_event, uneven };
/// In words, for people.
[[nodiscard]] std::string_view text_of(Doubt doubt);

/// An estimate and how well it is known.
struct KnownValue {
  Quantity quantity{};  // the median where capped runs leave the mean unknown
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = value, high = value;                           // of 95 %
  double relative = std::numeric_limits<double>::infinity();  // half-width over value
  Doubt doubt = Doubt::few;
};
/// `base`: the first algorithm's values, of the same seeds; for a ratio alone.
[[nodiscard]] KnownValue interval_of(Quantity quantity, std::span<const double> values,
                                     std::span<const double> base = {});

/// The widest interval of a cell, measured by what is asked for.
struct Width {
  KnownValue interval;
  std::size_t delta = 0;
  double target = 0.0;
  double excess = std::numeric_limits<double>::infinity();  // its relative half-width over the target
};
/// Of the seeds 0 … n − 1. `base` as above; the first algorithm has none, and no ratio.
[[nodiscard]] Width width_of(const Precision& precision, const CellValues& values, const CellValues* base,
                             std::int64_t n);

/// What the runs of a cell say.
struct Decision {
  enum class State {
    waiting,  // seeds below n are to be settled before anything is decided
    precise,  // the n runs are enough
    maximum,  // all replications have run, and are not enough
  };
  State state = State::waiting;
  std::int64_t n = 0;
  std::int64_t likely = 0;  // seeds below it are likely to be needed, too
  std::int64_t looked = 0;  // runs at the last look; 0: there was none
  Width width;              // there

  [[nodiscard]] bool settled() const { return state != State::waiting; }
};

/// A cell as it stands: seeds below `settled` have a result or have failed.
struct CellRuns {
  std::int64_t settled = 0;
  const CellValues* values = nullptr;  // of these seeds
};

/// For every algorithm of one case. Looks below `skip` are known not to have been enough (one number for each
/// algorithm, or none).
[[nodiscard]] std::vector<Decision> decide(const Precision& precision, std::int64_t replications,
                                           std::span<const CellRuns> cells,
                                           std::span<const std::int64_t> skip = {});

/// How many runs the cell will have in the end, as far as can be told: intervals narrow like 1/√n.
[[nodiscard]] std::int64_t foreseen_runs(const Decision& decision, std::int64_t replications);

/// The same for all cells, case by case: those that nobody has looked at yet are taken to be like the others
/// of their algorithm, or else of any.
[[nodiscard]] std::vector<std::int64_t> foreseen_runs(std::span<const Decision> decisions,
                                                      std::size_t algorithms, std::int64_t replications);

}  // namespace tasfg
