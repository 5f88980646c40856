#pragma once
/// \file Running a verb in a process of its own, so that a crash in a kernel becomes a message.

namespace nestwright::cli {

/// In the process that the user started: runs the same command line again in a child, prepared for
/// kernels with threads, waits for it and exits with its code; a crash is told in words (exit code
/// 1). In that child: returns at once. How threads wait for each other stands in its environment
/// when it starts (core/support/waiting_threads.h), which is why it cannot be this very process.
void continueInChild();

} // namespace nestwright::cli
