#pragma once
/// \file What a program computes: by the task's definition, and when it runs.

#include "ui/program/program_text.h"

#include <optional>

namespace nestwright::ui {

/// Of the program that the steps make of `dag`, for a processor; nothing for a GPU, or where the
/// program cannot be lowered.
std::optional<Provenance> workFact(const ComputeDag& definition, const ComputeDag& dag,
                                   const Steps& steps, const TargetFacts& target);

} // namespace nestwright::ui
