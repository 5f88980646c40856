#pragma once
/// \file What the templates of products of matrices have in common: ours, and of plugins.

#include "core/template/executable_template.h"

namespace nestwright {

/// Data [M, K], weights [N, K], no bias, the result's type.
TemplateArguments denseArguments(const TemplateSubject& subject, TemplateVersion version);
/// The task of such arguments; with a bias where they have one.
ComputeDag denseTask(const TemplateArguments& arguments);

/// [M, N] and [M, K], with dimensions in the order of the public code.
PackedLayout denseResult(const TemplateSubject& subject);
PackedLayout denseData(const TemplateSubject& subject);

/// The same, and weights [N, K].
std::map<int, PackedLayout> denseLayouts(const TemplateSubject& subject, const KnobValues& knobs);

/// Data [B, M, K] and [B, N, K], where several batch axes count as one.
TemplateArguments batchMatmulArguments(const TemplateSubject& subject, TemplateVersion version);
/// [B, M, N], [B, M, K] and [B, N, K], each batch axis by itself.
std::map<int, PackedLayout> batchMatmulLayouts(const TemplateSubject& subject,
                                               const KnobValues& knobs);
/// The task of such arguments, in which the second matrix need not be transposed.
ComputeDag batchMatmulTask(const TemplateArguments& arguments);

/// The one reduction axis: "k".
std::vector<std::string> productReduceNames(const TaskOperator& what);

} // namespace nestwright
