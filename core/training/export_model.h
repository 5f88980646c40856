#pragma once
/// \file Trained models for those who have no Nestwright (handbook/cost-models.md 5.7).

#include "core/dataset/model_file.h"

#include <string>

namespace nestwright {

/// The bytes of an ONNX model with the file's network, as toOnnx() has it. Throws UsageError for a
/// model that is no network, InputError for a file whose network cannot be read.
std::string onnxOf(const ModelFile& file);

/// Writes them: the file is whole or not there. Throws UsageError where there is one already, and
/// SystemError.
void writeOnnx(const std::string& path, const ModelFile& file);

} // namespace nestwright
