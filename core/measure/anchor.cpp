#include "core/measure/anchor.h"

#include "core/measure/elements.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr std::int64_t kExtent = 256;
constexpr std::uint64_t kAnchorSeed = 1;
constexpr int kTimings = 5;
constexpr double kTimingSeconds = 4e-3;
constexpr int kMostRuns = 10'000;

ComputeDag product() {
  const Op a = placeholder("A", {kExtent, kExtent});
  const Op b = placeholder("B", {kExtent, kExtent});
  const Op c = reduce("anchor", Reducer::Sum, {kExtent, kExtent}, {{"k", kExtent}},
                      [&](const std::vector<Expr>& i, const std::vector<Expr>& k) {
                        return read(a, {i[0], k[0]}) * read(b, {k[0], i[1]});
                      });
  return ComputeDag({a, b, c});
}

} // namespace

Anchor::Anchor(Device& device, const Backend& backend) : device_(device) {
  const ComputeDag dag = product();
  CompileOptions options;
  options.gpu = device.facts().gpu;
  const KernelArtifact artifact = backend.compile(lowerNaive(dag, options.gpu), options);
  for (std::size_t i = 0; i < artifact.parameterBytes.size(); ++i) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(artifact.parameterBytes[i]));
    fillRandom(bytes, kFloat32, kAnchorSeed, i);
    const DeviceBuffer& buffer = buffers_.emplace_back(device, bytes.size());
    device.copyIn(buffer.data(), bytes);
    parameters_.push_back(buffer.data());
  }
  workspace_ = DeviceBuffer(
      device, static_cast<std::size_t>(artifact.workspaceBytes + artifact.threadWorkspaceBytes));
  kernel_ = device.load(artifact);
}

double Anchor::seconds() {
  const KernelCall call{*kernel_, parameters_, workspace_.data(), 1};
  const double once = std::max(device_.time(call, 1), 1e-9);
  const int runs = static_cast<int>(std::clamp(kTimingSeconds / once, 1.0, double{kMostRuns}));
  std::vector<double> seconds;
  for (int i = 0; i < kTimings; ++i)
    seconds.push_back(device_.time(call, runs) / runs);
  std::ranges::nth_element(seconds, seconds.begin() + kTimings / 2);
  return seconds[kTimings / 2];
}

} // namespace nestwright
