#include "tasfg/io/row_collector.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "result_table.hpp"
#include "row_packing.hpp"

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kPackBytes = std::size_t{128} << 10;

}  // namespace

RunCollector::RunCollector(const RunFormat& format, RunName first, std::int64_t rows, std::size_t K)
    : format_(format),
      K_(K),
      next_(first),
      left_(rows),
      image_(bytes_of_record(format.columns())),
      checksum_(bytes_of_record(format.columns().first(format.position(&RunRecord::checksum)))) {
  std::size_t before = 0;
  for (const Column& column : format.columns())
    for (std::size_t b = 0; b < column.before; ++b) {
      values_.push_back({before, column.after * column.value_bytes});
      before += values_.back().bytes;
    }
}

void RunCollector::begin_pack() {
  constexpr std::size_t kAligned = 8;
  const auto most = static_cast<std::int64_t>(std::max(kPackBytes / image_.size(), kAligned));
  PackedRows& pack = packs_.emplace_back();
  pack.make_room(std::min(left_, most), image_.size());
  pack.stretches.push_back({next_.cell.number(), next_.seed, 0, 0});
}

void RunCollector::add(const RunRecord& record) {
  TASFG_EXPECT(left_ > 0);
  if (packs_.empty() || packs_.back().stretches[0].count == packs_.back().room) begin_pack();
  put_image(table<RunRecord>(), format_.columns(), record, K_, image_.data());
  const std::uint32_t sum = image_checksum(format_.columns(), image_.data(), K_);
  std::memcpy(image_.data() + checksum_, &sum, sizeof sum);
  PackedRows& pack = packs_.back();
  const auto row = static_cast<std::size_t>(pack.stretches[0].count);
  for (const Value& value : values_) {
    unsigned char* const to = pack.at(value.before) + row * value.bytes;
    const unsigned char* const from = image_.data() + value.before;
    switch (value.bytes) {  // one instruction each; calls of memcpy would be most of the cost of a row
      case 1:
        *to = *from;
        break;
      case 4:
        std::memcpy(to, from, 4);
        break;
      case 8:
        std::memcpy(to, from, 8);
        break;
      default:
        std::memcpy(to, from, value.bytes);
    }
  }
  ++pack.stretches[0].count;
  ++next_.seed;
  --left_;
}

std::vector<PackedRows> RunCollector::take() {
  return std::exchange(packs_, {});
}

}  // namespace tasfg
