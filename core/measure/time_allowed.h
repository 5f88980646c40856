#pragma once
/// \file How long a master waits for an answer about kernels. Nothing stops a kernel that runs on a
/// GPU, so a worker there looks at its deadline itself and answers with the kernel's name: the
/// master's own limit, which only ends the process, has to come later.

namespace nestwright {

/// For the answer to a request whose kernels may take so many seconds, one wait for them on a GPU.
/// Nobody but the master ends a processor's.
inline double secondsToAnswer(double seconds, bool onGpu) {
  constexpr double kGrace = 5; // the worker's clock starts later, and other work is in the request
  return onGpu ? seconds + kGrace : seconds;
}

/// The same of a request that may have to open the device first. A driver takes a while to wake one
/// that sleeps, which no program can help.
inline double secondsToLoad(double seconds, bool onGpu) {
  constexpr double kOpening = 30;
  return secondsToAnswer(seconds, onGpu) + (onGpu ? kOpening : 0);
}

/// For all micro-batches of a kernel together, of the seconds that its measurement may take: the
/// rest is for the run before them, and for the one of them that takes longer than the others.
inline double secondsForBatches(double seconds) {
  constexpr double kShare = 0.8;
  return kShare * seconds;
}

} // namespace nestwright
