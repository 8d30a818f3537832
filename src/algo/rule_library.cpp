#include "tasfg/algo/rule_library.hpp"

#include <algorithm>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "tasfg/base/digest.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/model/graph_csv.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kLargestLibrary = std::size_t{1} << 30;
constexpr std::size_t kLongestName = 60;
constexpr std::int32_t kMostRules = 1000;

/// Of the file's bytes, eight at a time.
std::uint64_t digest_of_file(const std::string& path) {
  const std::string bytes = read_text_file(path, kLargestLibrary);
  Digest digest;
  digest.add("tasfg rules");
  digest.add(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t j = i; j < std::min(i + 8, bytes.size()); ++j)
      word = word << 8 | static_cast<unsigned char>(bytes[j]);
    digest.add(word);
  }
  return digest.value();
}

bool is_name(const char* text) {
  const std::string_view name = text != nullptr ? text : "";
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
  return !name.empty() && name.size() <= kLongestName &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

void RuleLibraries::load(const std::string& path, const std::string& origin) {
  const std::string where = within(origin, path);
  const std::uint64_t digest = placed(origin, [&] { return digest_of_file(path); });
  // A name without a slash would be looked for in the system's folders.
  const std::string full = std::filesystem::absolute(path).string();
  void* library = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* said = dlerror();
    throw InputError(where,
                     remark("cannot be loaded as a shared library", said != nullptr ? quotable(said) : ""));
  }
  using Entry = const tasfg_rule_table* (*)();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what POSIX promises of dlsym
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "tasfg_rules"));
  if (entry == nullptr)
    throw InputError(where, remark("exports no tasfg_rules", "must define it as include/tasfg/rule.h says"));
  const tasfg_rule_table* table = entry();
  if (table == nullptr || table->version != TASFG_RULE_VERSION)
    throw InputError(
        where, remark(fmt::format("rules of interface version {}", table != nullptr ? table->version : 0),
                      fmt::format("must be {}: compile it with this tasfg's rule.h", TASFG_RULE_VERSION)));
  if (table->count < 1 || table->count > kMostRules || table->rules == nullptr)
    throw InputError(where, remark(fmt::format("{} rules", table->count), "must hold at least one"));
  for (const tasfg_rule& rule : std::span(table->rules, static_cast<std::size_t>(table->count))) {
    if (!is_name(rule.name))
      throw InputError(
          where, remark(fmt::format("a rule named {}", in_quotes(rule.name != nullptr ? rule.name : "")),
                        fmt::format("must be 1 to {} of A-Z a-z 0-9 . - _", kLongestName)));
    const std::vector<std::string_view> taken = names();
    if (std::find(taken.begin(), taken.end(), rule.name) != taken.end())
      throw InputError(where, remark(fmt::format("the rule {}", rule.name), "another rule has this name"));
    if (rule.choose == nullptr)
      throw InputError(where, remark(fmt::format("the rule {} has no function choose", rule.name)));
    auto definition = std::make_shared<ExternalDefinition>();
    definition->rule = rule;
    definition->digest = digest;
    definition->path = path;
    rules_.push_back(std::move(definition));
  }
}

std::vector<std::string_view> RuleLibraries::names() const {
  std::vector<std::string_view> names = names_of(algorithm_rows());
  for (const auto& each : rules_) names.emplace_back(each->rule.name);
  return names;
}

Algorithm RuleLibraries::algorithm(std::string_view name, const std::string& origin) const {
  for (const auto& each : rules_) {
    if (each->rule.name != name) continue;
    Algorithm algorithm;
    algorithm.rule = RuleKind::external;
    algorithm.name = name;
    algorithm.external = each;
    return algorithm;
  }
  if (find_row(algorithm_rows(), name) == nullptr)
    throw InputError(origin,
                     remark(fmt::format("unknown algorithm {}", in_quotes(name)), suggest(name, names())));
  return algorithm_named(name, origin);
}

}  // namespace tasfg
