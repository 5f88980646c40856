#pragma once
/// \file What a target plugin implements: loop IR to kernel. Everything fits on one screen.

#include "core/lower/lower.h"
#include "core/target/target.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// What lowering has to know of a target. Everybody who compiles a program for a target asks here,
/// so that what is tuned, run and shown is the same code.
inline LowerOptions lowerOptionsFor(const TargetFacts& target) {
  LowerOptions options;
  options.vectorBytes = target.vectorBytes;
  options.vectorRegisters = target.vectorBytes >= 64 ? 32 : 16; // AVX-512 doubled both
  // A region costs a few microseconds on idle cores, in which one thread does this much.
  constexpr double kMinParallelVectors = 32768;
  options.minParallelWork = kMinParallelVectors * target.vectorBytes / 4;
  return options;
}

/// A compiled kernel as bytes that can be sent to another process of the same machine kind.
struct KernelArtifact {
  std::string entry;                        // symbol name
  std::vector<std::uint8_t> code;           // a relocatable object file
  std::int64_t workspaceBytes = 0;          // scratch memory per call, shared by all threads
  std::int64_t threadWorkspaceBytes = 0;    // further scratch memory per thread
  std::vector<std::int64_t> parameterBytes; // inputs, then outputs
  int inputCount = 0;
  /// As in LoopFunction: whoever fills the inputs packs them so; parameterBytes are the packed
  /// ones.
  std::vector<std::optional<PackedLayout>> layouts;
};

enum class CodeText : std::uint8_t { Source, Assembly }; // LLVM IR or CUDA; machine code

struct CompileOptions {
  int optimisationLevel = 3;
  /// False for the naive program: compiled as a plain C compiler at -O1 would.
  bool vectorise = true;
  /// Of text(): name for each instruction the line of print(function) that it came from, counted
  /// from 1; linkCode() reads that. The code itself stays the same.
  bool marks = false;
};

/// A loaded kernel. Thread-compatible: one call at a time.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Runs once on `threads` threads. Buffers are in parameter order, 64-byte aligned,
  /// non-overlapping. `workspace` holds at least workspaceBytes + threads * threadWorkspaceBytes,
  /// 64-byte aligned.
  virtual void run(std::span<void* const> buffers, void* workspace, int threads) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0; // "llvm"
  /// Facts of the machine that this backend compiles for.
  virtual TargetFacts target(int threads) const = 0;
  /// Throws Error with the compiler's full text.
  virtual KernelArtifact compile(const LoopFunction& function,
                                 const CompileOptions& options = {}) const = 0;
  virtual std::string text(const LoopFunction& function, CodeText kind,
                           const CompileOptions& options = {}) const = 0;
  /// Throws Error when the artifact cannot be linked.
  virtual std::unique_ptr<Kernel> load(const KernelArtifact& artifact) const = 0;
};

} // namespace nestwright
