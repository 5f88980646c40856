#pragma once
/// \file NVIDIA's libraries on the operators of the GPU table, as the yardstick. They are opened
/// when they are wanted (libcublas, libcudnn), so that this builds everywhere; where one is missing
/// it says so. All times are the device's own.

#include "core/target/device_state.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace nestwright::bench {

/// C = A B, row-major; bf16 inputs have an fp32 sum and give bf16.
struct GpuProduct {
  std::int64_t m = 1, n = 1, k = 1;
  bool bf16 = false;
};

/// Batch 1; NHWC.
struct GpuConvolution {
  std::int64_t size = 1, inputs = 1, outputs = 1, kernel = 1, stride = 1, padding = 0;
};

/// Seconds of one run, and what made it: "IMPLICIT_PRECOMP_GEMM, NHWC". Where a library lets nobody
/// capture its launches they are made one by one, and `detail` says so: ours are not.
struct PeerTime {
  double seconds = 0;
  std::string detail;
};

/// A device with the libraries that are there. Each call gives nothing, and says why in `missing`,
/// where a library is not, or cannot be used with this driver. The libraries hold the device until
/// the process ends: where it is one process's alone, nobody else can measure meanwhile.
class GpuPeers {
 public:
  /// `device` as DeviceOptions has it. Throws DeviceError (Absent) where there is no device.
  explicit GpuPeers(const std::string& device);
  ~GpuPeers();
  GpuPeers(const GpuPeers&) = delete;
  GpuPeers& operator=(const GpuPeers&) = delete;

  /// cuBLAS; fp32 with CUBLAS_PEDANTIC_MATH, so without TF32.
  std::optional<PeerTime> product(const GpuProduct& product, std::string& missing);
  /// cuDNN's fastest algorithm with CUDNN_FMA_MATH, so without TF32, in either layout.
  std::optional<PeerTime> convolution(const GpuConvolution& shape, std::string& missing);
  /// One copy within the device.
  PeerTime copy(std::int64_t bytes);
  /// Clock, temperature and power now.
  DeviceState state() const;
  /// "cuBLAS 13.0.2, cuDNN 9.13.0, driver 580.65.06 (CUDA 13.0)", with what is missing and why.
  std::string versions();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// "9.13.0" of cuDNN's number, whose thousands became ten thousands with version 9.
std::string cudnnVersionText(std::size_t number);

} // namespace nestwright::bench
