#pragma once
/// \file Spaces of convolutions over three axes: data, weights, strides, padding (front, top, left,
/// back, bottom, right, or three numbers), dilation; one number may stand for three.

#include "core/template/template.h"

namespace nestwright {

/// Data [N, C, D, H, W], weights [K, C, kd, kh, kw].
ConfigSpace conv3dNcdhwSpace(const TemplateArguments& arguments, TemplateVersion version);
/// Data [N, D, H, W, C], weights [kd, kh, kw, C, K].
ConfigSpace conv3dNdhwcSpace(const TemplateArguments& arguments, TemplateVersion version);

} // namespace nestwright
