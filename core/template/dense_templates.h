#pragma once
/// \file Spaces of products: data [M, K], weights [N, K].

#include "core/template/template.h"

namespace nestwright {

/// Weights packed into panels, the innermost part of N wide.
ConfigSpace densePackSpace(const TemplateArguments& arguments, TemplateVersion version);
/// Weights as they are; partial sums over the innermost part of K as a vector.
ConfigSpace denseNopackSpace(const TemplateArguments& arguments, TemplateVersion version);
/// Data [B, M, K] and [B, N, K].
ConfigSpace batchMatmulSpace(const TemplateArguments& arguments, TemplateVersion version);

/// On a GPU: threads reduce together, for few rows; or tiles in shared memory, for many.
ConfigSpace denseSmallBatchGpuSpace(const TemplateArguments& arguments, TemplateVersion version);
ConfigSpace denseLargeBatchGpuSpace(const TemplateArguments& arguments, TemplateVersion version);
ConfigSpace batchMatmulCudaSpace(const TemplateArguments& arguments, TemplateVersion version);

} // namespace nestwright
