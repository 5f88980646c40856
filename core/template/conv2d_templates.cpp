#include "core/template/conv2d_templates.h"

#include "core/support/error.h"
#include "core/template/annotate_knob.h"
#include "core/template/split_knob.h"

namespace nestwright {

namespace {

struct Convolution {
  std::int64_t inputs, outputs; // channels
  std::int64_t rows, columns;   // of the output
  std::int64_t kernelRows, kernelColumns;
};

/// Two numbers, for rows and columns.
std::pair<std::int64_t, std::int64_t> pairAt(const TemplateArguments& arguments,
                                             std::size_t argument, const char* what) {
  const std::vector<std::int64_t> numbers = arguments.numbers(argument);
  if (numbers.size() != 2)
    throw InputError(
        fmt::format("{} of a convolution have {} numbers, not two", what, numbers.size()));
  return {numbers[0], numbers[1]};
}

Convolution convolutionOf(const TemplateArguments& arguments, bool isDepthwise) {
  const std::vector<std::int64_t> data = arguments.shape(0, 4), kernel = arguments.shape(1, 4);
  const auto [strideRows, strideColumns] = pairAt(arguments, 2, "strides");
  std::vector<std::int64_t> padding = arguments.numbers(3);
  if (padding.size() == 2) padding = {padding[0], padding[1], padding[0], padding[1]};
  if (padding.size() != 4)
    throw InputError(fmt::format("the padding of a convolution has {} numbers, not two or four",
                                 padding.size()));
  const auto [dilationRows, dilationColumns] = pairAt(arguments, 4, "dilations");
  Convolution convolution{};
  convolution.inputs = data[1];
  convolution.outputs = isDepthwise ? data[1] * kernel[1] : kernel[0];
  convolution.kernelRows = kernel[2];
  convolution.kernelColumns = kernel[3];
  convolution.rows =
      slidingExtent(data[2], kernel[2], strideRows, padding[0] + padding[2], dilationRows);
  convolution.columns =
      slidingExtent(data[3], kernel[3], strideColumns, padding[1] + padding[3], dilationColumns);
  return convolution;
}

/// Columns of the output that are computed at once, for which there are so many registers.
Knob columnsAtOnce(std::int64_t columns, SplitPolicy policy) {
  constexpr std::int64_t kMostColumns = 64;
  return splitKnob("tile_ow",
                   {.extent = columns, .policy = policy, .filter = [](const SplitEntity& entity) {
                      return entity.sizes.back() <= kMostColumns;
                    }});
}

Knob unrolledKernel() {
  return options("unroll_kw", {{true}, {false}});
}

Knob explicitUnrolling() {
  return options("unroll_explicit", {{0L}, {1L}});
}

} // namespace

ConfigSpace conv2dPackedSpace(const TemplateArguments& arguments, TemplateVersion version) {
  const Convolution convolution = convolutionOf(arguments, false);
  const SplitPolicy policy =
      version == TemplateVersion::TopHub ? SplitPolicy::Factors : SplitPolicy::Verbose;
  std::vector<Knob> knobs{splitKnob("tile_ic", {.extent = convolution.inputs}),
                          splitKnob("tile_oc", {.extent = convolution.outputs}),
                          columnsAtOnce(convolution.columns, policy)};
  if (convolution.kernelRows == 1 && convolution.kernelColumns == 1)
    knobs.push_back(convolution.rows > 1 ? options("tile_oh", {{1L}, {2L}})
                                         : options("tile_oh", {{1L}}));
  else
    knobs.push_back(unrolledKernel());
  return ConfigSpace(std::move(knobs));
}

ConfigSpace depthwisePackedSpace(const TemplateArguments& arguments, TemplateVersion) {
  const Convolution convolution = convolutionOf(arguments, true);
  return ConfigSpace({splitKnob("tile_ic", {.extent = convolution.inputs}),
                      splitKnob("tile_oc", {.extent = convolution.outputs}),
                      columnsAtOnce(convolution.columns, SplitPolicy::Factors), unrolledKernel()});
}

ConfigSpace conv2dCudaSpace(const TemplateArguments& arguments, TemplateVersion) {
  const Convolution convolution = convolutionOf(arguments, false);
  return ConfigSpace({splitKnob("tile_f", {.extent = convolution.outputs, .parts = 4}),
                      splitKnob("tile_y", {.extent = convolution.rows, .parts = 4}),
                      splitKnob("tile_x", {.extent = convolution.columns, .parts = 4}),
                      splitKnob("tile_rc", {.extent = convolution.inputs}),
                      splitKnob("tile_ry", {.extent = convolution.kernelRows}),
                      splitKnob("tile_rx", {.extent = convolution.kernelColumns}),
                      options("auto_unroll_max_step", {{0L}, {512L}, {1500L}}),
                      explicitUnrolling()});
}

ConfigSpace depthwiseCudaSpace(const TemplateArguments& arguments, TemplateVersion) {
  const Convolution convolution = convolutionOf(arguments, true);
  return ConfigSpace({splitKnob("tile_f", {.extent = convolution.outputs, .parts = 4}),
                      splitKnob("tile_y", {.extent = convolution.rows, .parts = 4}),
                      splitKnob("tile_x", {.extent = convolution.columns, .parts = 4}),
                      options("auto_unroll_max_step", {{0L}, {256L}, {1500L}}),
                      explicitUnrolling()});
}

} // namespace nestwright
