/// Results on their way from a worker to the file: flat rows of 64-bit words, the same in a message and in
/// memory, so that nothing is converted on the way.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tasfg {

/// As in /runs/status and /cases/status.
enum class TaskStatus : std::int8_t { pending = 0, done = 1, capped = 2, failed = 3 };

/// What a row depends on.
struct RowShape {
  std::size_t deltas = 0;
  std::size_t vertices = 0;
  [[nodiscard]] std::size_t words() const { return kHead + 2 * deltas + vertices; }
  static constexpr std::size_t kHead = 7;
  bool operator==(const RowShape&) const = default;
};

/// What a trajectory found at one δ.
struct Verdict {
  std::int64_t tau = -1;
  std::int32_t recommended = -1;
  std::int8_t correct = -1;
  std::int8_t stopped = -1;
};

/// A view of one row: the result of one task (cell, seed). `Word` is std::int64_t, const or not.
template <typename Word>
class RunRowView {
 public:
  RunRowView(Word* words, RowShape shape) : words_(words), shape_(shape) {}

  [[nodiscard]] auto& cell() const { return words_[0]; }
  [[nodiscard]] auto& seed() const { return words_[1]; }
  [[nodiscard]] auto& attempts() const { return words_[3]; }
  [[nodiscard]] auto& steps() const { return words_[4]; }
  [[nodiscard]] TaskStatus status() const { return static_cast<TaskStatus>(words_[2]); }
  /// The row's checksum where whoever made the row has filled it in; −1 where the writer is to.
  [[nodiscard]] auto& stamp() const { return words_[6]; }
  [[nodiscard]] double seconds() const { return std::bit_cast<double>(words_[5]); }
  [[nodiscard]] Verdict verdict(std::size_t d) const {
    const std::int64_t packed = words_[RowShape::kHead + shape_.deltas + d];
    if (packed < 0) return {};
    return {words_[RowShape::kHead + d], static_cast<std::int32_t>(packed >> 2),
            static_cast<std::int8_t>((packed >> 1) & 1), static_cast<std::int8_t>(packed & 1)};
  }
  [[nodiscard]] std::span<Word> pulls() const {
    return {words_ + RowShape::kHead + 2 * shape_.deltas, shape_.vertices};
  }
  [[nodiscard]] std::span<Word> words() const { return {words_, shape_.words()}; }

  void set_status(TaskStatus status) const { words_[2] = static_cast<std::int64_t>(status); }
  void set_seconds(double seconds) const { words_[5] = std::bit_cast<std::int64_t>(seconds); }
  void set_verdict(std::size_t d, const Verdict& verdict) const {
    words_[RowShape::kHead + d] = verdict.tau;
    words_[RowShape::kHead + shape_.deltas + d] =
        verdict.stopped < 0
            ? -1
            : (std::int64_t{verdict.recommended} << 2) | (verdict.correct << 1) | verdict.stopped;
  }

 private:
  Word* words_;
  RowShape shape_;
};
using RunRow = RunRowView<std::int64_t>;
using ConstRunRow = RunRowView<const std::int64_t>;

/// Adds a row with every value missing to `words`, and returns it.
[[nodiscard]] RunRow append_row(std::vector<std::int64_t>& words, RowShape shape, std::int64_t cell,
                                std::int64_t seed);

/// CRC-32 of what a row says, seconds and attempts aside: it tells a row that was written in full from one
/// that a machine's crash tore apart.
[[nodiscard]] std::uint32_t checksum(ConstRunRow row, std::size_t deltas);

/// The solution of one case.
struct CaseResult {
  TaskStatus status = TaskStatus::pending;
  double T_star, T_star_lower, T_heuristic, T_uniform, m_norm, tv_heuristic, seconds;
  std::int32_t alpha = -1, alpha_upper = -1, weak_domination = -1, weak_domination_lower = -1,
               domination = -1, self_loops = -1, face_dimension = -1, iterations = -1;
  std::vector<double> omega, omega_heuristic, m;  // K values each

  CaseResult();  // everything missing
  [[nodiscard]] std::vector<std::int64_t> to_words() const;
  [[nodiscard]] static CaseResult from_words(std::span<const std::int64_t> words);
  [[nodiscard]] std::uint32_t checksum() const;
};

}  // namespace tasfg
