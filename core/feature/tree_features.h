#pragma once
/// \file AutoTVM's loop nests as trees, which TreeGRU reads (handbook/cost-models.md 5.8).

#include "core/feature/touched_nest.h"

#include <cstddef>
#include <span>
#include <vector>

namespace nestwright {

/// A row a node, as its columns have it: which row of the program its parent is (-1: none), what it
/// is called (a number below kTreeNames), and what else is known of it.
struct TreeColumns {
  static constexpr std::size_t kParent = 0, kName = 1, kFacts = 2;
  static constexpr std::size_t kFactCount = 24;
  static constexpr std::size_t kCount = kFacts + kFactCount;
};
inline constexpr std::size_t kTreeNames = 128;
/// Of a node; further ones are left out.
inline constexpr std::size_t kMostChildren = 20;

/// The nest's tree, a parent before its children: the root; below it a node for each outermost loop
/// ("for", with its length and what is done with it), whose first child is the loop's variable;
/// then come each access right in it, with the variables that move it as children, and the loops
/// inside it. `options` are values of a configuration's options, at the end of the root's facts.
///
/// A name's number is its place among the program's names in alphabetical order, behind those of
/// the root and of loops: nests of one form have the same numbers, however their loops are ordered.
/// The public code numbers names as it first meets them in a process.
std::vector<float> treeFeatures(const TouchedNest& nest, std::span<const float> options = {});

} // namespace nestwright
