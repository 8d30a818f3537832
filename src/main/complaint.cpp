#include "complaint.hpp"

#include <exception>
#include <new>

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {

int complain() {
  try {
    throw;
  } catch (const Error& error) {
    if (first_of_launch()) say(error.what());
    return exit_status_of(error);
  } catch (const std::bad_alloc&) {
    if (first_of_launch()) say("out of memory");
  } catch (const std::exception& error) {
    say(error.what());
  }
  return kExitError;
}

}  // namespace tasfg
