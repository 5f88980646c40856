#pragma once
/// \file What each of our programs arranges before it does anything else.

namespace nestwright {

/// Called first in main, before other threads are there. Afterwards
/// - the standard streams are open, to /dev/null where the caller closed them, so that no file is
///   opened under their numbers and written to as one of them;
/// - a write beyond the limit on a file's size (ulimit -f) fails like one to a full disk, and the
///   writer can say so, instead of ending the process with SIGXFSZ;
/// - lines of the log are printable(): they name what others have named.
void prepareProcess();

/// This thread, and threads and processes that it begins from now on, leave processors to others,
/// as nice(1) counts.
void standBack(int niceness);

} // namespace nestwright
