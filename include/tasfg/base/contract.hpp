/// Contracts: a programmer's mistake stops the program with the broken condition and its place.
/// On in debug, sanitizer and CI builds (TASFG_CONTRACTS); free in release builds.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tasfg {

[[noreturn]] inline void contract_broken(const char* kind, const char* condition, const char* file,
                                         int line) {
  std::fprintf(stderr, "%s:%d: %s broken: %s\n", file, line, kind, condition);
  std::abort();
}

}  // namespace tasfg

#ifdef TASFG_CONTRACTS
#define TASFG_CHECK_(kind, condition) \
  ((condition) ? static_cast<void>(0) : ::tasfg::contract_broken(kind, #condition, __FILE__, __LINE__))
#else
#define TASFG_CHECK_(kind, condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
/// What the caller must have seen to.
#define TASFG_EXPECT(condition) TASFG_CHECK_("precondition", condition)
/// What this code promises.
#define TASFG_ENSURE(condition) TASFG_CHECK_("postcondition", condition)
/// Where no value of an enumeration leads, after a switch that has a case for each. Checked in every build: a
/// value out of range means that memory is damaged.
#define TASFG_UNREACHABLE() ::tasfg::contract_broken("promise", "never reached", __FILE__, __LINE__)
