/// T* of models of many vertices and many edges, where an optimum uses few of them: on dense graphs a handful
/// of vertices is drawn and a handful of rivals binds, whatever K.
///
/// Problem:  as in characteristic_time.hpp.
/// Method:   column and row generation around the interior point. The model is restricted to a set W of
///           vertices, which may be drawn and must be told apart; its solution (ω, λ) is held against all
///           vertices: a rival outside W whose f_u is below the least of W's joins it, as does a vertex whose
///           price (G Σλ∇f)_v is above the highest of W's, the worst first. Passes over all vertices
///           cost |W|·K operations.
///           From one model to the next that differs little, Newton steps of a central point of the few that
///           matter are tried first (central_point.hpp).
/// Stops:    when the certificate over all vertices, not only those of W, reaches the gap asked for. Where W
///           grows to a part of the model for which that no longer pays, the whole model is solved at once.
/// Source:   Desaulniers, Desrosiers and Solomon (eds.), Column Generation, ch. 1.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "all_evidence.hpp"
#include "central_point.hpp"
#include "interior_point.hpp"

namespace tasfg {

class WorkingSet final : public InteriorPointSolver {
 public:
  explicit WorkingSet(Version version) : version_(version) {}

  /// Whether a model of K vertices is large enough for this to pay.
  [[nodiscard]] static bool suits(int K) { return K >= 48; }

  SolveInfo solve(const ModelView& model, Start start, const SolveOptions& options) override;
  std::span<double> allocation() override;
  std::span<const double> weights() override;
  std::span<const double> dual_point() override;
  /// Solves once more with all vertices in W that the prices allow to be drawn, so that the allocation is
  /// inside the face; where that are too many to centre, it is left where it is.
  OptimalFace face(const ModelView& model, const SolveOptions& options) override;

 private:
  /// An allocation and weights, with what they certify over all vertices.
  struct Ends {
    double low = 0.0, high = 0.0;  // least f_u; highest price, an upper end on 1/T*
    [[nodiscard]] double gap() const { return (high - low) / high; }
  };

  SolveInfo follow(const ModelView& model, Ends ends, const SolveOptions& options);
  SolveInfo solve_all(const ModelView& model, Start start, const SolveOptions& options);
  bool begin(const ModelView& model);
  void insert(const ModelView& model, std::size_t u);
  void gather(const ModelView& model);
  SolveInfo solve_restricted(const ModelView& model, const SolveOptions& options);
  void spread();
  void read(const ModelView& model);
  void forget_columns();
  void make_room(std::size_t columns);
  void read_columns(const ModelView& model, std::span<const std::size_t> vertices);
  void observe(const ModelView& model, const std::vector<double>& omega);
  void price(const ModelView& model, const std::vector<double>& lambda);
  Ends look(const ModelView& model, const std::vector<double>& omega, const std::vector<double>& lambda,
            const std::vector<double>& dual_omega);
  void prune(const Ends& all);
  bool extend(const ModelView& model, const Ends& all);

  Version version_;
  std::unique_ptr<InteriorPointSolver> whole_;  // for models that W does not suit
  bool solved_by_whole_ = false;
  int wait_ = 0, next_wait_ = kFirstWait;  // solves until W is tried again, and how many next time
  static constexpr int kFirstWait = 2, kLongestWait = 1024;

  int K_ = 0, best_ = -1;
  bool has_solution_ = false;
  std::vector<std::size_t> set_;  // W; the best vertex first
  std::vector<char> member_;
  bool same_set_ = false;  // as in the last restricted solve

  std::map<MatrixForm, std::unique_ptr<InteriorPointSolver>> inner_solvers_;
  InteriorPointSolver* inner_ = nullptr;  // of the last restricted solve
  std::vector<double> inner_graph_, inner_means_;

  std::vector<double> omega_, lambda_, dual_omega_;                 // of the last restricted solve
  bool one_point_ = false;                                          // ω is a multiple of the dual point
  std::vector<double> best_omega_, best_lambda_, best_dual_omega_;  // that attain the best ends
  std::vector<double> m_, prices_;                                  // over all vertices
  CentralPoint centre_;                                             // moves along with the model
  bool following_ = false;                                          // the last solution is its
  AllEvidence evidence_;                                            // of the model, at m_
  std::vector<std::size_t> order_;                                  // scratch
  std::vector<const double*> rows_;
  std::vector<double> factors_;

  // Columns of G that prices were summed from, side by side, with row revisions as of when they were read.
  std::vector<double> columns_, row_revision_;
  std::vector<std::size_t> column_vertices_;
  std::vector<int> column_of_;  // −1 where there is none
};

}  // namespace tasfg
