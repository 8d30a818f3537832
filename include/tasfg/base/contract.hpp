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
