#include "core/template/conv2d_templates.h"

#include "core/template/annotate_knob.h"
#include "core/template/convolution_task.h"
#include "core/template/split_knob.h"

namespace nestwright {

namespace {

/// Where the type of the result stands: templates for processors take two layouts before.
constexpr std::size_t kPackedType = 7, kGpuType = 5;

ConvolutionArguments convolutionOf(const TemplateArguments& arguments, std::size_t type) {
  return convolutionArguments(arguments, 2, false, type);
}

/// Weights [C, multiplier, kh, kw].
std::int64_t depthwiseOutputs(const ConvolutionArguments& c) {
  return c.data[1] * c.kernel[1];
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
  const ConvolutionArguments c = convolutionOf(arguments, kPackedType);
  const SplitPolicy policy =
      version == TemplateVersion::TopHub ? SplitPolicy::Factors : SplitPolicy::Verbose;
  std::vector<Knob> knobs{splitKnob("tile_ic", {.extent = c.data[1]}),
                          splitKnob("tile_oc", {.extent = c.kernel[0]}),
                          columnsAtOnce(c.output(1), policy)};
  if (c.kernel[2] == 1 && c.kernel[3] == 1)
    knobs.push_back(c.output(0) > 1 ? options("tile_oh", {{1L}, {2L}})
                                    : options("tile_oh", {{1L}}));
  else
    knobs.push_back(unrolledKernel());
  return ConfigSpace(std::move(knobs));
}

ConfigSpace depthwisePackedSpace(const TemplateArguments& arguments, TemplateVersion) {
  const ConvolutionArguments c = convolutionOf(arguments, kPackedType);
  return ConfigSpace({splitKnob("tile_ic", {.extent = c.data[1]}),
                      splitKnob("tile_oc", {.extent = depthwiseOutputs(c)}),
                      columnsAtOnce(c.output(1), SplitPolicy::Factors), unrolledKernel()});
}

ConfigSpace conv2dCudaSpace(const TemplateArguments& arguments, TemplateVersion) {
  const ConvolutionArguments c = convolutionOf(arguments, kGpuType);
  return ConfigSpace(
      {splitKnob("tile_f", {.extent = c.kernel[0], .parts = 4}),
       splitKnob("tile_y", {.extent = c.output(0), .parts = 4}),
       splitKnob("tile_x", {.extent = c.output(1), .parts = 4}),
       splitKnob("tile_rc", {.extent = c.data[1]}), splitKnob("tile_ry", {.extent = c.kernel[2]}),
       splitKnob("tile_rx", {.extent = c.kernel[3]}),
       options("auto_unroll_max_step", {{0L}, {512L}, {1500L}}), explicitUnrolling()});
}

ConfigSpace depthwiseCudaSpace(const TemplateArguments& arguments, TemplateVersion) {
  const ConvolutionArguments c = convolutionOf(arguments, kGpuType);
  return ConfigSpace({splitKnob("tile_f", {.extent = depthwiseOutputs(c), .parts = 4}),
                      splitKnob("tile_y", {.extent = c.output(0), .parts = 4}),
                      splitKnob("tile_x", {.extent = c.output(1), .parts = 4}),
                      options("auto_unroll_max_step", {{0L}, {256L}, {1500L}}),
                      explicitUnrolling()});
}

} // namespace nestwright
