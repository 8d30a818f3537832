#include "tasfg/io/result_rows.hpp"

#include <limits>

#include <boost/crc.hpp>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

RunRow append_row(std::vector<std::int64_t>& words, RowShape shape, std::int64_t cell, std::int64_t seed) {
  const std::size_t at = words.size();
  words.resize(at + shape.words(), -1);
  const RunRow row(words.data() + at, shape);
  row.cell() = cell;
  row.seed() = seed;
  row.attempts() = 0;
  row.set_status(TaskStatus::pending);
  row.set_seconds(kNaN);
  return row;
}

std::uint32_t checksum(ConstRunRow row, std::size_t deltas) {
  boost::crc_32_type sum;
  const std::int64_t head[] = {static_cast<std::int64_t>(row.status()), row.steps()};
  sum.process_bytes(head, sizeof head);
  sum.process_bytes(row.words().data() + RowShape::kHead, 2 * deltas * sizeof(std::int64_t));
  // Missing vertices are left out, so that a file with room for more of them has the same sums.
  const std::span<const std::int64_t> pulls = row.pulls();
  std::size_t K = pulls.size();
  while (K > 0 && pulls[K - 1] < 0) --K;
  sum.process_bytes(pulls.data(), K * sizeof(std::int64_t));
  return sum.checksum();
}

CaseResult::CaseResult()
    : T_star(kNaN),
      T_star_lower(kNaN),
      T_heuristic(kNaN),
      T_uniform(kNaN),
      m_norm(kNaN),
      tv_heuristic(kNaN),
      seconds(kNaN) {}

std::vector<std::int64_t> CaseResult::to_words() const {
  std::vector<std::int64_t> words{static_cast<std::int64_t>(status), std::bit_cast<std::int64_t>(seconds)};
  for (const double x : {T_star, T_star_lower, T_heuristic, T_uniform, m_norm, tv_heuristic})
    words.push_back(std::bit_cast<std::int64_t>(x));
  for (const std::int32_t n : {alpha, alpha_upper, weak_domination, weak_domination_lower, domination,
                               self_loops, face_dimension, iterations})
    words.push_back(n);
  for (const std::vector<double>* vector : {&omega, &omega_heuristic, &m})
    for (const double x : *vector) words.push_back(std::bit_cast<std::int64_t>(x));
  return words;
}

CaseResult CaseResult::from_words(std::span<const std::int64_t> words) {
  constexpr std::size_t kHead = 16;
  TASFG_EXPECT(words.size() >= kHead && (words.size() - kHead) % 3 == 0);
  CaseResult result;
  std::size_t at = 0;
  const auto number = [&] { return std::bit_cast<double>(words[at++]); };
  result.status = static_cast<TaskStatus>(words[at++]);
  result.seconds = number();
  for (double* x : {&result.T_star, &result.T_star_lower, &result.T_heuristic, &result.T_uniform,
                    &result.m_norm, &result.tv_heuristic})
    *x = number();
  for (std::int32_t* n :
       {&result.alpha, &result.alpha_upper, &result.weak_domination, &result.weak_domination_lower,
        &result.domination, &result.self_loops, &result.face_dimension, &result.iterations})
    *n = static_cast<std::int32_t>(words[at++]);
  const std::size_t K = (words.size() - kHead) / 3;
  for (std::vector<double>* vector : {&result.omega, &result.omega_heuristic, &result.m})
    for (std::size_t v = 0; v < K; ++v) vector->push_back(number());
  return result;
}

std::uint32_t CaseResult::checksum() const {
  std::vector<std::int64_t> words = to_words();
  words[1] = 0;  // seconds
  boost::crc_32_type sum;
  sum.process_bytes(words.data(), words.size() * sizeof(std::int64_t));
  return sum.checksum();
}

}  // namespace tasfg
