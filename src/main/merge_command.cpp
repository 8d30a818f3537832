#include <memory>

#include "commands.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/io/writer_lock.hpp"

namespace tasfg {

void add_merge_command(Command& app, int& status) {
  struct Options {
    std::string output;
    std::vector<std::string> inputs;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("merge", "OUT.h5 IN.h5...: join shards of one job");
  command->add_option("output", options->output, "result file to make, or to add to")->required();
  command->add_option("inputs", options->inputs, "result files of the same job")->required();
  command->footer(
      "Runs that several files hold must agree; where they do not, nothing is written. The order of the "
      "files\n"
      "does not matter, and merging again changes nothing.\n\n"
      "Example:\n  tasfg merge all.h5 part0.h5 part1.h5 part2.h5");
  command->callback([options, &status] {
    const WriterLock lock(options->output, nullptr);
    const auto [file, torn] = ResultFile::merge(options->output, options->inputs);
    const ResultLayout& layout = file.layout();
    std::size_t settled = 0;
    for (CellId cell; cell.value() < layout.cells(); ++cell)
      for (const TaskStatus each : file.run_values(&RunRecord::status, cell))
        settled += each != TaskStatus::pending ? 1 : 0;
    if (torn > 0)
      fmt::print(stderr, "tasfg: {}: {} runs of the inputs do not fit their checksums and were left out\n",
                 options->output, torn);
    fmt::print("{}: {} of {} runs\n", options->output, settled, layout.tasks());
    status = 0;
  });
}

}  // namespace tasfg
