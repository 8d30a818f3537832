#include "provenance.hpp"

#include "commit.hpp"

namespace tasfg {

Provenance program_provenance() {
  return {TASFG_VERSION, TASFG_COMMIT, TASFG_BUILD};
}

}  // namespace tasfg
