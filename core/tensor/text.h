#pragma once
/// \file Compute DAGs and expressions as text, in the form of the TenSet paper's Figure 2:
///
///     A = PLACEHOLDER [512, 512]
///     B = PLACEHOLDER [512, 512]
///     C(i, j) += (A[i, k]*B[k, j])
///
/// The exact form is self-sufficient: an axis whose extent is not the extent of a dimension that it
/// indexes alone is written with it, `pad(i0, i1=58, i2=58, i3) = ...`; reduction axes of that kind
/// follow in braces, `C(i) {k=16} += ...`; element types other than float32 follow the shape. Print,
/// parse, print is the identity.

#include <string>
#include <string_view>

#include "core/tensor/compute_dag.h"

namespace nestwright {

enum class DagText : std::uint8_t {
  Exact, // parseable: extents where they cannot be inferred, shortest numbers that round-trip
  Tvm,   // character for character what TVM v0.11.1 prints: no extents, %g numbers
};

std::string print(const ComputeDag& dag, DagText form = DagText::Exact);
std::string print(const Expr& e, DagText form = DagText::Exact);

/// The inverse of the exact form; `#` starts a comment, blank lines are skipped. Throws InputError
/// with line, column, what was expected, and a hint.
ComputeDag parseDag(std::string_view text);

} // namespace nestwright
