#pragma once
/// \file What trained models have in common: models that are one but for their seeds, and those
/// that only learned from more or less of the same.

#include "core/dataset/model_file.h"

#include <string>

namespace nestwright {

/// All that decides what the model learned, but its seeds: model, options, choice of data, what it
/// went on from. Models of one text differ by their seeds alone.
std::string textWithoutSeeds(const ModelFile& file);

/// The same without how many tasks and programs were drawn: models of one text are points of one
/// learning curve.
std::string textWithoutSize(const ModelFile& file);

} // namespace nestwright
