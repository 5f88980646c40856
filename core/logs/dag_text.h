#pragma once
/// \file DAGs as TVM prints them, which is without the extents that no shape tells. Those come from
/// the task's workload key: a guess with the same text is the DAG itself. Of other tasks the
/// condition of a padding tells them, where the key has the extents of what is padded.

#include "core/logs/tvm_tasks.h"

#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

/// The text without blanks, tensors and axes numbered in the order in which they appear: equal for
/// DAGs that differ in names only.
std::string namelessDag(std::string_view text);

/// The DAG of the text, for a task of this key. Without one `reason` says what is missing.
std::optional<ComputeDag> dagOfText(const std::string& text, const std::string& key,
                                    std::string& reason);

} // namespace nestwright
