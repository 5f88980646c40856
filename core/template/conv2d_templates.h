#pragma once
/// \file Spaces of convolutions: data [N, C, H, W], weights [K, C, kh, kw], strides, padding (top,
/// left, bottom, right, or rows and columns), dilation.

#include "core/template/template.h"

namespace nestwright {

/// Channels packed: data NCHW[ic]c, weights OIHW[ic]i[oc]o.
ConfigSpace conv2dPackedSpace(const TemplateArguments& arguments, TemplateVersion version);
/// Weights [C, multiplier, kh, kw]; channels packed, too.
ConfigSpace depthwisePackedSpace(const TemplateArguments& arguments, TemplateVersion version);

/// On a GPU, NCHW.
ConfigSpace conv2dCudaSpace(const TemplateArguments& arguments, TemplateVersion version);
ConfigSpace depthwiseCudaSpace(const TemplateArguments& arguments, TemplateVersion version);

} // namespace nestwright
