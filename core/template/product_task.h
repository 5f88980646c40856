#pragma once
/// \file What the templates of products of matrices have in common: ours, and of plugins.

#include "core/template/executable_template.h"

namespace nestwright {

/// The product's extents.
struct ProductExtents {
  std::int64_t batch = 1, rows = 1, columns = 1, sum = 1;
};
ProductExtents productExtents(const TemplateSubject& subject);

/// Data [M, K], weights [N, K], no bias, the result's type.
TemplateArguments denseArguments(const TemplateSubject& subject, TemplateVersion version);
/// The task of such arguments; with a bias where they have one.
ComputeDag denseTask(const TemplateArguments& arguments);

/// [M, N] and [M, K], with dimensions in the order of the public code.
PackedLayout denseResult(const TemplateSubject& subject);
PackedLayout denseData(const TemplateSubject& subject);

/// The one reduction axis: "k".
std::vector<std::string> productReduceNames(const TaskOperator& what);

} // namespace nestwright
