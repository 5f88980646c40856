#include "core/schedule/pragma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace nestwright {

std::span<const PragmaKind> pragmaKinds() {
  static const std::array<PragmaKind, 5> kinds = {
      {{Pragma::AutoUnroll,
        "auto_unroll_max_step$",
        0,
        std::numeric_limits<std::int64_t>::max(),
        "Loops whose bodies come to at most so many steps are unrolled; 0 unrolls none.",
        {"0", "16", "64", "512"}},
       {Pragma::PipelineStages,
        "pipeline_stages$",
        1,
        5,
        "Tiles in shared memory at once: one is computed with while the others are fetched; 1 "
        "fetches, then computes.",
        {"1", "2", "3", "4", "5"}},
       {Pragma::RasterRows,
        "raster$",
        1,
        64,
        "Rows of blocks that run together, column by column, so that they find one another's data "
        "in the L2 cache; 1 runs row by row.",
        {"1", "2", "4", "8", "16"}},
       {Pragma::MinBlocks,
        "min_blocks$",
        1,
        32,
        "Blocks that a multiprocessor is to hold at once, at least: the compiler spends no more "
        "registers than that leaves.",
        {"1", "2", "3", "4"}},
       {Pragma::UnrollExplicit,
        "unroll_explicit$",
        0,
        1,
        "1 writes unrolled loops of a GPU's kernels out in the code; 0 leaves that to its "
        "compiler.",
        {"0", "1"}}}};
  return kinds;
}

const PragmaKind* pragmaKindOf(std::string_view text) {
  const std::span<const PragmaKind> kinds = pragmaKinds();
  const auto found = std::ranges::find_if(
      kinds, [&](const PragmaKind& kind) { return text.starts_with(kind.head); });
  return found == kinds.end() ? nullptr : &*found;
}

std::optional<std::int64_t> pragmaNumber(const PragmaKind& kind, std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + kind.head.size(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < kind.least || number > kind.most)
    return std::nullopt;
  return number;
}

std::string pragmaText(Pragma pragma, std::int64_t number) {
  return fmt::format("{}{}", pragmaKinds()[static_cast<std::size_t>(pragma)].head, number);
}

bool unrollsExplicitly(const Steps& steps) {
  const PragmaKind& kind = pragmaKinds()[static_cast<std::size_t>(Pragma::UnrollExplicit)];
  bool explicitly = false;
  for (const Step& step : steps)
    if (const auto* pragma = std::get_if<PragmaStep>(&step);
        pragma != nullptr && pragma->pragma.starts_with(kind.head))
      explicitly = pragmaNumber(kind, pragma->pragma) == 1;
  return explicitly;
}

bool isPublicPragma(std::string_view text) {
  const PragmaKind* const kind = pragmaKindOf(text);
  return text == "debug_skip_region" || (kind != nullptr && kind->pragma == Pragma::AutoUnroll);
}

} // namespace nestwright
