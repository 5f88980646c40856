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

/// Called before other threads are there, by a program whose threads read much and keep some of it,
/// as the window's do: they take memory from two heaps. With one for each of them, as glibc has it,
/// what one gives back is of no use to the others (8 million records: 480 MiB).
void shareHeaps();

/// This thread, and threads and processes that it begins from now on, leave processors to others,
/// as nice(1) counts.
void standBack(int niceness);

} // namespace nestwright
