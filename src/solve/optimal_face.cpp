#include "optimal_face.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <Eigen/Cholesky>
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
    columns_.resize(start.size(), static_cast<Index>(n - face.fixed.size()));
    best_column_.resize(start.size());
    for (Index i = 0; i < start.size(); ++i) {
      const std::size_t row = face.support[static_cast<std::size_t>(i)] * n;
      best_column_[i] = model.graph[row + best_];
      Index j = 0;
      for (std::size_t u = 0; u < n; ++u)
        if (is_fixed[u] == 0) columns_(i, j++) = model.graph[row + u];
    }
    for (std::size_t u = 0; u < n; ++u)
      if (is_fixed[u] == 0) free_arms_.push_back(u);
    best_rate_ = best_column_.dot(start);
    value_ = 1.0 / time_of_start(n, face);
  }

  /// Where the barrier is finite.
  [[nodiscard]] double at(const VectorXd& omega) const {
    if (!(omega.minCoeff() > 0.0)) return -std::numeric_limits<double>::infinity();
    double total = 0.0;
    for (Index i = 0; i < omega.size(); ++i) total += log(omega[i]);
    const VectorXd rates = columns_.transpose() * omega;
    for (Index j = 0; j < rates.size(); ++j) total += log(slack(j, rates[j]));
    return std::isnan(total) ? -std::numeric_limits<double>::infinity() : total;
  }

  /// Newton's method with halved steps, to the maximum.
  const VectorXd& maximise() {
    constexpr int kMostSteps = 200;
    constexpr int kHalvings = 40;
    constexpr double kNear = 1e-20;  // of the squared decrement
    for (int step = 0; step < kMostSteps; ++step) {
      VectorXd gradient = omega_.cwiseInverse();
      MatrixXd curvature_matrix = omega_.cwiseInverse().array().square().matrix().asDiagonal();
      const VectorXd rates = columns_.transpose() * omega_;
      for (Index j = 0; j < rates.size(); ++j) {
        const std::size_t u = free_arms_[static_cast<std::size_t>(j)];
        const Evidence e = evidence(reward_, model_.means[best_], model_.means[u], best_rate_, rates[j]);
        const Curvature c = curvature(reward_, model_.means[best_], model_.means[u], best_rate_, rates[j]);
        const double room = e.value - value_;
        const double slope = e.from_arm / room;
        gradient += slope * columns_.col(j);
        curvature_matrix += (slope * slope + c.uu / room) * columns_.col(j) * columns_.col(j).transpose();
      }
      const VectorXd along = basis_.transpose() * gradient;
      const VectorXd dy = (basis_.transpose() * curvature_matrix * basis_).ldlt().solve(along);
      const double decrement = along.dot(dy);
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
  [[nodiscard]] double slack(Index j, double rate) const {
    const std::size_t u = free_arms_[static_cast<std::size_t>(j)];
    return evidence(reward_, model_.means[best_], model_.means[u], best_rate_, rate).value / value_ - 1.0;
  }
  [[nodiscard]] double time_of_start(std::size_t n, const OptimalFace& face) const {
    std::vector<double> all(n, 0.0);
    for (std::size_t i = 0; i < face.support.size(); ++i)
      all[face.support[i]] = omega_[static_cast<Index>(i)];
    return time_of(model_, all);
  }

  const Reward& reward_;
  const ModelView& model_;
  const MatrixXd& basis_;
  VectorXd omega_;
  std::size_t best_;
  MatrixXd columns_;  // of G at the support and the arms that do not bind
  VectorXd best_column_;
  std::vector<std::size_t> free_arms_;
  double best_rate_ = 0.0, value_ = 0.0;
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
