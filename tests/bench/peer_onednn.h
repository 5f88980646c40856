#pragma once
/// \file The same operators by oneDNN, as the yardstick.

#include <cstdint>
#include <functional>

namespace nestwright::bench {

/// Each returns a function that runs the operator once on one thread, on memory of its own.
std::function<void()> oneDnnMatmul(std::int64_t m, std::int64_t n, std::int64_t k);
/// Stride 1, padding that keeps the size; weights in oneDNN's favourite layout.
std::function<void()> oneDnnConv2d(std::int64_t size, std::int64_t inputs, std::int64_t outputs,
                                   std::int64_t kernel);

} // namespace nestwright::bench
