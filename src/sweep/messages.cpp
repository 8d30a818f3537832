#include "tasfg/sweep/messages.hpp"

#include <sstream>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

template <typename Type, typename... Types>
constexpr bool kOneOf = (std::is_same_v<Type, Types> || ...);
template <typename Type>
constexpr bool kIndex = false;
template <typename Kind>
constexpr bool kIndex<Index<Kind>> = true;

/// What messages consist of. Goes as the bytes of its members: no versions of classes, no tracking of
/// pointers, which take microseconds for each message.
template <typename Type>
concept MessagePart =
    kIndex<Type> || kOneOf<Type, Opening, Hello, Lease, Chunk, std::vector<Chunk>, Report, Part,
                           std::vector<Part>, Interrupted, Stop, Drain, Cancel, Bye, Alive, Stretch,
                           std::vector<Stretch>, PackedRows, std::vector<PackedRows>, CaseBatch,
                           std::vector<std::vector<unsigned char>>, Failure, std::vector<Failure>>;

}  // namespace
}  // namespace tasfg

namespace boost::serialization {

template <tasfg::MessagePart Type>
struct implementation_level_impl<const Type> : mpl::int_<object_serializable> {
  using type = mpl::int_<object_serializable>;
};
template <tasfg::MessagePart Type>
struct tracking_level_impl<const Type> : mpl::int_<track_never> {
  using type = mpl::int_<track_never>;
};

template <typename Archive, typename Kind>
void serialize(Archive& archive, tasfg::Index<Kind>& index, unsigned /*version*/) {
  std::size_t position = index.value();
  tasfg::carry(archive, position);
  if constexpr (Archive::is_loading::value) index = tasfg::Index<Kind>(position);
}

template <typename Archive>
void serialize(Archive& archive, tasfg::Chunk& chunk, unsigned /*version*/) {
  tasfg::carry(archive, chunk.id, chunk.kind, chunk.cell, chunk.first, chunk.count, chunk.expected);
}

template <typename Archive>
void serialize(Archive& archive, tasfg::Stretch& stretch, unsigned /*version*/) {
  tasfg::carry(archive, stretch.cell, stretch.first, stretch.count, stretch.row);
}

template <typename Archive>
void serialize(Archive& archive, tasfg::PackedRows& rows, unsigned /*version*/) {
  tasfg::carry(archive, rows.stretches, rows.room);  // its bytes travel behind the rest
}

template <typename Archive>
void serialize(Archive& archive, tasfg::Failure& failure, unsigned /*version*/) {
  tasfg::carry(archive, failure.case_index, failure.algorithm, failure.seed, failure.message);
}

}  // namespace boost::serialization

namespace tasfg {
namespace {

constexpr unsigned kPlainBytes = boost::archive::no_header | boost::archive::no_codecvt;

void write(auto& archive, const auto& message) {
  archive << message;
}

template <typename Archive, typename... Kinds>
void write(Archive& archive, const std::variant<Kinds...>& message) {
  const std::size_t kind = message.index();
  archive << kind;
  std::visit([&](const auto& each) { archive << each; }, message);
}

void read(auto& archive, auto& message) {
  archive >> message;
}

template <typename Archive, typename... Kinds>
void read(Archive& archive, std::variant<Kinds...>& message) {
  std::size_t kind = 0;
  archive >> kind;
  TASFG_EXPECT(kind < sizeof...(Kinds));
  std::size_t at = 0;
  const auto read_if_next = [&]<typename Kind>() {
    if (at++ == kind) archive >> message.template emplace<Kind>();
  };
  (read_if_next.template operator()<Kinds>(), ...);
}

/// What stands behind a message as it is in memory: the runs of a report, if any.
template <typename Message>
auto* rows_of(Message& message) {
  if constexpr (std::is_same_v<std::remove_const_t<Message>, ToCoordinator>) {
    auto* report = std::get_if<Report>(&message);
    TASFG_EXPECT(report == nullptr || report->runs.size() <= 1);
    return report != nullptr && !report->runs.empty() ? &report->runs.front() : nullptr;
  } else {
    return static_cast<PackedRows*>(nullptr);
  }
}

constexpr std::size_t kAligned = 8;

}  // namespace

template <typename Message>
std::string pack(const Message& message) {
  std::stringbuf bytes(std::ios::out | std::ios::binary);
  {
    boost::archive::binary_oarchive archive(bytes, kPlainBytes);
    write(archive, message);
  }
  std::string packed = std::move(bytes).str();
  if (const auto* rows = rows_of(message)) {
    const std::size_t begin = (packed.size() + kAligned - 1) / kAligned * kAligned;
    packed.reserve(begin + rows->values().size());
    packed.resize(begin);
    packed.append(rows->values());
  }
  return packed;
}

template <typename Message>
Message unpack(std::string packed) {
  std::stringbuf bytes(std::move(packed), std::ios::in | std::ios::binary);
  Message message;
  {
    boost::archive::binary_iarchive archive(bytes, kPlainBytes);
    read(archive, message);
  }
  if (auto* rows = rows_of(message)) {
    const auto begin = static_cast<std::size_t>(bytes.pubseekoff(0, std::ios::cur, std::ios::in));
    rows->begin = (begin + kAligned - 1) / kAligned * kAligned;
    rows->bytes = std::move(bytes).str();
  }
  return message;
}

template std::string pack(const Opening&);
template std::string pack(const ToWorker&);
template std::string pack(const ToCoordinator&);
template Opening unpack(std::string);
template ToWorker unpack(std::string);
template ToCoordinator unpack(std::string);

}  // namespace tasfg
