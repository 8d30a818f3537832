/// What the program says of an error that ends it.
#pragma once

namespace tasfg {

/// Says what is wrong, from inside a catch block; returns the exit status. Of several processes that a
/// launcher started, all fail alike on bad input: the first says why.
[[nodiscard]] int complain();

}  // namespace tasfg
