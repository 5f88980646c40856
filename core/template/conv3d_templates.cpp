#include "core/template/conv3d_templates.h"

#include "core/template/annotate_knob.h"
#include "core/template/convolution_task.h"
#include "core/template/split_knob.h"

namespace nestwright {

namespace {

ConfigSpace conv3dSpace(const TemplateArguments& arguments, bool channelsLast) {
  constexpr std::int64_t kMostColumns = 8;
  constexpr std::size_t kAxes = 3;
  ConvolutionArguments c = conv3dArguments(arguments, channelsLast);
  // The public code forgets the dilation here, and its logs' numbers are of such spaces.
  c.dilations.assign(kAxes, 1);
  return ConfigSpace({splitKnob("tile_ic", {.extent = c.data[1]}),
                      splitKnob("tile_oc", {.extent = c.kernel[0]}),
                      splitKnob("tile_ow", {.extent = c.output(kAxes - 1),
                                            .filter =
                                                [](const SplitEntity& entity) {
                                                  return entity.sizes.back() <= kMostColumns;
                                                }}),
                      options("unroll_kw", {{true}, {false}})});
}

} // namespace

ConfigSpace conv3dNcdhwSpace(const TemplateArguments& arguments, TemplateVersion) {
  return conv3dSpace(arguments, false);
}

ConfigSpace conv3dNdhwcSpace(const TemplateArguments& arguments, TemplateVersion) {
  return conv3dSpace(arguments, true);
}

} // namespace nestwright
