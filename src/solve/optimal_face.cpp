#include "optimal_face.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "kernels.hpp"
#include <Eigen/QR>

#include "tasfg/base/elementary.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The barrier Σ ln ω_v + Σ ln(f_u/t − 1) on ω = start + basis·y.
template <typename Reward>
class Barrier {
 public:
  Barrier(const Reward& reward, const ModelView& model, const OptimalFace& face, const MatrixXd& basis,
          const VectorXd& start)
      : reward_(reward), model_(model), basis_(basis), omega_(start), best_(face.fixed.front()) {
    const auto n = static_cast<std::size_t>(model.K);
    std::vector<char> is_fixed(n, 0);
    for (const std::size_t u : face.fixed) is_fixed[u] = 1;
    for (std::size_t u = 0; u < n; ++u)
      if (is_fixed[u] == 0) free_arms_.push_back(u);
    columns_.resize(start.size(), static_cast<Index>(free_arms_.size()));
    std::vector<double> all(n, 0.0);
    for (Index i = 0; i < start.size(); ++i) {
      const std::size_t v = face.support[static_cast<std::size_t>(i)];
      all[v] = start[i];
      best_rate_ += start[i] * model.graph[v * n + best_];
      for (Index j = 0; j < columns_.cols(); ++j)
        columns_(i, j) = model.graph[v * n + free_arms_[static_cast<std::size_t>(j)]];
    }
    columns_on_face_ = columns_.transpose() * basis_;
    value_ = 1.0 / time_of(model, all);
    stride_ = (basis_.cols() + 7) / 8 * 8;
    const auto rows = static_cast<std::size_t>(basis_.rows() + columns_.cols());
    factors_.resize(rows * static_cast<std::size_t>(stride_));
    matrix_.resize(static_cast<std::size_t>(stride_ * stride_));
  }

  /// Newton's method with halved steps, to the maximum.
  const VectorXd& maximise() {
    constexpr int kMostSteps = 200;
    constexpr int kHalvings = 40;
    constexpr double kNear = 1e-20;  // of the squared decrement
    for (int step = 0; step < kMostSteps; ++step) {
      const VectorXd gradient = gradient_and_curvature();
      VectorXd dy = gradient;
      const auto d = static_cast<int>(dy.size());
      kernels::cholesky(matrix_.data(), stride_, d);
      kernels::cholesky_solve(matrix_.data(), stride_, d, dy.data());
      const double decrement = gradient.dot(dy);
      if (!(decrement > kNear)) break;
      const VectorXd direction = basis_ * dy;
      const double before = at(omega_);
      double length = decrement < 0.06 ? 1.0 : 2.0 / (1.0 + std::sqrt(decrement));
      int halvings = 0;
      while (halvings < kHalvings && !(at(omega_ + length * direction) >= before)) {
        length *= 0.5;
        ++halvings;
      }
      if (halvings == kHalvings) break;  // rounding is all that is left
      omega_ += length * direction;
    }
    return omega_;
  }

 private:
  /// −∞ where it is not defined.
  [[nodiscard]] double at(const VectorXd& omega) const {
    double total = 0.0;
    for (Index i = 0; i < omega.size(); ++i) total += log(omega[i]);
    const VectorXd rates = columns_.transpose() * omega;
    for (Index j = 0; j < rates.size(); ++j) {
      const double value = evidence(reward_, model_.means[best_], mean(j), best_rate_, rates[j]).value;
      total += log(value / value_ - 1.0);
    }
    return std::isnan(total) ? -std::numeric_limits<double>::infinity() : total;
  }

  /// The gradient by y; minus the Hessian, a sum of squares, goes to matrix_.
  VectorXd gradient_and_curvature() {
    const auto row = [this](Index i) {
      return Eigen::Map<VectorXd>(factors_.data() + i * stride_, basis_.cols());
    };
    VectorXd gradient = VectorXd::Zero(basis_.cols());
    for (Index i = 0; i < basis_.rows(); ++i) {
      row(i) = basis_.row(i).transpose() / omega_[i];
      gradient += row(i);
    }
    const VectorXd rates = columns_.transpose() * omega_;
    for (Index j = 0; j < rates.size(); ++j) {
      const Evidence e = evidence(reward_, model_.means[best_], mean(j), best_rate_, rates[j]);
      const Curvature c = curvature(reward_, model_.means[best_], mean(j), best_rate_, rates[j]);
      const double room = e.value - value_;
      const double slope = e.from_arm / room;
      gradient += slope * columns_on_face_.row(j).transpose();
      row(basis_.rows() + j) =
          std::sqrt(slope * slope + c.scale * c.arm * c.arm / room) * columns_on_face_.row(j).transpose();
    }
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    const auto d = static_cast<int>(basis_.cols());
    kernels::rank_update(matrix_.data(), factors_.data(), factors_.data(), stride_, 0,
                         static_cast<int>(basis_.rows() + rates.size()), 0, d, d, 1.0);
    return gradient;
  }
  [[nodiscard]] double mean(Index j) const { return model_.means[free_arms_[static_cast<std::size_t>(j)]]; }

  const Reward& reward_;
  const ModelView& model_;
  const MatrixXd& basis_;
  VectorXd omega_;
  std::size_t best_;
  std::vector<std::size_t> free_arms_;    // those that do not bind
  MatrixXd columns_, columns_on_face_;    // of G at the support and these arms; times the basis
  double best_rate_ = 0.0, value_ = 0.0;  // m_a and t
  std::ptrdiff_t stride_ = 0;
  std::vector<double> factors_, matrix_;
};

}  // namespace

int centre_of_face(const ModelView& model, const OptimalFace& face, std::span<double> omega) {
  const auto n = static_cast<std::size_t>(model.K);
  const auto size = static_cast<Index>(face.support.size());
  MatrixXd columns(size, static_cast<Index>(face.fixed.size()) + 1);
  for (Index i = 0; i < size; ++i) {
    columns(i, 0) = 1.0;
    for (Index j = 1; j < columns.cols(); ++j)
      columns(i, j) = model.graph[face.support[static_cast<std::size_t>(i)] * n +
                                  face.fixed[static_cast<std::size_t>(j) - 1]];
  }
  // Columns of unit length: an edge probability of 1e-6 must not pass for a zero.
  for (Index j = 0; j < columns.cols(); ++j)
    if (const double length = columns.col(j).norm(); length > 0.0) columns.col(j) /= length;
  Eigen::ColPivHouseholderQR<MatrixXd> qr(columns);
  qr.setThreshold(1e-9);
  const Index dimension = size - qr.rank();
  constexpr Index kLargest = 256;  // beyond, the allocation stays as it is: a step costs K³
  if (dimension == 0 || dimension > kLargest) return static_cast<int>(dimension);

  MatrixXd basis = MatrixXd::Zero(size, dimension);
  basis.bottomRows(dimension).setIdentity();
  basis.applyOnTheLeft(qr.householderQ());
  VectorXd start(size);
  for (Index i = 0; i < size; ++i) start[i] = omega[face.support[static_cast<std::size_t>(i)]];
  start /= start.sum();
  const VectorXd centre = std::visit(
      [&](const auto& reward) -> VectorXd { return Barrier(reward, model, face, basis, start).maximise(); },
      *model.reward);
  std::fill(omega.begin(), omega.end(), 0.0);
  for (Index i = 0; i < size; ++i)
    omega[face.support[static_cast<std::size_t>(i)]] = centre[i] / centre.sum();
  return static_cast<int>(dimension);
}

}  // namespace tasfg
