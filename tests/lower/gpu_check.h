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
                       Looks looks = Looks::AfterEveryPass);

/// The text of a program after one pass, or after the last one.
std::string gpuText(const char* dag, const char* steps, const std::string& pass);

/// The facts of sm_90.
GpuFacts testGpu();

} // namespace nestwright
