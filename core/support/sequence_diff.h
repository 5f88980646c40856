#pragma once
/// \file What two sequences have in common: alignments of lines, steps and loops.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nestwright {

/// A row of two sequences side by side.
enum class DiffMark : std::uint8_t { Same, Changed, OnlyLeft, OnlyRight };

struct DiffRow {
  DiffMark mark = DiffMark::Same;
  int left = -1, right = -1; // positions; -1 where the side has nothing
  friend bool operator==(const DiffRow&, const DiffRow&) = default;
};

/// "same", "changed", "only left", "only right"
const char* name(DiffMark mark);

/// The shortest edit between two texts, line by line (Wu et al. 1990, by dtl). Runs of lines that
/// only one side has and that stand opposite one another are paired as Changed where they have at
/// least a third of their words in common. `left` and `right` are what is compared; callers may
/// have taken out what shall not count. Of texts that differ in thousands of lines it takes a good
/// edit instead of the shortest.
std::vector<DiffRow> diffLines(const std::vector<std::string>& left,
                               const std::vector<std::string>& right);

/// The alignment with the highest sum of scores, of two sequences of so many elements. `score` is
/// the worth of pairing two of them: 0 when they must not be paired. Pairs of equal elements are
/// to have a higher score than others; `equal` tells Same from Changed. Costs left * right.
std::vector<DiffRow> align(int left, int right, const std::function<int(int, int)>& score,
                           const std::function<bool(int, int)>& equal);

} // namespace nestwright
