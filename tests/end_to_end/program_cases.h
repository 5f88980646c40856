#pragma once
/// \file Tasks of all kinds and awkward shapes, and programs of them as the search would propose:
/// what the test of many programs compiles and compares.

#include "core/search/search_policy.h"

#include <cstdint>
#include <string>
#include <vector>

/// One task, the way to propose programs of it, and the threads to run them on. A pure function of
/// the seed and the index.
struct ProgramCase {
  std::uint64_t seed = 0, index = 0;
  std::string task; // "conv2d:...", or "resnet18:... task 3"
  nestwright::ComputeDag dag;
  std::string rules;
  bool evolved = false; // bred by evolution, else sampled at random
  int threads = 1;
};

/// Operators of a fixed list, operators and batched products of random shape, and networks' tasks
/// take turns.
ProgramCase drawCase(std::uint64_t seed, std::uint64_t index);

/// Up to `count` different programs. Evolution follows scores that are random, so that all of its
/// operations are tried on all kinds of parents.
std::vector<nestwright::Candidate> proposePrograms(const ProgramCase& programCase, int count);
