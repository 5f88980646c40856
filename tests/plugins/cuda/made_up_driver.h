#pragma once
/// \file A driver that tests make up: a shared object with the functions of NVIDIA's, whose devices
/// are this machine's memory. What its kernels do is in their names:
///
/// - nw_twice: 64 floats out = 2 in; a millisecond. nw_short: the same in two microseconds.
/// - nw_overrun: as nw_twice, and eight bytes behind the output.
/// - nw_hang: does not end. nw_fault_700: the device reports this error from then on, once its end
///   is asked for.
///
/// Kernels that the made-up compiler has made (made_up_nvrtc.cpp) compute what they say, in 30
/// milliseconds whatever they are; the anchor's does not. Processes that a test cannot speak with
/// are told by the environment: MADE_UP_DEVICES, MADE_UP_INIT, MADE_UP_VERSION; MADE_UP_FAULTS
/// names a file with a line such as "cuEventQuery 700": the next such call in any process removes
/// it and fails so (600: the device never ends what it does). The library is a made-up NVML, too;
/// MADE_UP_OTHERS is how many others compute there, and with MADE_UP_MIG the card is divided.
///
/// The host takes as long for each call that puts something on a stream as a test says, at first no
/// time. The stream goes on meanwhile; an idle one waits for the host. Overwriting memory on it
/// takes 40 microseconds.

namespace nestwright::test {

/// What is there now, in all; 0 everywhere is nothing left over.
struct MadeUpCounts {
  int contexts, allocations, modules, streams, events, graphs, executables;
  int launches; // since the reset, those in graphs once for each time that the graph ran
  int graphLaunches;
  int calls; // of functions that can fail
  unsigned contextFlags;
};

/// What the shared object has besides the driver's functions.
struct MadeUpDriver {
  void (*reset)();
  /// Lets the n-th next call (0: the next) of this function give this error, once.
  void (*fail)(const char* function, int code, int n);
  MadeUpCounts (*counts)();
  void (*setFreeBytes)(unsigned long long bytes);
  /// What the host takes for each call that puts something on a stream.
  void (*setHostSeconds)(double seconds);
  /// How many others ran at least, since the reset, between two runs of kernels that wrote the same
  /// output; -1: none was written twice.
  int (*fewestBetween)();
  /// The calls since the reset or the last look that put something on a stream or are about a
  /// graph, by their names without "cu", one blank behind each.
  const char* (*takeCalls)();

  /// From an open library; null functions when it is another.
  static MadeUpDriver of(const char* path);
};

} // namespace nestwright::test
