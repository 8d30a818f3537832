// Part of frontal_cholesky.cpp, in versions (base/each_version.hpp).

/// Row k of a front's U from the group of four that its diagonal is in; entries up to the diagonal are 0.
TASFG_INLINE const double* row_of(const Front& front, const double* panels, std::size_t k) {
  return panels + front.panel + k * front.stride();
}

/// Entries `from` on of x less those of a row times a value.
TASFG_INLINE void subtract_row(double value, const double* row, std::size_t from, std::size_t stride,
                               double* x) {
  for (std::size_t j = from; j < stride; j += 4) lanes(x + j) -= value * lanes(row + j);
}

TASFG_INLINE double dot_from(const double* row, const double* x, std::size_t from, std::size_t stride) {
  Lanes even, odd;
  std::size_t j = from;
  for (; j + 8 <= stride; j += 8) {
    even += lanes(row + j) * lanes(x + j);
    odd += lanes(row + j + 4) * lanes(x + j + 4);
  }
  if (j < stride) even += lanes(row + j) * lanes(x + j);
  return sum_of(even + odd);
}

/// x: the front's part of a vector, `stride` entries.
inline void forward_front(const Front& front, const double* panels, const double* inverse, double* x) {
  const std::size_t stride = front.stride();
  for (std::size_t k = 0; k < front.width; ++k) {
    const double value = x[k] * inverse[front.first + k];
    x[k] = value;
    subtract_row(value, row_of(front, panels, k), k / 4 * 4, stride, x);
  }
}

inline void backward_front(const Front& front, const double* panels, const double* inverse, double* x) {
  const std::size_t stride = front.stride();
  for (std::size_t k = front.width; k-- > 0;)
    x[k] = (x[k] - dot_from(row_of(front, panels, k), x, k / 4 * 4, stride)) * inverse[front.first + k];
}
