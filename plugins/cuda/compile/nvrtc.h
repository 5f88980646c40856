#pragma once
/// \file NVIDIA's run-time compiler: CUDA C to PTX and cubin, without a driver or a device.

#include "core/target/gpu_facts.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nestwright::cuda {

/// What a compilation gives.
struct Compiled {
  std::vector<std::uint8_t> cubin;
  std::string ptx;
  std::string log; // with what the assembler says of each kernel
};

struct NvrtcOptions {
  GpuArchitecture architecture;
  bool lines = false; // line numbers in PTX, for display only
};

/// Where NVRTC is, or why not.
struct NvrtcStatus {
  bool found = false;
  std::string path;                           // of the library
  int version = 0;                            // 13000 is 13.0
  std::vector<GpuArchitecture> architectures; // that it compiles for, ascending
  std::string reason;                         // why it is not found; a sentence
};

/// "13.0".
std::string versionText(int version);

class SharedLibrary;

class Nvrtc {
 public:
  /// The one of this process for a driver of this version (12040 is 12.4; 0: no driver is meant):
  /// looked for once for each major version, in nvrtcCandidates().
  static const Nvrtc& instance(int driverVersion = 0);
  /// Of the first library at these places that can be used, for tests.
  explicit Nvrtc(const std::vector<std::string>& candidates);
  ~Nvrtc();

  const NvrtcStatus& status() const { return status_; }
  /// Throws SystemError with what to do when NVRTC is not there, InputError when it does not know
  /// the architecture, and Error with the compiler's log for a text that does not compile. May be
  /// called from several threads.
  Compiled compile(const std::string& source, const NvrtcOptions& options) const;

 private:
  struct Api;

  /// Whether the library can be used; if not, the status says why.
  bool take(const SharedLibrary& library);

  std::unique_ptr<Api> api_;
  NvrtcStatus status_;
};

/// Where instance() looks: where $NESTWRIGHT_NVRTC says and nowhere else if it is set; otherwise in
/// $CUDA_HOME and $CUDA_PATH, where the loader looks, and in /usr/local/cuda. A driver does not
/// load what a newer major version has made, so one of its own comes first, wherever it is.
std::vector<std::string> nvrtcCandidates(int driverVersion = 0);

/// The options that a compilation by this version gets: what its result depends on besides the
/// text.
std::vector<std::string> nvrtcArguments(const NvrtcOptions& options, int version);

} // namespace nestwright::cuda
