/// A counter-based random stream: draw i is a pure function of (key, i), so a stream can be entered
/// anywhere and is the same on every machine, thread and restart.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tasfg {

/// Key of a stream. Keys are made by `stream_key` from whatever identifies the stream.
struct StreamKey {
  std::uint64_t value = 0;
  bool operator==(const StreamKey&) const = default;
};

namespace detail {
/// `state` with one more word mixed in.
[[nodiscard]] std::uint64_t mixed(std::uint64_t state, std::uint64_t word);
}  // namespace detail

/// A key with more words mixed in; every bit of every word matters (Philox itself is the mixer). Streams that
/// have their first words in common need these only once.
template <typename... Words>
[[nodiscard]] StreamKey longer_key(StreamKey key, Words... words) {
  ((key.value = detail::mixed(key.value, static_cast<std::uint64_t>(words))), ...);
  return key;
}
/// A key from words.
template <typename... Words>
[[nodiscard]] StreamKey stream_key(Words... words) {
  return longer_key({0x7461736667ULL}, words...);
}

/// Words that `philox_words` makes at once. Blocks are independent, so that their long chains of
/// multiplications overlap and share vector registers.
inline constexpr std::size_t kPhiloxWords = 32;

/// Philox4x32-10 blocks counter, counter + 1, … of a key: kPhiloxWords words, or `times` as many. The same
/// words on every CPU.
void philox_words(StreamKey key, std::uint64_t counter, std::uint32_t* out, std::size_t times = 1);
namespace detail {
/// What it does on a CPU without AVX2.
void philox_words_anywhere(StreamKey key, std::uint64_t counter, std::uint32_t* out);
}  // namespace detail

/// Block `counter` alone: four words.
void philox_block(StreamKey key, std::uint64_t counter, std::uint32_t* out);

/// The few random words that belong to one place of a stream: made block by block, where a PhiloxStream makes
/// many at once.
class PhiloxPlace {
 public:
  PhiloxPlace(StreamKey key, std::uint64_t counter) : key_(key), counter_(counter) {}

  std::uint64_t bits() {
    if (next_ == words_.size()) {
      philox_block(key_, counter_++, words_.data());
      next_ = 0;
    }
    next_ += 2;
    return (static_cast<std::uint64_t>(words_[next_ - 1]) << 32) | words_[next_ - 2];
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  StreamKey key_;
  std::uint64_t counter_;
  std::array<std::uint32_t, 4> words_{};
  std::size_t next_ = 4;
};

/// Random words from Philox4x32-10.
class PhiloxStream {
 public:
  /// From block `counter` on.
  explicit PhiloxStream(StreamKey key, std::uint64_t counter = 0) : key_(key), counter_(counter) {}

  std::uint32_t bits32() {
    if (next_ == kPhiloxWords) refill();
    return words_[next_++];
  }
  std::uint64_t bits() {
    if (next_ + 2 <= kPhiloxWords) [[likely]] {
      const std::uint32_t* at = words_.data() + next_;
      next_ += 2;
      if constexpr (std::endian::native == std::endian::little) {  // one load
        std::uint64_t both = 0;
        std::memcpy(&both, at, sizeof both);
        return both;
      }
      return (static_cast<std::uint64_t>(at[1]) << 32) | at[0];
    }
    const std::uint64_t low = bits32();
    return (static_cast<std::uint64_t>(bits32()) << 32) | low;
  }

  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// The next n ≤ 4 words, valid until the next call of anything. Sixteen bytes may be read; beyond n words
  /// they mean nothing.
  const std::uint32_t* take(std::size_t n) {
    if (next_ + n <= kPhiloxWords) [[likely]] {
      const std::uint32_t* first = words_.data() + next_;
      next_ += n;
      return first;
    }
    return take_across(n);
  }

  /// The words at hand, and how many. kReadable words may be read, whatever those beyond mean.
  static constexpr std::size_t kReadable = 16;
  [[nodiscard]] const std::uint32_t* ahead() const { return words_.data() + next_; }
  [[nodiscard]] std::size_t at_hand() const { return kPhiloxWords - next_; }
  /// Makes more where there are none.
  void stock_up() {
    if (next_ == kPhiloxWords) refill();
  }
  /// Leaves out n ≤ at_hand() of them.
  void skip(std::size_t n) { next_ += n; }

 private:
  static constexpr std::size_t kMostTaken = 4;

  [[gnu::noinline]] void refill() {
    philox_words(key_, counter_, words_.data());
    counter_ += kPhiloxWords / 4;
    next_ = 0;
  }
  [[gnu::noinline]] const std::uint32_t* take_across(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) across_[i] = bits32();
    return across_.data();
  }

  StreamKey key_;
  std::uint64_t counter_;
  std::size_t next_ = kPhiloxWords;
  std::array<std::uint32_t, kPhiloxWords + kReadable> words_{};
  std::array<std::uint32_t, kMostTaken> across_{};
};

}  // namespace tasfg
