/// First candidates of many ziggurat draws at once (base/samplers.hpp). Four stand in one register where the
/// CPU has AVX2; the same bits everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tasfg {

/// Writes the values of the candidates of n ≤ 64 words of 64 bits, low half first, n a multiple of four.
/// Returns by bits which of them lie outside their layer's rectangle, so that more words must settle them.
std::uint64_t normal_candidates(const std::uint32_t* words, std::size_t n, double* values);
std::uint64_t exponential_candidates(const std::uint32_t* words, std::size_t n, double* values);

namespace detail {
/// What they do on a CPU without AVX2.
std::uint64_t normal_candidates_anywhere(const std::uint32_t* words, std::size_t n, double* values);
std::uint64_t exponential_candidates_anywhere(const std::uint32_t* words, std::size_t n, double* values);
}  // namespace detail

}  // namespace tasfg
