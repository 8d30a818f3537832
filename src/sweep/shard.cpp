#include "tasfg/sweep/shard.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sim/precision.hpp"

namespace tasfg {

Splitting splitting_of(const ResultLayout& layout) {
  const Precision precision = parse_precision(layout.precision, "precision");
  return {layout.grid(), layout.replications,
          precision.paired()  ? Splitting::By::cases
          : precision.asked() ? Splitting::By::cells
                              : Splitting::By::seeds};
}

std::string Shard::text() const {
  return whole() ? "" : fmt::format("{}/{}", index, count);
}

Shard parse_shard(const std::string& text, std::string_view where) {
  const auto wrong = [&] {
    return InputError(std::string(where),
                      bad_state(in_quotes(text), "must be i/n with 0 <= i < n, as in --shard 0/4"));
  };
  const auto slash = text.find('/');
  if (slash == std::string::npos) throw wrong();
  const std::optional<double> index = to_number(std::string_view(text).substr(0, slash));
  const std::optional<double> count = to_number(std::string_view(text).substr(slash + 1));
  if (!(index && count && *count >= 1 && *count <= 1e6 && *index >= 0 && *index < *count &&
        *index == std::floor(*index) && *count == std::floor(*count)))
    throw wrong();
  return {static_cast<std::int64_t>(*index), static_cast<std::int64_t>(*count)};
}

}  // namespace tasfg
