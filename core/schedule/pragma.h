#pragma once
/// \file The pragmas that programs have, each a name and a number: "auto_unroll_max_step$64".

#include "core/schedule/step.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class Pragma : std::uint8_t {
  AutoUnroll, // the only one that public records have
  // Of a GPU's kernels, and our own (handbook/cuda.md 2.5):
  PipelineStages,
  RasterRows,
  MinBlocks,
  UnrollExplicit,
};

struct PragmaKind {
  Pragma pragma = Pragma::AutoUnroll;
  std::string_view head; // "auto_unroll_max_step$", before the number
  std::int64_t least = 0, most = 0;
  std::string_view meaning;              // of the number, in a sentence
  std::vector<std::string_view> choices; // numbers that are of use
};

/// All of them, by Pragma.
std::span<const PragmaKind> pragmaKinds();
/// The kind that this text is of, by what stands before its number; null when it is of none.
const PragmaKind* pragmaKindOf(std::string_view text);
/// The number in a text of this kind; nothing when there is none or it is out of range.
std::optional<std::int64_t> pragmaNumber(const PragmaKind& kind, std::string_view text);
/// "pipeline_stages$3"
std::string pragmaText(Pragma pragma, std::int64_t number);

/// Whether the loops of a GPU's kernels that are unrolled are to be written out in the code, by the
/// last pragma of this kind. It is said of a program: its one kernel has it all over.
bool unrollsExplicitly(const Steps& steps);

/// Whether TVM knows it; at another one its process ends.
bool isPublicPragma(std::string_view text);

} // namespace nestwright
