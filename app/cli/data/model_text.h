#pragma once
/// \file A trained model in words, for the verbs that make or show one.

#include "core/dataset/model_file.h"

#include <string>

namespace nestwright::cli {

/// What it is, learned from and knows of itself; `all`: its options, tasks and curve, too.
void printModel(const std::string& path, const ModelFile& file, bool all);

} // namespace nestwright::cli
