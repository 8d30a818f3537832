#include "result_schema.hpp"

#include <limits>

namespace tasfg {
namespace {

using enum Dimension;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<Dimension, 4> kCase{case_index, none, none, none};
constexpr std::array<Dimension, 4> kCaseVertex{case_index, vertex, none, none};
constexpr std::array<Dimension, 4> kRun{case_index, algorithm, seed, none};
constexpr std::array<Dimension, 4> kStop{case_index, algorithm, delta, seed};
constexpr std::array<Dimension, 4> kEntry{entry, none, none, none};

// In the order of FieldId.
constexpr StoredField kTable[] = {
    {FieldId::case_status, "cases", "status", FieldType::i8, kCase, 0, false, "1",
     "state of the case's solution"},
    {FieldId::T_star, "cases", "T_star", FieldType::f64, kCase, kNaN, true, "draws per nat",
     "characteristic time: the value of omega, an upper end"},
    {FieldId::T_star_lower, "cases", "T_star_lower", FieldType::f64, kCase, kNaN, true, "draws per nat",
     "certified lower end of the characteristic time"},
    {FieldId::T_heuristic, "cases", "T_heuristic", FieldType::f64, kCase, kNaN, true, "draws per nat",
     "T at the heuristic allocation"},
    {FieldId::T_uniform, "cases", "T_uniform", FieldType::f64, kCase, kNaN, true, "draws per nat",
     "T at the uniform allocation"},
    {FieldId::m_norm, "cases", "m_norm", FieldType::f64, kCase, kNaN, true, "1", "Euclidean norm of m"},
    {FieldId::tv_heuristic, "cases", "tv_heuristic", FieldType::f64, kCase, kNaN, true, "1",
     "total variation between omega and omega_heuristic"},
    {FieldId::case_seconds, "cases", "seconds", FieldType::f64, kCase, kNaN, true, "s",
     "time that the solution took"},
    {FieldId::alpha, "cases", "alpha", FieldType::i32, kCase, -1, true, "1",
     "independence number (a lower bound where alpha_upper is larger)"},
    {FieldId::alpha_upper, "cases", "alpha_upper", FieldType::i32, kCase, -1, true, "1",
     "upper bound of the independence number"},
    {FieldId::weak_domination, "cases", "weak_domination", FieldType::i32, kCase, -1, true, "1",
     "weak domination number (an upper bound where weak_domination_lower is smaller)"},
    {FieldId::weak_domination_lower, "cases", "weak_domination_lower", FieldType::i32, kCase, -1, true, "1",
     "lower bound of the weak domination number"},
    {FieldId::domination, "cases", "domination", FieldType::i32, kCase, -1, true, "1",
     "size of the smallest dominating set found"},
    {FieldId::self_loops, "cases", "self_loops", FieldType::i32, kCase, -1, true, "1",
     "number of vertices with a self-loop, sigma(G)"},
    {FieldId::face_dimension, "cases", "face_dimension", FieldType::i32, kCase, -1, true, "1",
     "dimension of the set of optimal allocations; 0: omega is unique"},
    {FieldId::iterations, "cases", "iterations", FieldType::i32, kCase, -1, true, "1",
     "iterations of the solver"},
    {FieldId::case_checksum, "cases", "checksum", FieldType::u32, kCase, 0, false, "1",
     "CRC-32 of the case's solution"},
    {FieldId::omega, "cases", "omega", FieldType::f64, kCaseVertex, kNaN, true, "1",
     "optimal allocation (the analytic centre where it is not unique)"},
    {FieldId::omega_heuristic, "cases", "omega_heuristic", FieldType::f64, kCaseVertex, kNaN, true, "1",
     "heuristic allocation"},
    {FieldId::m, "cases", "m", FieldType::f64, kCaseVertex, kNaN, true, "observations per draw",
     "observation rates at omega"},
    {FieldId::status, "runs", "status", FieldType::i8, kRun, 0, false, "1", "state of the run"},
    {FieldId::steps, "runs", "steps", FieldType::i64, kRun, -1, true, "draws", "draws of the trajectory"},
    {FieldId::seconds, "runs", "seconds", FieldType::f64, kRun, kNaN, true, "s",
     "time that the trajectory took"},
    {FieldId::attempts, "runs", "attempts", FieldType::i32, kRun, 0, false, "1",
     "times that the run was handed to a worker"},
    {FieldId::checksum, "runs", "checksum", FieldType::u32, kRun, 0, false, "1",
     "CRC-32 of the run's results"},
    {FieldId::tau, "runs", "tau", FieldType::i64, kStop, -1, true, "draws",
     "stopping time (draws made, where not stopped)"},
    {FieldId::recommended, "runs", "recommended", FieldType::i32, kStop, -1, true, "1",
     "recommended vertex, from 0"},
    {FieldId::correct, "runs", "correct", FieldType::i8, kStop, -1, true, "1",
     "1: the recommended vertex is the best one"},
    {FieldId::stopped, "runs", "stopped", FieldType::i8, kStop, -1, true, "1",
     "1: stopped at this delta; 0: capped before"},
    {FieldId::pulls,
     "runs",
     "pulls",
     FieldType::i64,
     {case_index, algorithm, seed, vertex},
     -1,
     true,
     "draws",
     "draws of each vertex"},
    {FieldId::failure_case, "failures", "case", FieldType::i32, kEntry, -1, true, "1",
     "case of a failed task"},
    {FieldId::failure_algorithm, "failures", "algorithm", FieldType::i32, kEntry, -1, true, "1",
     "its algorithm; missing: the case's solution"},
    {FieldId::failure_seed, "failures", "seed", FieldType::i64, kEntry, -1, true, "1", "its seed"},
    {FieldId::failure_message, "failures", "message", FieldType::text, kEntry, 0, false, "",
     "what went wrong"},
};
static_assert(std::size(kTable) == kFields);

}  // namespace

std::size_t StoredField::rank() const {
  std::size_t n = 0;
  while (n < dimensions.size() && dimensions[n] != none) ++n;
  return n;
}

std::size_t StoredField::bytes() const {
  switch (type) {
    case FieldType::i8:
      return 1;
    case FieldType::i32:
    case FieldType::u32:
      return 4;
    case FieldType::i64:
    case FieldType::f64:
      return 8;
    case FieldType::text:
      return kFailureText;
  }
  return 0;
}

hid_t StoredField::file_type() const {
  switch (type) {
    case FieldType::i8:
      return H5T_STD_I8LE;
    case FieldType::i32:
      return H5T_STD_I32LE;
    case FieldType::u32:
      return H5T_STD_U32LE;
    case FieldType::i64:
      return H5T_STD_I64LE;
    case FieldType::f64:
      return H5T_IEEE_F64LE;
    case FieldType::text:
      break;
  }
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, kFailureText);
  H5Tset_cset(text, H5T_CSET_UTF8);
  return text;
}

std::span<const StoredField> fields() {
  return kTable;
}

std::size_t extent(Dimension dimension, const ResultLayout& layout) {
  switch (dimension) {
    case case_index:
      return layout.cases.size();
    case algorithm:
      return layout.algorithms.size();
    case delta:
      return layout.delta.size();
    case seed:
      return static_cast<std::size_t>(layout.replications);
    case vertex:
      return layout.vertices();
    case entry:
      return kFailures;
    case none:
      break;
  }
  return 1;
}

std::size_t values(const StoredField& field, const ResultLayout& layout) {
  std::size_t n = 1;
  for (const Dimension dimension : field.dimensions) n *= extent(dimension, layout);
  return n;
}

std::string_view to_string(Dimension dimension) {
  switch (dimension) {
    case case_index:
      return "case";
    case algorithm:
      return "algorithm";
    case delta:
      return "delta";
    case seed:
      return "seed";
    case vertex:
      return "vertex";
    case entry:
      return "entry";
    case none:
      break;
  }
  return "";
}

}  // namespace tasfg
