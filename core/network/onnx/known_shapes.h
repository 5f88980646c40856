#pragma once
/// \file Private to what reads ONNX models: shapes of tensors that can be told before a model runs.

#include <onnx/onnx_pb.h>

namespace nestwright::onnx_import {

/// Declares in a sorted model, whose inputs have their extents, all types and shapes that follow by
/// the rules of ONNX: also those that depend on what nodes compute from constants and from shapes,
/// which ONNX's own inference follows through a few operators only. Throws InputError.
void inferShapes(onnx::ModelProto& model);

} // namespace nestwright::onnx_import
