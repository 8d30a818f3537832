/// Enumerations and their names in files, options and messages.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace tasfg {

/// Whether an enumerator has this value. Compilers spell one that has none as "(tasfg::Setting)3".
template <auto Value>
[[nodiscard]] consteval bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t bracket = text.rfind(')');
  const char after = text[bracket + 1];
  return !(text.find('(', text.find("Value = ")) < bracket &&
           (after == '-' || (after >= '0' && after <= '9')));
}

/// The number of enumerators, which must count up from 0.
template <typename Enum, std::size_t First = 0>
[[nodiscard]] consteval std::size_t enumerator_count() {
  static_assert(std::is_enum_v<Enum>);
  if constexpr (!is_enumerator<static_cast<Enum>(First)>())
    return First;
  else
    return enumerator_count<Enum, First + 1>();
}

/// The names of all values, in their order. One name too few or too many does not compile.
template <typename Enum>
class EnumNames {
 public:
  template <typename... Names>
  consteval EnumNames(Names... names) : names_{names...} {
    static_assert(sizeof...(Names) == enumerator_count<Enum>(), "one name for each enumerator");
  }

  /// A literal, and so ends with a zero.
  [[nodiscard]] constexpr const char* operator[](Enum value) const {
    return names_[static_cast<std::size_t>(value)].data();
  }
  [[nodiscard]] constexpr std::span<const std::string_view> all() const { return names_; }
  /// The value at a position of all().
  [[nodiscard]] static constexpr Enum at(std::size_t position) { return static_cast<Enum>(position); }
  [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return at(i);
    return std::nullopt;
  }

 private:
  std::array<std::string_view, enumerator_count<Enum>()> names_;
};

}  // namespace tasfg
