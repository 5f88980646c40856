#pragma once
/// \file How the rows of a program look at one another in a network with attention between them.

#include <cstddef>
#include <vector>

namespace nestwright {

/// Of one program; means over the heads of the network's attention.
struct Attention {
  /// Rows of the program that the network reads: those behind its length are cut off.
  std::size_t rows = 0;
  /// rows x (rows + 1): which share of its attention each row gives to each, and in the last column
  /// to all padding together. The shares of a row add up to 1.
  std::vector<float> shares;

  float share(std::size_t row, std::size_t of) const { return shares[row * (rows + 1) + of]; }
  float ofPadding(std::size_t row) const { return share(row, rows); }
};

} // namespace nestwright
