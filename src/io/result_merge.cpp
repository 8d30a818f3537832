// One file out of others: a file that grows, and shards that are joined.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "result_impl.hpp"
#include <fmt/format.h>
#include <sys/stat.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr std::int64_t kBlock = 4096;  // seeds copied at a time
constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

/// For each of `wanted`, where it stands in `held`.
template <typename Wanted, typename Held, typename Same>
std::vector<std::size_t> positions(const Wanted& wanted, const Held& held, Same same) {
  std::vector<std::size_t> at;
  for (const auto& each : wanted) {
    const auto found =
        std::find_if(held.begin(), held.end(), [&](const auto& other) { return same(each, other); });
    at.push_back(found == held.end() ? kAbsent : static_cast<std::size_t>(found - held.begin()));
  }
  return at;
}

/// One row of the old file as the new one has it: pending where the old one lacks a δ or stopped too early.
void copy_row(ConstRunRow from, RunRow to, const std::vector<std::size_t>& deltas, bool longer) {
  const bool complete = std::find(deltas.begin(), deltas.end(), kAbsent) == deltas.end();
  const bool settled = from.status() == TaskStatus::done || from.status() == TaskStatus::failed ||
                       (from.status() == TaskStatus::capped && !longer);
  if (!settled) return;
  if (complete || from.status() == TaskStatus::failed) {
    to.set_status(from.status());
    to.steps() = from.steps();
    to.set_seconds(from.seconds());
    to.attempts() = from.attempts();
    std::copy(from.pulls().begin(), from.pulls().end(), to.pulls().begin());
  }
  for (std::size_t d = 0; d < deltas.size(); ++d)
    if (deltas[d] != kAbsent) to.set_verdict(d, from.verdict(deltas[d]));
}

void copy_results(const ResultFile::Impl& from, const ResultFile::Impl& to) {
  const ResultLayout& held = from.layout;
  const ResultLayout& wanted = to.layout;
  std::map<std::string_view, std::size_t> labels;
  for (std::size_t c = 0; c < held.cases.size(); ++c) labels.emplace(held.cases[c].label, c);
  const std::vector<std::size_t> algorithms =
      positions(wanted.algorithms, held.algorithms, [](const auto& a, const auto& b) { return a == b; });
  const std::vector<std::size_t> deltas =
      positions(wanted.log_inv_delta, held.log_inv_delta, [](double a, double b) { return a == b; });
  const bool longer = wanted.max_steps > held.max_steps;
  for (std::size_t c = 0; c < wanted.cases.size(); ++c) {
    const auto old_case = labels.find(wanted.cases[c].label);
    if (old_case == labels.end()) continue;
    const CaseResult solution = from.read_case(old_case->second);
    if (solution.status != TaskStatus::pending) to.write_case(c, solution);
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      if (algorithms[a] == kAbsent) continue;
      const std::size_t old_cell = old_case->second * held.algorithms.size() + algorithms[a];
      const std::size_t cell = c * wanted.algorithms.size() + a;
      for (std::int64_t first = 0; first < held.replications; first += kBlock) {
        const std::int64_t n = std::min(kBlock, held.replications - first);
        const std::vector<std::int64_t> old_words = from.read_rows(old_cell, first, n);
        std::vector<std::int64_t> words;
        for (std::int64_t i = 0; i < n; ++i)
          copy_row({old_words.data() + static_cast<std::size_t>(i) * from.shape().words(), from.shape()},
                   append_row(words, to.shape(), static_cast<std::int64_t>(cell), first + i), deltas, longer);
        to.write_rows(words);
      }
    }
  }
}

/// The rows of one task in several files: which to keep. Settled ones must agree; the quickest is kept, so
/// that the order of the files does not matter.
class RowChoice {
 public:
  explicit RowChoice(std::size_t deltas) : deltas_(deltas) {}

  /// False where `row` contradicts the one kept so far.
  bool offer(ConstRunRow row, std::size_t file) {
    if (kept_ == nullptr || rank(row) > rank(*kept_)) {
      attempts_ = std::max(attempts_, row.attempts());
      kept_ = std::make_unique<ConstRunRow>(row);
      file_ = file;
      return true;
    }
    attempts_ = std::max(attempts_, row.attempts());
    if (rank(row) < rank(*kept_) || rank(row) < 2) return true;
    if (row.status() != kept_->status() || checksum(row, deltas_) != checksum(*kept_, deltas_)) return false;
    if (row.seconds() < kept_->seconds()) kept_ = std::make_unique<ConstRunRow>(row);
    return true;
  }
  [[nodiscard]] std::size_t file() const { return file_; }
  void copy_to(RunRow to) const {
    std::copy(kept_->words().begin(), kept_->words().end(), to.words().begin());
    to.attempts() = attempts_;
  }

 private:
  static int rank(ConstRunRow row) {
    return row.status() == TaskStatus::pending ? 0 : row.status() == TaskStatus::failed ? 1 : 2;
  }
  std::size_t deltas_;
  std::unique_ptr<ConstRunRow> kept_;
  std::size_t file_ = 0;
  std::int64_t attempts_ = 0;
};

using Inputs = std::vector<std::unique_ptr<ResultFile::Impl>>;

void merge_cases(const Inputs& inputs, const ResultFile::Impl& out) {
  for (std::size_t c = 0; c < out.layout.cases.size(); ++c) {
    CaseResult kept;
    std::size_t from = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      CaseResult other = inputs[i]->read_case(c);
      if (other.status == TaskStatus::pending) continue;
      const bool both = kept.status == TaskStatus::done && other.status == TaskStatus::done;
      if (both && kept.checksum() != other.checksum())
        throw InputError(fmt::format("{} and {}: disagree on the solution of the case {}", inputs[from]->path,
                                     inputs[i]->path, out.layout.cases[c].label));
      if (both ? other.seconds < kept.seconds : kept.status != TaskStatus::done) {
        kept = std::move(other);
        from = i;
      }
    }
    if (kept.status != TaskStatus::pending) out.write_case(c, kept);
  }
}

void merge_runs(const Inputs& inputs, const ResultFile::Impl& out) {
  const ResultLayout& layout = out.layout;
  const RowShape shape = out.shape();
  for (std::size_t cell = 0; cell < layout.cells(); ++cell) {
    for (std::int64_t first = 0; first < layout.replications; first += kBlock) {
      const std::int64_t n = std::min(kBlock, layout.replications - first);
      std::vector<std::vector<std::int64_t>> blocks;
      for (const auto& input : inputs) blocks.push_back(input->read_rows(cell, first, n));
      std::vector<std::int64_t> words;
      for (std::int64_t i = 0; i < n; ++i) {
        RowChoice choice(shape.deltas);
        for (std::size_t k = 0; k < blocks.size(); ++k) {
          const ConstRunRow row(blocks[k].data() + static_cast<std::size_t>(i) * shape.words(), shape);
          if (!choice.offer(row, k))
            throw InputError(
                fmt::format("{} and {}: disagree on {} {} seed {} (files of two programs, or a damaged one)",
                            inputs[choice.file()]->path, inputs[k]->path,
                            layout.cases[cell / layout.algorithms.size()].label,
                            layout.algorithms[cell % layout.algorithms.size()].name, first + i));
        }
        choice.copy_to(append_row(words, shape, static_cast<std::int64_t>(cell), first + i));
      }
      out.write_rows(words);
    }
  }
}

std::set<std::string> split(const std::string& list) {
  std::set<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');)
    if (!part.empty()) parts.insert(part);
  return parts;
}

/// Provenance of the whole: all hosts, the earliest beginning, the latest update.
LiveState joined_state(const Inputs& inputs, bool complete) {
  LiveState state;
  std::set<std::string> hosts;
  for (const auto& input : inputs) {
    const LiveState each = input->read_live();
    hosts.merge(split(each.hosts));
    state.ranks = std::max(state.ranks, each.ranks);
    state.threads = std::max(state.threads, each.threads);
    state.updated = std::max(state.updated, each.updated);
  }
  state.hosts = fmt::format("{}", fmt::join(hosts, ","));
  state.status = complete ? "complete" : "interrupted";
  return state;
}

}  // namespace

ResultFile ResultFile::extend(const std::string& path, const ResultLayout& wanted, const LiveState& live) {
  const std::unique_ptr<Impl> old = open_file(path, Access::read);
  DraftFile draft(path);
  write_empty_file(draft.path(), path, wanted);
  {
    const std::unique_ptr<Impl> grown = open_file(draft.path(), Access::write);
    copy_results(*old, *grown);
    for (Failure failure : old->failures()) {
      const auto same_case = [&](const CaseInfo& c) {
        return c.label == old->layout.cases[static_cast<std::size_t>(failure.case_index)].label;
      };
      const auto found = std::find_if(wanted.cases.begin(), wanted.cases.end(), same_case);
      failure.case_index = static_cast<std::int32_t>(found - wanted.cases.begin());
      if (failure.algorithm >= 0)
        failure.algorithm = static_cast<std::int32_t>(
            std::find(wanted.algorithms.begin(), wanted.algorithms.end(),
                      old->layout.algorithms[static_cast<std::size_t>(failure.algorithm)]) -
            wanted.algorithms.begin());
      grown->add_failure(failure);
    }
    grown->write_live(live);
  }
  draft.publish();
  return open(path, Access::write);
}

ResultFile ResultFile::merge(const std::string& path, const std::vector<std::string>& paths) {
  Inputs inputs;
  struct stat info {};
  std::set<std::string> seen;
  std::vector<std::string> all = paths;
  if (::stat(path.c_str(), &info) == 0) all.insert(all.begin(), path);  // what is there is kept
  for (const std::string& each : all)
    if (seen.insert(each).second) inputs.push_back(open_file(each, Access::read));
  if (inputs.empty()) throw InputError("merge: nothing to merge (give the shards' files)");
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (same_grid(inputs[0]->layout, inputs[i]->layout)) continue;
    std::string why = why_not_extension(inputs[i]->layout, inputs[0]->layout);
    if (why.empty()) why = why_not_extension(inputs[0]->layout, inputs[i]->layout);
    throw InputError(fmt::format("{} and {}: are not of one job ({})", inputs[0]->path, inputs[i]->path,
                                 why.empty() ? "their cells come in another order" : why));
  }
  ResultLayout layout = inputs[0]->layout;
  layout.shard.clear();
  for (const auto& input : inputs) layout.created = std::min(layout.created, input->layout.created);
  DraftFile draft(path);
  write_empty_file(draft.path(), path, layout);
  {
    const std::unique_ptr<Impl> out = open_file(draft.path(), Access::write);
    out->path = path;
    merge_cases(inputs, *out);
    merge_runs(inputs, *out);
    bool complete = true;
    for (std::size_t c = 0; c < layout.cases.size(); ++c)
      complete &= out->read_case(c).status != TaskStatus::pending;
    std::vector<std::int8_t> statuses(static_cast<std::size_t>(layout.replications));
    for (std::size_t cell = 0; cell < layout.cells(); ++cell) {
      out->read(FieldId::status, out->run_index(cell, 0), statuses.data(), statuses.size());
      complete &= std::find(statuses.begin(), statuses.end(), 0) == statuses.end();
    }
    for (const auto& input : inputs)
      for (const Failure& failure : input->failures()) {
        const std::vector<Failure> there = out->failures();
        const bool known = std::any_of(there.begin(), there.end(), [&](const Failure& f) {
          return f.case_index == failure.case_index && f.algorithm == failure.algorithm &&
                 f.seed == failure.seed;
        });
        if (!known) out->add_failure(failure);
      }
    out->write_live(joined_state(inputs, complete));
  }
  draft.publish();
  return open(path, Access::write);
}

}  // namespace tasfg
