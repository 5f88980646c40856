#pragma once
/// \file Trained models for those who have no Nestwright (handbook/cost-models.md 5.7).

#include "core/dataset/model_file.h"

#include <string>

namespace nestwright {

/// Writes the file's network as toOnnx() has it: the new file is whole or not there. Throws
/// UsageError where there is one already and for a model that is no network, InputError for a file
/// whose network cannot be read, and SystemError.
void writeOnnx(const std::string& path, const ModelFile& file);

} // namespace nestwright
