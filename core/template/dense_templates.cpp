#include "core/template/dense_templates.h"

#include "core/template/annotate_knob.h"
#include "core/template/split_knob.h"

namespace nestwright {

namespace {

/// Extents of a product.
struct Product {
  std::int64_t rows, columns, sum;
};

Product denseOf(const TemplateArguments& arguments) {
  const std::vector<std::int64_t> data = arguments.shape(0, 2), weights = arguments.shape(1, 2);
  return {data[0], weights[0], data[1]};
}

Product batchMatmulOf(const TemplateArguments& arguments) {
  const std::vector<std::int64_t> data = arguments.shape(0, 3), other = arguments.shape(1, 3);
  const bool isTransposed = arguments.flag(5, true); // the second matrix
  return {data[1], other[isTransposed ? 1 : 2], data[2]};
}

} // namespace

ConfigSpace densePackSpace(const TemplateArguments& arguments, TemplateVersion version) {
  constexpr std::int64_t kMostRowsInside = 16;
  const Product product = denseOf(arguments);
  std::vector<Knob> knobs{splitKnob("tile_y", {.extent = product.rows, .parts = 3}),
                          splitKnob("tile_x", {.extent = product.columns, .parts = 3}),
                          splitKnob("tile_k", {.extent = product.sum})};
  if (version == TemplateVersion::V0_11)
    knobs.push_back(splitKnob("tile_inner", {.extent = product.rows, .filter = [](const auto& e) {
                                               return e.sizes.back() <= kMostRowsInside;
                                             }}));
  return ConfigSpace(std::move(knobs));
}

ConfigSpace denseNopackSpace(const TemplateArguments& arguments, TemplateVersion) {
  const Product product = denseOf(arguments);
  return ConfigSpace({splitKnob("tile_y", {.extent = product.rows}),
                      splitKnob("tile_x", {.extent = product.columns}),
                      splitKnob("tile_k", {.extent = product.sum})});
}

ConfigSpace batchMatmulSpace(const TemplateArguments& arguments, TemplateVersion) {
  const Product product = batchMatmulOf(arguments);
  return ConfigSpace({splitKnob("tile_y", {.extent = product.rows}),
                      splitKnob("tile_x", {.extent = product.columns}),
                      splitKnob("tile_k", {.extent = product.sum})});
}

ConfigSpace denseSmallBatchGpuSpace(const TemplateArguments& arguments, TemplateVersion) {
  return ConfigSpace({splitKnob("tile_k", {.extent = denseOf(arguments).sum})});
}

ConfigSpace denseLargeBatchGpuSpace(const TemplateArguments& arguments, TemplateVersion) {
  const Product product = denseOf(arguments);
  // Threads are the third part, virtual threads the second. What the public code asks of tile_k no
  // entity has, so that it takes them all.
  const auto fits = [](const SplitEntity& entity) {
    const std::int64_t virtualThreads = entity.sizes[1], threads = entity.sizes[2];
    const std::int64_t tile = virtualThreads * threads * entity.sizes[3];
    const auto isPower = [](std::int64_t n) { return (n & (n - 1)) == 0; };
    return isPower(virtualThreads) && virtualThreads >= 2 && virtualThreads <= 64 &&
           isPower(threads) && threads >= 8 && threads <= 64 && (tile == 64 || tile == 128);
  };
  const auto tiles = [&](const char* name, std::int64_t extent) {
    Knob knob = splitKnob(name, {.extent = extent, .parts = 4, .filter = fits});
    return knob.values.empty() ? splitKnob(name, {.extent = extent, .parts = 4}) : knob;
  };
  return ConfigSpace({tiles("tile_x", product.rows), tiles("tile_y", product.columns),
                      splitKnob("tile_k", {.extent = product.sum, .parts = 3})});
}

ConfigSpace batchMatmulCudaSpace(const TemplateArguments& arguments, TemplateVersion) {
  const Product product = batchMatmulOf(arguments);
  return ConfigSpace({splitKnob("tile_y", {.extent = product.rows, .parts = 3}),
                      splitKnob("tile_x", {.extent = product.columns, .parts = 3}),
                      splitKnob("tile_k", {.extent = product.sum}),
                      options("auto_unroll_max_step", {{8L}, {16L}, {32L}, {64L}}),
                      options("unroll_explicit", {{0L}, {1L}})});
}

} // namespace nestwright
