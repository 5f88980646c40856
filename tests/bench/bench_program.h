#pragma once
/// \file Benchmarks in one program, since most of what each takes to compile is the same: a file
/// adds its own, and the program runs the one that its first argument names:
///
///     bench search [OPTION ...]

namespace nestwright::bench {

struct Bench {
  const char* name;
  int (*start)(int argc, char** argv); // as a main; the name stands in argv[0]
};

/// Adds a benchmark to those of the program, before main. Always true.
bool add(const Bench& bench);

} // namespace nestwright::bench
