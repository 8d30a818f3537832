#include <memory>

#include "commands.hpp"
#include <fmt/format.h>

#include "tasfg/io/result_file.hpp"

namespace tasfg {
namespace {

constexpr int kDamaged = 1;

int verify(const std::string& path) {
  constexpr std::size_t kListed = 20;
  const ResultFile file = ResultFile::open(path, Access::read);
  const Verification found = file.verify(kListed);
  for (const std::string& each : found.list) fmt::print("{}: {}\n", path, each);
  if (found.damages > found.list.size()) fmt::print("and {} more\n", found.damages - found.list.size());
  fmt::print("{}: {} ({} runs, {} solutions, {} graphs checked; {} runs pending{})\n", path,
             found.damages == 0 ? "sound" : fmt::format("{} damaged", found.damages), found.runs,
             found.solutions, found.graphs, found.pending,
             found.not_needed > 0 ? fmt::format(", {} not needed", found.not_needed) : "");
  if (found.damages == 0) return 0;
  fmt::print(
      "To mend it: tasfg merge NEW.h5 {} leaves out what is damaged, and a sweep into NEW.h5 runs it "
      "again.\n",
      path);
  return kDamaged;
}

}  // namespace

void add_verify_command(Command& app, int& status) {
  const auto path = std::make_shared<std::string>();
  Command* command = app.add_subcommand("verify", "OUT.h5: check every checksum and every index");
  command->add_option("file", *path, "result file")->required();
  command->footer(
      "Exit status: 0 sound; 1 damaged, with a line for each of the first damages; 2 not a result file, or "
      "one\nwhose header is damaged.\n\n"
      "Example:\n  tasfg verify out.h5");
  command->callback([path, &status] { status = verify(*path); });
}

}  // namespace tasfg
