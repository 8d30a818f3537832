/// The fields of a result file whose bytes results are written into: the only list of them. Creation,
/// reading, writing and docs/result-file.md (checked by a test) follow it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <hdf5.h>

#include "tasfg/io/result_layout.hpp"

namespace tasfg {

enum class FieldType { i8, i32, i64, u32, f64, text };

enum class Dimension { case_index, algorithm, delta, seed, vertex, entry, none };

enum class FieldId : std::size_t {
  case_status,
  T_star,
  T_star_lower,
  T_heuristic,
  T_uniform,
  m_norm,
  tv_heuristic,
  case_seconds,
  alpha,
  alpha_upper,
  weak_domination,
  weak_domination_lower,
  domination,
  self_loops,
  face_dimension,
  iterations,
  case_checksum,
  omega,
  omega_heuristic,
  m,
  status,
  steps,
  seconds,
  attempts,
  checksum,
  tau,
  recommended,
  correct,
  stopped,
  pulls,
  failure_case,
  failure_algorithm,
  failure_seed,
  failure_message,
  count
};
inline constexpr auto kFields = static_cast<std::size_t>(FieldId::count);
inline constexpr std::size_t kFailures = 64;      // kept with their messages; the rest are counted only
inline constexpr std::size_t kFailureText = 256;  // bytes

struct StoredField {
  FieldId id;
  std::string_view group, name;
  FieldType type;
  std::array<Dimension, 4> dimensions;
  double fill;
  bool fill_is_missing;  // then it is the field's _FillValue, too
  std::string_view units, long_name;

  [[nodiscard]] std::size_t rank() const;
  [[nodiscard]] std::size_t bytes() const;  // of one value
  [[nodiscard]] hid_t file_type() const;    // to be owned by nobody, except for text
};

[[nodiscard]] std::span<const StoredField> fields();
[[nodiscard]] std::size_t extent(Dimension dimension, const ResultLayout& layout);
[[nodiscard]] std::size_t values(const StoredField& field, const ResultLayout& layout);
[[nodiscard]] std::string_view to_string(Dimension dimension);

}  // namespace tasfg
