#pragma once
/// \file A program for a processor as C that people read: its loops, vectors by the extensions of
/// GCC and Clang, parallel loops by OpenMP. A pure function of the loop IR.

#include "core/lower/loop_ir.h"

#include <string>
#include <vector>

namespace nestwright {

struct CSourceOptions {
  std::string name = "kernel"; // of the function; an identifier
  int vectorBytes = 64;        // of the widest vectors, a power of two
};

/// A parameter of the function: an input or output in the order of the loop function's.
struct CParameter {
  std::string name, declaration; // "const float *restrict A"
  Buffer buffer;
};

/// The parts of a file of C11 with GNU's extensions. Compiled without OpenMP it runs in the calling
/// thread.
struct CSource {
  std::string includes;  // and pragmas
  std::string helpers;   // types and functions inside of the file that the function uses
  std::string functions; // tables, NAME_pack_INPUT for each packed input, and the function NAME
  std::vector<CParameter> parameters;
  bool takesWorkspace = false; // a further parameter, `void *workspace`
  bool takesThreads = false;   // the last parameter, `int threads`: of OpenMP, at least 1
  bool usesMath = false;       // of libm
  bool wrapsIntegers = false;  // computes with integers that may overflow: -fwrapv
  std::int64_t workspaceBytes = 0, threadWorkspaceBytes = 0; // all together, and for each thread

  std::string text() const { return includes + helpers + functions; }
};

/// It computes what the LLVM backend makes of the function, but for roundings: multiplications and
/// additions may be fused in other places, and exp, log, tanh, erf and sigmoid are the C library's.
/// Throws InputError for a GPU program, and for a type that C does not have; Error as planStorage()
/// does.
CSource cSource(const LoopFunction& function, const CSourceOptions& options = {});

} // namespace nestwright
