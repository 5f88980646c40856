#pragma once
/// \file What the printer and the parser of compute DAGs agree upon. Private to this room.

#include "core/tensor/compute_dag.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright {

/// The name as it is, or in backquotes when it is no plain word.
std::string quoted(const std::string& name);

/// Words that stand for values and so cannot be names without backquotes.
bool isReservedWord(std::string_view word);

/// What the dimensions that a variable indexes alone say about its extent: `extent` when they
/// agree; `first` and `conflict` when they do not; nothing when there is none.
struct InferredExtent {
  std::optional<std::int64_t> extent, first, conflict;
};
InferredExtent inferExtent(const Expr& body, const Var& axis);

/// `@name(a, b)` after an operator's body.
using ListAttribute = std::pair<std::string_view, std::vector<std::string> OpAttributes::*>;
inline constexpr std::array<ListAttribute, 4> kListAttributes{{
    {"always_unroll_inner", &OpAttributes::alwaysUnrollInner},
    {"no_split_at_inner", &OpAttributes::noSplitAtInner},
    {"simplify_const_tensor_indices", &OpAttributes::simplifyConstIndices},
    {"layout_free_placeholders", &OpAttributes::layoutFreeInputs},
}};
inline constexpr std::string_view kFlopsAttribute = "flop";
inline constexpr std::string_view kSimilarityAttribute = "similarity";
inline constexpr std::string_view kAlternativeAttribute = "alternative";

} // namespace nestwright
