#pragma once
/// \file What Debian has to install for the learner (handbook/stack.md 17).

namespace nestwright {

/// The library of matrix products. apt would take the reference, and of the OpenBLAS packages only
/// this one may be asked by several threads at once.
inline constexpr const char* kLearnerBlas = "libopenblas0-pthread";
/// For a learner that is there and does not start.
inline constexpr const char* kLearnerPackages =
    "apt-get install --no-install-recommends libtorch1.13 libopenblas0-pthread (some 600 MB)";
/// To build one.
inline constexpr const char* kLearnerBuildPackages =
    "apt-get install --no-install-recommends libtorch-dev libopenblas0-pthread (some 600 MB)";

} // namespace nestwright
