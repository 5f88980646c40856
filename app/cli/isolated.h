#pragma once
/// \file Running a verb in a process of its own, so that a crash in a kernel becomes a message.

namespace nestwright::cli {

/// In the process that the user started: runs the same command line again in a child, prepared for
/// kernels with threads, waits for it and exits with its code; a crash is told in words (exit code
/// 1). In that child: returns at once. The child must start with OMP_WAIT_POLICY=passive in its
/// environment (waiting threads of a busy machine must not burn each other's time slices), which is
/// why it cannot be this very process.
void continueInChild();

} // namespace nestwright::cli
