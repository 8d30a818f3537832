#include "tasfg/sweep/interruption.hpp"

#include <csignal>
#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

// Each in a process of its own: what signals leave behind cannot be undone.

TEST(Interruption, SignalsAreCountedAndTheLastOneNamed) {
  EXPECT_EXIT(
      {
        catch_interruptions();
        bool right = interruptions() == 0;
        std::raise(SIGTERM);
        right = right && interruptions() == 1 && !time_is_short();
        right = right && interruption_name() == std::string_view("SIGTERM");
        std::raise(SIGUSR1);
        right = right && interruptions() == 2 && time_is_short();
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Interruption, TheFirstIsAnnouncedAtOnce) {
  EXPECT_EXIT(
      {
        catch_interruptions();
        announce_interruptions("told to stop\n");
        std::raise(SIGINT);
        std::raise(SIGINT);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^told to stop\n$");
}

TEST(Interruption, LimitsAndALostTerminalAreInterruptionsOrErrorsNotDeaths) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_DFL);  // the tests may have been started by nohup
        catch_interruptions();
        std::raise(SIGXFSZ);
        std::raise(SIGPIPE);
        bool right = interruptions() == 0;
        std::raise(SIGHUP);
        right = right && interruptions() == 1 && !time_is_short();
        right = right && interruption_name() == std::string_view("SIGHUP");
        std::raise(SIGXCPU);
        right = right && interruptions() == 2 && time_is_short();
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Interruption, NohupStaysInForce) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        catch_interruptions();
        std::raise(SIGHUP);
        std::_Exit(interruptions());
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tasfg
