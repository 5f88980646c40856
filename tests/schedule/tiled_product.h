#pragma once
/// \file A product that is tiled for a GPU as the public record whose loop nest
/// tests/schedule/schedule_golden.cpp prints.

namespace nestwright::test {

inline constexpr const char* kProductDag = "A = PLACEHOLDER [256, 256]\n"
                                           "B = PLACEHOLDER [256, 256]\n"
                                           "C(i, j) += (A[i, k]*B[k, j])\n";
/// Blocks of 64 × 64, 16 × 8 threads of 4 × 4, twice along j.
inline constexpr const char* kTiledProductSteps =
    R"([["CHW", 2, "local"], ["SP", 2, 0, 256, [1, 16, 2, 2], 1],
    ["SP", 2, 5, 256, [2, 8, 1, 4], 1], ["SP", 2, 10, 256, [4, 2], 1],
    ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FSP", 3, 0, 1, 3],
    ["FSP", 3, 4, 2, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5],
    ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]],
    ["CA", 1, 4, 6], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]],
    ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]],
    ["SP", 3, 0, 32, [4], 1], ["AN", 3, 1, 2], ["FFSP", 3, 0, [2, 1], 1, 1],
    ["AN", 3, 1, 6], ["FU", 1, [0, 1]], ["SP", 1, 0, 32, [2], 1], ["AN", 1, 1, 2],
    ["FFSP", 1, 0, [2, 1], 1, 1], ["AN", 1, 1, 6],
    ["PR", 4, 0, "auto_unroll_max_step$512"]])";

} // namespace nestwright::test
