#pragma once
/// \file Compute DAGs and expressions as text, in the form of the TenSet paper's Figure 2:
///
///     A = PLACEHOLDER [512, 512]
///     B = PLACEHOLDER [512, 512]
///     C(i, j) += (A[i, k]*B[k, j])
///
/// The exact form is self-sufficient: an axis whose extent is not that of every dimension which it
/// indexes alone is written with it, `pad(i0, i1=58, i2=58, i3) = ...`. The names of a reduction's
/// body that are no axes are its reduction axes, in the order in which they are met; where that is
/// not enough, braces list them all, `C(i) {rc, ry=3, rx=3} += ...`. Element types other than
/// float32 follow the shape, literals carry their type (0f, 0h, 0.0, int32(0)), names that are no
/// words stand in backquotes, and attributes follow the body, `@layout_free_placeholders(B)`.
/// Print, parse, print is the identity.
///
/// A person may also leave out parentheses (usual precedence), the prefix `tir.`, and the types of
/// literals beside typed operands; write `//` and `%` for floordiv and floormod; and break a line
/// inside brackets.

#include "core/tensor/compute_dag.h"

#include <string>
#include <string_view>

namespace nestwright {

enum class DagText : std::uint8_t {
  Exact, // parseable: extents where they cannot be inferred, shortest numbers that round-trip
  Tvm,   // character for character what TVM v0.11.1 prints: no extents, %g numbers
};

/// Begins what the exact text says of an alternative; where it is not in the text, nothing is.
inline constexpr std::string_view kAlternativeMark = "@alternative(";

std::string print(const ComputeDag& dag, DagText form = DagText::Exact);
std::string print(const Expr& e, DagText form = DagText::Exact);

/// The inverse of the exact form; `#` starts a comment, blank lines are skipped. Throws InputError
/// with line, column, what was expected, and a hint. Every operator passes `checkBounds`.
ComputeDag parseDag(std::string_view text);

} // namespace nestwright
