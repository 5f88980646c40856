#pragma once
/// \file The operators of the kernel benchmark, and who else can compute them.

#include "tests/bench/contender.h"

namespace nestwright::bench {

struct BenchOperator {
  std::string label;
  std::string task; // as on the command line
  double tvmRate =
      0; // FLOP/s of TVM 0.11.1 after 200 trials, one thread, same machine kind; 0: none
  /// Implementations of others over these inputs; empty when none was built in.
  std::function<std::vector<Contender>(const InputSets& inputs, int threads)> peers;
};

/// The table of the kernel benchmark.
std::vector<BenchOperator> benchOperators();

/// Products of bfloat16 and of 8 bits, instead of those.
std::vector<BenchOperator> narrowOperators();

/// Operators that do little with each element, beside a copy of as many bytes: of one thread.
std::vector<BenchOperator> streamedOperators();

/// "oneDNN 2.6.3, OpenBLAS 0.3.21 (SkylakeX)": the peers that were built in.
std::string peersText();

} // namespace nestwright::bench
