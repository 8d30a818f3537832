// One file out of others: a file that grows, and shards that are joined. A run is copied only where its
// checksum fits it.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "draft_file.hpp"
#include "result_impl.hpp"
#include <fmt/format.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

/// For each of `wanted`, where it stands in `held`.
template <typename Value>
std::vector<std::size_t> positions(const std::vector<Value>& wanted, const std::vector<Value>& held) {
  std::vector<std::size_t> at;
  for (const Value& each : wanted) {
    const auto found = std::find(held.begin(), held.end(), each);
    at.push_back(found == held.end() ? kAbsent : static_cast<std::size_t>(found - held.begin()));
  }
  return at;
}

/// How the values of one record move from an old file's columns to a larger one's.
class Growth {
 public:
  Growth(const ResultLayout& held, const ResultLayout& wanted)
      : deltas_(positions(wanted.log_inv_delta, held.log_inv_delta)),
        checkpoints_(positions(wanted.checkpoints, held.checkpoints)),
        old_(held),
        new_(wanted) {}

  /// What one column of the new file takes from the old.
  struct Move {
    std::size_t from = kAbsent;  // position of the old column
    bool complete = true;        // nothing is missing but vertices that the case does not have
    bool same = true;            // every value stays where it was
    struct Part {
      std::size_t to, from, bytes;
    };
    std::vector<Part> parts;  // of one record
  };
  [[nodiscard]] std::vector<Move> moves(std::span<const Column> from, std::span<const Column> to) const {
    std::vector<Move> all;
    for (const Column& column : to) {
      Move& move = all.emplace_back();
      const auto old =
          std::find_if(from.begin(), from.end(), [&](const Column& c) { return c.name == column.name; });
      if (old == from.end()) {  // results that are missing must be made; what stands aside may be missing
        move.complete = move.same = !column.traits.summed;
        continue;
      }
      move.from = static_cast<std::size_t>(old - from.begin());
      std::vector<Dimension> dimensions;
      for (const Along& along : {column.inner.before, column.inner.after})
        dimensions.insert(dimensions.end(), along.span().begin(), along.span().end());
      add_parts(dimensions, column.value_bytes, 0, 0, move);
    }
    return all;
  }

 private:
  void add_parts(std::span<const Dimension> dimensions, std::size_t bytes, std::size_t to, std::size_t from,
                 Move& move) const {
    if (dimensions.empty()) {
      move.same &= to == from;
      move.parts.push_back({to * bytes, from * bytes, bytes});
      return;
    }
    const Dimension first = dimensions.front();
    if (first == Dimension::vertex) {  // always the last
      move.parts.push_back(
          {to * new_[first] * bytes, from * old_[first] * bytes, std::min(new_[first], old_[first]) * bytes});
      move.same &= to == from;
      return;
    }
    const std::vector<std::size_t>& map = first == Dimension::delta ? deltas_ : checkpoints_;
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (map[i] == kAbsent) {
        move.complete = move.same = false;
        continue;
      }
      add_parts(dimensions.subspan(1), bytes, to * new_[first] + i, from * old_[first] + map[i], move);
    }
  }

  std::vector<std::size_t> deltas_, checkpoints_;
  Extents old_, new_;
};

/// Gives the records of a batch the numbers that their sittings have in another file.
template <typename Record>
void renumber(const RecordFormat<Record>& format, RecordBatch<Record>& batch,
              const std::vector<std::int32_t>& numbers) {
  for (std::int32_t& each : format.values(batch, &Record::sitting)) {
    const auto old = static_cast<std::size_t>(each);  // −1: beyond all
    each = old < numbers.size() ? numbers[old] : -1;
  }
}

/// The records of an older format, with columns for what this one has besides. Those that lack results become
/// pending.
template <typename Record>
void modernise(const RecordFormat<Record>& from, const RecordFormat<Record>& to, RecordBatch<Record>& batch) {
  std::vector<std::vector<unsigned char>> columns;
  bool complete = true;
  for (const Column& column : to.columns()) {
    const auto old = std::find_if(from.columns().begin(), from.columns().end(),
                                  [&](const Column& c) { return c.name == column.name; });
    if (old != from.columns().end()) {
      columns.push_back(std::move(batch.columns[static_cast<std::size_t>(old - from.columns().begin())]));
      continue;
    }
    const std::size_t values = batch.size() * column.before * column.after;
    column.put_fill(columns.emplace_back(values * column.value_bytes).data(), values);
    complete &= !column.traits.summed;
  }
  batch.columns = std::move(columns);
  if (!complete) std::ranges::fill(to.values(batch, &Record::status), TaskStatus::pending);
}

/// Copies records of one kind from file to file.
template <typename Record>
class Copier {
 public:
  Copier(const RecordFormat<Record>& from, const RecordFormat<Record>& to, const Growth& growth)
      : from_(from), to_(to), moves_(growth.moves(from.columns(), to.columns())) {
    for (const Growth::Move& move : moves_) {
      complete_ &= move.complete;
      same_ &= move.same;
    }
  }

  /// Adds row `row` of `old` to `batch` as `name`. A record that lacks values becomes pending; of those that
  /// it has along grown dimensions, nothing is lost. False where its checksum does not fit: then nothing is
  /// copied.
  bool copy(const RecordBatch<Record>& old, std::size_t row, std::size_t K, bool capped_counts, RunName name,
            RecordBatch<Record>& batch) const {
    const TaskStatus status = from_.values(old, &Record::status)[row];
    const bool sound = from_.sound(old, row, K);
    to_.append(batch, name, K, Record{});
    if (!sound || status == TaskStatus::pending || status == TaskStatus::not_needed ||
        (status == TaskStatus::capped && !capped_counts))
      return sound;
    const bool settled = complete_ || status == TaskStatus::failed;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const Column& column = to_.columns()[i];
      if (moves_[i].from == kAbsent || (!settled && column.inner.before.count == 0)) continue;
      unsigned char* to = batch.columns[i].data() + (batch.size() - 1) * column.stride();
      const unsigned char* from =
          old.columns[moves_[i].from].data() + row * from_.columns()[moves_[i].from].stride();
      for (const auto& part : moves_[i].parts) std::memcpy(to + part.to, from + part.from, part.bytes);
    }
    // Verified above; where values have moved, the same ones have another checksum.
    if (settled && !same_)
      to_.values(batch, &Record::checksum)[batch.size() - 1] = to_.checksum(batch, batch.size() - 1, K);
    return true;
  }

 private:
  const RecordFormat<Record>& from_;
  const RecordFormat<Record>& to_;
  std::vector<Growth::Move> moves_;
  bool complete_ = true, same_ = true;
};

/// Returns how many records were left out because their checksums do not fit.
std::size_t copy_results(const ResultFile::Impl& from, const ResultFile::Impl& to) {
  const ResultLayout& held = from.layout;
  const ResultLayout& wanted = to.layout;
  const Growth growth(held, wanted);
  const Copier<RunRecord> runs(from.run_format, to.run_format, growth);
  const Copier<CaseSolution> cases(from.case_format, to.case_format, growth);
  std::map<std::string_view, CaseId> labels;
  for (CaseId c; c.value() < held.cases.size(); ++c) labels.emplace(held.cases[c.value()].label, c);
  const std::vector<std::size_t> algorithms = positions(wanted.algorithms, held.algorithms);
  const bool capped_counts = wanted.max_steps == held.max_steps;
  const std::vector<std::int32_t> sittings = to.take_sittings(from);
  const std::int64_t block = to.runs.block();
  std::size_t torn = 0;
  for (CaseId c; c.value() < wanted.cases.size(); ++c) {
    const auto old_case = labels.find(wanted.cases[c.value()].label);
    if (old_case == labels.end()) continue;
    const std::size_t K = wanted.K(c);
    CaseBatch solution;
    torn += cases.copy(from.read_cases(old_case->second, 1), 0, K, true, name_of(c), solution) ? 0 : 1;
    renumber(to.case_format, solution, sittings);
    to.write_cases(solution);
    for (AlgorithmId a; a.value() < algorithms.size(); ++a) {
      if (algorithms[a.value()] == kAbsent) continue;
      const CellId old_cell = held.grid().cell(old_case->second, AlgorithmId(algorithms[a.value()]));
      const CellId cell = wanted.grid().cell(c, a);
      for (std::int64_t first = 0; first < held.replications; first += block) {
        const RunBatch old = from.read_runs(old_cell, first, std::min(block, held.replications - first));
        RunBatch batch;
        for (std::size_t i = 0; i < old.size(); ++i)
          torn += runs.copy(old, i, K, capped_counts, {cell, old.seeds[i]}, batch) ? 0 : 1;
        renumber(to.run_format, batch, sittings);
        to.write_runs(batch);
      }
    }
  }
  return torn;
}

void copy_failures(const ResultFile::Impl& from, const ResultFile::Impl& to) {
  const ResultLayout& held = from.layout;
  const ResultLayout& wanted = to.layout;
  for (Failure failure : from.failures()) {
    const std::string& label = held.cases[static_cast<std::size_t>(failure.case_index)].label;
    const auto found = std::find_if(wanted.cases.begin(), wanted.cases.end(),
                                    [&](const CaseDescription& c) { return c.label == label; });
    failure.case_index = static_cast<std::int32_t>(found - wanted.cases.begin());
    if (failure.algorithm >= 0)
      failure.algorithm =
          static_cast<std::int32_t>(std::find(wanted.algorithms.begin(), wanted.algorithms.end(),
                                              held.algorithms[static_cast<std::size_t>(failure.algorithm)]) -
                                    wanted.algorithms.begin());
    to.add_failure(failure);
  }
}

/// What a copy needs by its own runs, whatever the files that it is made of said.
void settle_all(const ResultFile::Impl& file, const WriterLock& lock) {
  if (!file.precision.asked()) return;
  for (CaseId c; c.value() < file.layout.cases.size(); ++c) {
    lock.expect_owned();
    (void)file.settle(c, {});
  }
}

using Inputs = std::vector<std::unique_ptr<ResultFile::Impl>>;

/// Of the records of one task in several files, the one to keep. Settled ones must agree; the quickest is
/// kept, so that the order of the files does not matter.
template <typename Record>
class Choice {
 public:
  explicit Choice(const RecordFormat<Record>& format) : format_(format) {}

  /// False where the record contradicts the one kept so far.
  bool offer(const RecordBatch<Record>& batch, std::size_t row, std::size_t file) {
    const TaskStatus status = format_.values(batch, &Record::status)[row];
    if (batch_ == nullptr || rank(status) > rank(status_) || status_ == TaskStatus::pending) {
      keep(batch, status, file);
      return true;
    }
    if (rank(status) < rank(status_) || rank(status) < 2) return true;
    if (status != status_ ||
        format_.values(batch, &Record::checksum)[row] != format_.values(*batch_, &Record::checksum)[row])
      return false;
    if (format_.values(batch, &Record::seconds)[row] < format_.values(*batch_, &Record::seconds)[row])
      keep(batch, status, file);
    return true;
  }
  [[nodiscard]] std::size_t file() const { return file_; }
  [[nodiscard]] const RecordBatch<Record>& batch() const {
    TASFG_EXPECT(batch_ != nullptr);  // something was offered
    return *batch_;
  }

 private:
  static int rank(TaskStatus status) {
    switch (status) {
      case TaskStatus::pending:
      case TaskStatus::not_needed:  // whether it is, the runs that are kept decide
        return 0;
      case TaskStatus::failed:
        return 1;
      case TaskStatus::done:
      case TaskStatus::capped:
        break;
    }
    return 2;
  }
  void keep(const RecordBatch<Record>& batch, TaskStatus status, std::size_t file) {
    batch_ = &batch;
    status_ = status;
    file_ = file;
  }
  const RecordFormat<Record>& format_;
  const RecordBatch<Record>* batch_ = nullptr;
  TaskStatus status_ = TaskStatus::pending;
  std::size_t file_ = 0;
};

/// Joins files of one grid, block by block.
class Joiner {
 public:
  Joiner(const Inputs& inputs, const ResultFile::Impl& out, const WriterLock& lock)
      : inputs_(inputs), out_(out), lock_(lock) {
    std::vector<Sitting> all;
    for (const auto& input : inputs)
      for (const auto& [sitting, sound] : input->sitting_entries())
        if (sound) all.push_back(sitting);
    std::ranges::sort(all);  // so that the order of the inputs does not matter
    for (const Sitting& each : all) (void)out.number_of(each);
    for (const auto& input : inputs) sittings_.push_back(out.take_sittings(*input));
  }

  void join() {
    const ResultLayout& layout = out_.layout;
    const CellGrid grid = layout.grid();
    const auto cases = static_cast<std::int64_t>(grid.cases);
    for (std::int64_t first = 0, most = out_.cases.block(); first < cases; first += most) {
      const auto n = static_cast<std::size_t>(std::min(most, cases - first));
      CaseBatch joined = block(
          &ResultFile::Impl::case_format,
          [&](const auto& input) { return input.read_cases(CaseId(first), n); },
          [&](RunName name) { return CaseId(name.seed); },
          [&](RunName name) { return fmt::format("the solution of the case {}", label(CaseId(name.seed))); });
      out_.write_cases(joined);
    }
    for (CellId cell; cell.value() < grid.cells(); ++cell)
      for (std::int64_t first = 0, most = out_.runs.block(); first < layout.replications; first += most) {
        lock_.expect_owned();
        const std::int64_t n = std::min(most, layout.replications - first);
        RunBatch joined = block(
            &ResultFile::Impl::run_format, [&](const auto& input) { return input.read_runs(cell, first, n); },
            [&](RunName name) { return grid.case_of(name.cell); },
            [&](RunName name) {
              return fmt::format("{} {} seed {}", label(grid.case_of(name.cell)),
                                 layout.algorithms[grid.algorithm_of(name.cell).value()].name, name.seed);
            });
        out_.write_runs(joined);
      }
    settle_all(out_, lock_);
  }

  /// Tasks of the joined file.
  [[nodiscard]] bool any(TaskStatus wanted) const {
    const auto has = [&](const auto& statuses) {
      return std::find(statuses.begin(), statuses.end(), wanted) != statuses.end();
    };
    const std::size_t cases = out_.layout.cases.size();
    const CaseBatch solutions = out_.read_cases(CaseId(0), cases);
    if (has(out_.case_format.values(solutions, &CaseSolution::status))) return true;
    for (CellId cell; cell.value() < out_.layout.cells(); ++cell)
      if (has(out_.statuses(cell))) return true;
    return false;
  }

  std::size_t torn = 0;

 private:
  [[nodiscard]] const std::string& label(CaseId c) const { return out_.layout.cases[c.value()].label; }

  template <typename Record, typename Read, typename CaseOf, typename Describe>
  RecordBatch<Record> block(RecordFormat<Record> ResultFile::Impl::*format_of, Read read, CaseOf case_of,
                            Describe describe) {
    const RecordFormat<Record>& format = out_.*format_of;
    std::vector<RecordBatch<Record>> blocks;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      RecordBatch<Record>& batch = blocks.emplace_back(read(*inputs_[k]));
      const RecordFormat<Record>& own = *inputs_[k].*format_of;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (own.sound(batch, i, out_.layout.K(case_of(batch.name(i))))) continue;
        own.values(batch, &Record::status)[i] = TaskStatus::pending;
        ++torn;
      }
      modernise(own, format, batch);
      renumber(format, batch, sittings_[k]);
    }
    RecordBatch<Record> joined;
    joined.columns.resize(format.columns().size());
    for (std::size_t i = 0; i < blocks.front().size(); ++i) {
      Choice<Record> choice(format);
      for (std::size_t k = 0; k < blocks.size(); ++k)
        if (!choice.offer(blocks[k], i, k))
          throw InputError(fmt::format("{} and {}", inputs_[choice.file()]->path, inputs_[k]->path),
                           remark(fmt::format("disagree on {}", describe(blocks[k].name(i))),
                                  "files of two programs, or a damaged one"));
      const RecordBatch<Record>& kept = choice.batch();
      const RunName name = kept.name(i);
      const TaskStatus status = format.values(kept, &Record::status)[i];
      if (status == TaskStatus::pending) {
        format.append(joined, name, out_.layout.K(case_of(name)), Record{});
      } else {
        joined.cells.push_back(name.cell.number());
        joined.seeds.push_back(name.seed);
        for (std::size_t c = 0; c < joined.columns.size(); ++c) {
          const std::size_t stride = format.columns()[c].stride();
          const auto from = kept.columns[c].begin() + static_cast<std::ptrdiff_t>(i * stride);
          joined.columns[c].insert(joined.columns[c].end(), from, from + static_cast<std::ptrdiff_t>(stride));
        }
      }
      if constexpr (requires { &Record::attempts; })
        for (const auto& each : blocks)
          format.values(joined, &Record::attempts)[i] = std::max(format.values(joined, &Record::attempts)[i],
                                                                 format.values(each, &Record::attempts)[i]);
    }
    return joined;
  }

  const Inputs& inputs_;
  const ResultFile::Impl& out_;
  const WriterLock& lock_;
  std::vector<std::vector<std::int32_t>> sittings_;  // of each input: their numbers in `out`
};

std::set<std::string> split(const std::string& list) {
  std::set<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');)
    if (!part.empty()) parts.insert(part);
  return parts;
}

/// Provenance of the whole: all hosts, the earliest beginning, the latest update.
LiveState joined_state(const Inputs& inputs, const Joiner& joiner) {
  LiveState state;
  std::set<std::string> hosts;
  for (const auto& input : inputs) {
    const LiveState each = input->read_live();
    hosts.merge(split(each.hosts));
    state.ranks = std::max(state.ranks, each.ranks);
    state.threads = std::max(state.threads, each.threads);
    state.updated = std::max(state.updated, each.updated);
    state.generation = std::max(state.generation, each.generation);
  }
  state.hosts = fmt::format("{}", fmt::join(hosts, ","));
  state.status = joiner.any(TaskStatus::pending)  ? "interrupted"
                 : joiner.any(TaskStatus::failed) ? "failed"
                                                  : "complete";
  return state;
}

/// Whether the failed run has turned out not to be needed.
bool not_needed(const ResultFile::Impl& file, const Failure& failure) {
  if (failure.algorithm < 0 || failure.seed < 0) return false;
  const CellId cell = file.layout.grid().cell(CaseId(failure.case_index), AlgorithmId(failure.algorithm));
  return file.statuses(cell)[static_cast<std::size_t>(failure.seed)] == TaskStatus::not_needed;
}

/// Copying would lose what a newer format holds besides.
void check_minor(const ResultFile::Impl& file) {
  if (file.layout.format_minor > kFormatMinor)
    throw InputError(file.path, newer_format(file.layout.format_minor, "copies up to"));
}

}  // namespace

ResultFile::Copy ResultFile::extend(const std::string& path, const ResultLayout& wanted,
                                    const GraphOf& graph_of, const LiveState& live, const WriterLock& lock) {
  const std::unique_ptr<Impl> old = open_file(path, Access::read);
  check_minor(*old);
  DraftFile draft(path, lock);
  write_empty_file(draft.path(), path, wanted, graph_of);
  std::size_t torn = 0;
  {
    const std::unique_ptr<Impl> grown = open_file(draft.path(), Access::write);
    torn = copy_results(*old, *grown);
    copy_failures(*old, *grown);
    settle_all(*grown, lock);
    LiveState state = live;
    state.generation = old->read_live().generation;
    grown->write_live(state);
  }
  draft.publish(old->descriptor);
  return {open(path, Access::write), torn};
}

ResultFile::Copy ResultFile::merge(const std::string& path, const std::vector<std::string>& paths,
                                   const WriterLock& lock) {
  const auto same_file = [](const std::string& a, const std::string& b) {
    std::error_code error;
    return std::filesystem::equivalent(a, b, error);
  };
  Inputs inputs;
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  if (exists) inputs.push_back(open_file(path, Access::read));  // what is there is kept
  if (exists && !inputs[0]->layout.shard.empty() &&
      std::none_of(paths.begin(), paths.end(), [&](const auto& each) { return same_file(each, path); }))
    throw InputError(path, remark(fmt::format("is shard {} of its job, and the first file is the one to make",
                                              inputs[0]->layout.shard),
                                  "name another one first; or this one twice, to join the others to it"));
  for (const std::string& each : paths)
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](const auto& input) { return same_file(input->path, each); }))
      inputs.push_back(open_file(each, Access::read));
  if (inputs.empty()) throw InputError("merge", remark("nothing to merge", "give the shards' files"));
  for (const auto& input : inputs) check_minor(*input);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (same_grid(inputs[0]->layout, inputs[i]->layout)) continue;
    std::string why = why_not_extension(inputs[i]->layout, inputs[0]->layout);
    if (why.empty()) why = why_not_extension(inputs[0]->layout, inputs[i]->layout);
    throw InputError(
        fmt::format("{} and {}", inputs[0]->path, inputs[i]->path),
        remark("are not of one job", why.empty() ? "their cells come in another order" : std::move(why)));
  }
  ResultLayout layout = inputs[0]->layout;
  layout.shard.clear();
  layout.format_minor = kFormatMinor;
  for (const auto& input : inputs) layout.created = std::min(layout.created, input->layout.created);
  DraftFile draft(path, lock);
  write_empty_file(draft.path(), path, layout, [&](CaseId c) { return inputs[0]->graph(c); });
  std::size_t torn = 0;
  {
    const std::unique_ptr<Impl> out = open_file(draft.path(), Access::write);
    Joiner joiner(inputs, *out, lock);
    joiner.join();
    torn = joiner.torn;
    for (const auto& input : inputs)
      for (const Failure& failure : input->failures()) {
        const std::vector<Failure> there = out->failures();
        const bool known = std::any_of(there.begin(), there.end(), [&](const Failure& f) {
          return f.case_index == failure.case_index && f.algorithm == failure.algorithm &&
                 f.seed == failure.seed;
        });
        if (!known && !not_needed(*out, failure)) out->add_failure(failure);
      }
    out->write_live(joined_state(inputs, joiner));
  }
  draft.publish(exists ? inputs[0]->descriptor : -1);
  return {open(path, Access::write), torn};
}

}  // namespace tasfg
