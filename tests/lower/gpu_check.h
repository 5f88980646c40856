#pragma once
/// \file A program lowered for a GPU, looked at after every pass.

#include "core/lower/lower.h"
#include "tests/lower/random_tensors.h"

namespace nestwright {

enum class Looks { AfterEveryPass, AfterTheLast };

/// Lowers the program and runs what each pass leaves, or only what the last one leaves (always so
/// of a large program); what is wrong after the first pass that leaves anything wrong, with the
/// program, or nothing. Throws IllegalSchedule as lower() does.
std::string gpuProblem(const State& state, const Tensors& inputs, const Tensors& expected,
                       Looks looks = Looks::AfterEveryPass, GpuArchitecture architecture = {9, 0});

/// The text of a program after one pass, or after the last one.
std::string gpuText(const char* dag, const char* steps, const std::string& pass,
                    GpuArchitecture architecture = {9, 0});

/// The facts of an architecture, sm_90 unless another one is named.
GpuFacts testGpu(GpuArchitecture architecture = {9, 0});

} // namespace nestwright
