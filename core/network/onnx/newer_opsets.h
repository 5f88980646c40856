#pragma once
/// \file Private to what reads ONNX models: later opsets in the words of the last one that is known
/// (kKnownOpset).

#include <onnx/onnx_pb.h>

namespace nestwright::onnx_import {

/// Makes a model of opset 18 or later one of opset 17 that computes the same; older ones stay.
/// Operands become the attributes that they were, attributes that say what has always been so go,
/// and Gelu, Mish, Swish and RMSNormalization are written out. Throws NodeImportError for what
/// opset 17 cannot say; operators that it does not have at all stay, for whoever looks for them.
void toKnownOpset(onnx::ModelProto& model);

} // namespace nestwright::onnx_import
