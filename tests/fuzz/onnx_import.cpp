// libFuzzer target: any bytes must give a network or an InputError, and what was imported must
// partition.

#include "core/network/onnx/onnx_import.h"

#include "core/network/partition/partition.h"
#include "core/support/error.h"

#include <cstddef>
#include <cstdint>

using namespace nestwright;

/// Partitioning writes out expressions; the fuzzer's time is better spent on small networks.
constexpr std::size_t kManyNodes = 64;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Network network =
        importOnnxBytes(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    if (network.nodes.size() <= kManyNodes) optimisedPartition(network);
  } catch (const InputError&) {
  }
  return 0;
}
