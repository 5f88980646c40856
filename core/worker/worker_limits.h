#pragma once
/// \file What a worker process may take from its machine, and its end when nobody listens.

#include <cstdint>

namespace nestwright {

/// No core dumps: a kernel that crashes is daily business.
void disableCoreDumps();

/// From here on the process may add so much address space; 0 lifts the limit. Allocations beyond it
/// fail with std::bad_alloc. Threads' stacks come on top.
void limitMemoryGrowth(std::int64_t bytes, int threads);

/// From here on the process may use so much processor time; beyond it, it dies of SIGXCPU. A second
/// net for a worker whose master cannot kill it (a broken connection).
void limitProcessorTime(double seconds);

/// Bytes of physical memory that the process holds.
std::int64_t residentBytes();

/// Ends the process, also in the middle of a job, as soon as nobody can read `descriptor` any more.
/// (PR_SET_PDEATHSIG would be simpler, but follows the thread that started the worker, which may
/// well end before its process does, and knows nothing of a remote master.)
void exitWhenUnread(int descriptor);

} // namespace nestwright
