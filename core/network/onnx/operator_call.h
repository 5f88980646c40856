#pragma once
/// \file Private to what writes ONNX models: the call of a library's operator.

#include "core/network/onnx/custom_op_model.h"

#include <onnx/onnx_pb.h>

#include <filesystem>

namespace nestwright {

using Values = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;

/// The inputs that have no value in the file.
Values openInputs(const onnx::GraphProto& graph);

/// Throws InputError unless the operator takes and gives as many tensors as the file that it is
/// made from.
void requireInterface(const std::filesystem::path& file, const CustomOp& op, const Values& inputs,
                      const Values& outputs);

/// Adds a node to the model that computes the outputs from the inputs by the operator, casts where
/// the element types are not the operator's, and the operator's domain.
void addCall(onnx::ModelProto& model, const CustomOp& op, const Values& inputs,
             const Values& outputs);

} // namespace nestwright
