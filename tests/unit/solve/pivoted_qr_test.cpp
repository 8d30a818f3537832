#include "solve/pivoted_qr.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

double dot(const double* x, const double* y, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/// A random matrix of that rank, with columns of very different lengths.
Matrix random_matrix(PhiloxStream& stream, std::size_t rows, std::size_t columns, std::size_t rank) {
  Matrix left(rows, rank), result(rows, columns);
  for (double& value : left.values) value = stream.uniform() - 0.5;
  for (std::size_t j = 0; j < columns; ++j) {
    const double length = j % 3 == 0 ? 1.0 : j % 3 == 1 ? 1e3 : 1e-3;
    for (std::size_t k = 0; k < rank; ++k) {
      const double weight = length * (stream.uniform() - 0.5);
      for (std::size_t i = 0; i < rows; ++i) result(i, j) += weight * left(i, k);
    }
  }
  return result;
}

TEST(PivotedQr, FindsTheRankAndABasisOfWhatIsOrthogonalToAllColumns) {
  PhiloxStream stream(stream_key(11));
  struct Case {
    std::size_t rows, columns, rank;
  };
  for (const auto& [rows, columns, rank] : {Case{1, 1, 1}, Case{5, 3, 3}, Case{3, 5, 3}, Case{12, 7, 4},
                                            Case{40, 60, 11}, Case{60, 55, 50}, Case{6, 4, 0}}) {
    const Matrix matrix = random_matrix(stream, rows, columns, rank);
    const PivotedQr qr(matrix);
    ASSERT_EQ(qr.rank(1e-9), rank) << rows;
    Matrix basis(rows, rows - rank);
    for (std::size_t k = 0; k < basis.columns; ++k) basis(rank + k, k) = 1.0;
    qr.apply_q(basis);
    for (std::size_t k = 0; k < basis.columns; ++k) {
      for (std::size_t l = 0; l < basis.columns; ++l)
        EXPECT_NEAR(dot(basis.column(k), basis.column(l), rows), k == l ? 1.0 : 0.0, 1e-13) << rows;
      for (std::size_t j = 0; j < columns; ++j)
        EXPECT_NEAR(dot(basis.column(k), matrix.column(j), rows), 0.0, 1e-11) << rows;
    }
  }
}

TEST(PivotedQr, FindsTheShortestSolutionOfEquationsThatDependOnEachOther) {
  PhiloxStream stream(stream_key(12));
  for (const std::size_t rank : {3U, 7U, 9U}) {
    // Equations Aᵀx = b with b = Aᵀy: what is shortest is orthogonal to all that A's columns do not reach.
    const std::size_t rows = 9, columns = 12;
    const Matrix matrix = random_matrix(stream, rows, columns, rank);
    std::vector<double> y(rows), b(columns);
    for (double& value : y) value = stream.uniform() - 0.5;
    for (std::size_t j = 0; j < columns; ++j) b[j] = dot(matrix.column(j), y.data(), rows);
    const PivotedQr qr(matrix);
    const std::vector<double> x = qr.shortest(b, rank);
    for (std::size_t j = 0; j < columns; ++j)
      EXPECT_NEAR(dot(matrix.column(j), x.data(), rows), b[j], 1e-10) << rank;
    Matrix rest(rows, rows - rank);
    for (std::size_t k = 0; k < rest.columns; ++k) rest(rank + k, k) = 1.0;
    qr.apply_q(rest);
    for (std::size_t k = 0; k < rest.columns; ++k)
      EXPECT_NEAR(dot(rest.column(k), x.data(), rows), 0.0, 1e-10) << rank;
  }
}

}  // namespace
}  // namespace tasfg
