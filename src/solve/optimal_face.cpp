#include "optimal_face.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "kernels.hpp"
#include "pivoted_qr.hpp"
#include "sparse_cholesky.hpp"

#include "tasfg/base/elementary.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

using Vector = std::vector<double>;

double sum_of(const Vector& x) {
  double sum = 0.0;
  for (const double value : x) sum += value;
  return sum;
}
double dot(const double* x, const double* y, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
/// The same with even and odd terms apart, by eights.
double dot_apart(const double* x, const double* y, std::size_t n) {
  const std::size_t eights = n / 8 * 8;
  double even = 0.0, odd = 0.0;
  for (std::size_t i = 0; i < eights; i += 2) {
    even += x[i] * y[i];
    odd += x[i + 1] * y[i + 1];
  }
  double sum = even + odd;
  for (std::size_t i = eights; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
/// A x, in wide matrices by sixteen columns at a time.
Vector product(const Matrix& A, const Vector& x) {
  const std::size_t width = A.columns < 128 ? A.columns : 16;
  Vector result(A.rows, 0.0), part(A.rows);
  for (std::size_t first = 0; first < A.columns; first += width) {
    std::fill(part.begin(), part.end(), 0.0);
    for (std::size_t j = first; j < std::min(first + width, A.columns); ++j)
      for (std::size_t i = 0; i < A.rows; ++i) part[i] += A(i, j) * x[j];
    for (std::size_t i = 0; i < A.rows; ++i) result[i] += part[i];
  }
  return result;
}
/// Aᵀ x.
Vector transposed_product(const Matrix& A, const Vector& x) {
  Vector result(A.columns);
  for (std::size_t j = 0; j < A.columns; ++j) result[j] = dot(A.column(j), x.data(), A.rows);
  return result;
}
/// x + length·direction.
Vector moved(const Vector& x, double length, const Vector& direction) {
  Vector result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = x[i] + length * direction[i];
  return result;
}

/// The barrier Σ ln ω_v + Σ ln(f_u/t − 1) on ω = start + basis·y.
template <typename Reward>
class Barrier {
 public:
  Barrier(const Reward& reward, const ModelView& model, const OptimalFace& face, const Matrix& basis,
          const Vector& start)
      : reward_(reward), model_(model), basis_(basis), omega_(start), best_(face.fixed.front()) {
    const auto n = static_cast<std::size_t>(model.K);
    std::vector<char> is_fixed(n, 0);
    for (const std::size_t u : face.fixed) is_fixed[u] = 1;
    for (std::size_t u = 0; u < n; ++u)
      if (is_fixed[u] == 0) free_arms_.push_back(u);
    columns_ = Matrix(start.size(), free_arms_.size());
    Vector all(n, 0.0);
    for (std::size_t i = 0; i < start.size(); ++i) {
      const std::size_t v = face.support[i];
      all[v] = start[i];
      best_rate_ += start[i] * model.graph[v * n + best_];
      for (std::size_t j = 0; j < columns_.columns; ++j) columns_(i, j) = model.graph[v * n + free_arms_[j]];
    }
    // The last bits of allocations in result files hang on the order of these sums: in larger products, for
    // all but the last columns of the basis, even and odd terms were summed apart, and still are.
    const bool large = basis.rows + basis.columns + columns_.columns >= 20 && columns_.columns > 1;
    const std::size_t apart = large ? basis.columns / 4 * 4 : 0;
    columns_on_face_ = Matrix(basis.columns, columns_.columns);
    for (std::size_t j = 0; j < columns_.columns; ++j)
      for (std::size_t i = 0; i < basis.columns; ++i)
        columns_on_face_(i, j) =
            (i < apart ? &dot_apart : &dot)(columns_.column(j), basis.column(i), basis.rows);
    value_ = 1.0 / time_of(model, all);
    stride_ = (basis.columns + 7) / 8 * 8;
    factors_.resize((basis.rows + columns_.columns) * stride_);
    matrix_.resize(stride_ * stride_);
  }

  /// Newton's method with halved steps, to the maximum.
  const Vector& maximise() {
    constexpr int kMostSteps = 200;
    constexpr int kHalvings = 40;
    constexpr double kNear = 1e-20;  // of the squared decrement
    const auto ld = static_cast<std::ptrdiff_t>(stride_);
    const auto d = static_cast<int>(basis_.columns);
    for (int step = 0; step < kMostSteps; ++step) {
      const Vector gradient = gradient_and_curvature();
      Vector dy = gradient;
      kernels::cholesky(matrix_.data(), ld, d);
      kernels::cholesky_solve(matrix_.data(), ld, d, dy.data());
      const double decrement = dot(gradient.data(), dy.data(), dy.size());
      if (!(decrement > kNear)) break;
      const Vector direction = product(basis_, dy);
      const double before = at(omega_);
      double length = decrement < 0.06 ? 1.0 : 2.0 / (1.0 + std::sqrt(decrement));
      int halvings = 0;
      while (halvings < kHalvings && !(at(moved(omega_, length, direction)) >= before)) {
        length *= 0.5;
        ++halvings;
      }
      if (halvings == kHalvings) break;  // rounding is all that is left
      omega_ = moved(omega_, length, direction);
    }
    return omega_;
  }

 private:
  /// −∞ where it is not defined.
  [[nodiscard]] double at(const Vector& omega) const {
    double total = 0.0;
    for (const double share : omega) total += log(share);
    const Vector rates = transposed_product(columns_, omega);
    for (std::size_t j = 0; j < rates.size(); ++j) {
      const double value = evidence(reward_, model_.means[best_], mean(j), best_rate_, rates[j]).value;
      total += log(value / value_ - 1.0);
    }
    return std::isnan(total) ? -kInfinity : total;
  }

  /// The gradient by y; minus the Hessian, a sum of squares, goes to matrix_.
  Vector gradient_and_curvature() {
    const std::size_t d = basis_.columns;
    Vector gradient(d, 0.0);
    for (std::size_t i = 0; i < basis_.rows; ++i) {
      double* row = factors_.data() + i * stride_;
      for (std::size_t k = 0; k < d; ++k) {
        row[k] = basis_(i, k) / omega_[i];
        gradient[k] += row[k];
      }
    }
    const Vector rates = transposed_product(columns_, omega_);
    for (std::size_t j = 0; j < rates.size(); ++j) {
      const Evidence e = evidence(reward_, model_.means[best_], mean(j), best_rate_, rates[j]);
      const Curvature c = curvature(reward_, model_.means[best_], mean(j), best_rate_, rates[j]);
      const double room = e.value - value_;
      const double slope = e.from_arm / room;
      const double root = std::sqrt(slope * slope + c.scale * c.arm * c.arm / room);
      double* row = factors_.data() + (basis_.rows + j) * stride_;
      for (std::size_t k = 0; k < d; ++k) {
        gradient[k] += slope * columns_on_face_(k, j);
        row[k] = root * columns_on_face_(k, j);
      }
    }
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    kernels::rank_update(
        matrix_.data(), factors_.data(), factors_.data(), static_cast<std::ptrdiff_t>(stride_), 0,
        static_cast<int>(basis_.rows + rates.size()), 0, static_cast<int>(d), static_cast<int>(d), 1.0);
    return gradient;
  }
  [[nodiscard]] double mean(std::size_t j) const { return model_.means[free_arms_[j]]; }

  const Reward& reward_;
  const ModelView& model_;
  const Matrix& basis_;
  Vector omega_;
  std::size_t best_;
  std::vector<std::size_t> free_arms_;    // those that do not bind
  Matrix columns_{0, 0};                  // of G at the support and these arms
  Matrix columns_on_face_{0, 0};          // basisᵀ times those
  double best_rate_ = 0.0, value_ = 0.0;  // m_a and t
  std::size_t stride_ = 0;
  Vector factors_, matrix_;
};

/// Whether the columns of G at the face's fixed vertices plainly tell all vertices of the support apart:
/// their Gram matrix C Cᵀ, scaled to a diagonal of ones, has no small pivot. On large sparse graphs nearly
/// everything binds, and this takes no time beside a dense QR. False says nothing.
bool is_plainly_a_point(const ModelView& model, const OptimalFace& face) {
  constexpr double kPlain = 1e-6;
  constexpr int kNone = -1;
  const auto size = static_cast<int>(face.support.size());
  std::vector<int> place(static_cast<std::size_t>(model.K), kNone);
  for (const std::size_t u : face.fixed) place[u] = 0;
  std::vector<std::vector<std::pair<int, double>>> columns(static_cast<std::size_t>(model.K));
  Vector squares(face.support.size(), 0.0);
  for (int i = 0; i < size; ++i) {
    const auto row = static_cast<std::size_t>(i);
    model.for_each_edge(static_cast<int>(face.support[row]), [&](int u, double p) {
      if (place[static_cast<std::size_t>(u)] == kNone) return;
      columns[static_cast<std::size_t>(u)].emplace_back(i, p);
      squares[row] += p * p;
    });
    if (squares[row] == 0.0) return false;
  }
  std::vector<std::pair<int, int>> pattern;
  for (const auto& column : columns)
    for (const auto& [i, p] : column)
      for (const auto& [j, q] : column)
        if (j <= i) pattern.emplace_back(i, j);
  if (static_cast<double>(pattern.size()) > 0.05 * size * size) return false;
  SparseCholesky gram;
  gram.analyse(size, pattern, {});
  if (gram.work() > 0.05 * size * size * static_cast<double>(size)) return false;
  for (const auto& column : columns)
    for (const auto& [i, p] : column)
      for (const auto& [j, q] : column)
        if (j <= i)
          gram.values()[gram.slot(i, j)] +=
              p * q / std::sqrt(squares[static_cast<std::size_t>(i)] * squares[static_cast<std::size_t>(j)]);
  gram.factor();
  return gram.smallest_pivot() >= kPlain;
}

}  // namespace

int centre_of_face(const ModelView& model, const OptimalFace& face, std::span<double> omega) {
  const auto n = static_cast<std::size_t>(model.K);
  const std::size_t size = face.support.size();
  constexpr std::size_t kManyVertices = 100;
  if (size >= kManyVertices && is_plainly_a_point(model, face)) return 0;
  Matrix columns(size, face.fixed.size() + 1);
  for (std::size_t i = 0; i < size; ++i) {
    columns(i, 0) = 1.0;
    for (std::size_t j = 1; j < columns.columns; ++j)
      columns(i, j) = model.graph[face.support[i] * n + face.fixed[j - 1]];
  }
  // Columns of unit length: an edge probability of 1e-6 must not pass for a zero.
  for (std::size_t j = 0; j < columns.columns; ++j)
    if (const double length = std::sqrt(dot(columns.column(j), columns.column(j), size)); length > 0.0)
      for (std::size_t i = 0; i < size; ++i) columns(i, j) /= length;
  const PivotedQr qr(std::move(columns));
  const std::size_t dimension = size - qr.rank(1e-9);
  constexpr std::size_t kLargest = 256;  // beyond, the allocation stays as it is: a step costs K³
  if (dimension == 0 || dimension > kLargest) return static_cast<int>(dimension);

  Matrix basis(size, dimension);
  for (std::size_t k = 0; k < dimension; ++k) basis(size - dimension + k, k) = 1.0;
  qr.apply_q(basis);
  Vector start(size);
  for (std::size_t i = 0; i < size; ++i) start[i] = omega[face.support[i]];
  const double total = sum_of(start);
  for (double& share : start) share /= total;
  const Vector centre = std::visit(
      [&](const auto& reward) -> Vector { return Barrier(reward, model, face, basis, start).maximise(); },
      *model.reward);
  std::fill(omega.begin(), omega.end(), 0.0);
  const double centre_total = sum_of(centre);
  for (std::size_t i = 0; i < size; ++i) omega[face.support[i]] = centre[i] / centre_total;
  return static_cast<int>(dimension);
}

}  // namespace tasfg
