#pragma once
/// \file Private to what reads ONNX models: later opsets in the words of the last one that is known
/// (kKnownOpset).

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright::onnx_import {

/// Of operators, and of nodes, that the known opset cannot say.
inline constexpr const char* kLaterDomain = "nestwright.later_opset";

/// The operators with those of later opsets that are written out in older ones, sorted.
std::vector<std::string> withWrittenOut(std::vector<std::string> operators);

/// Makes a model of opset 18 or later one of opset 17 that computes the same; older ones stay.
/// Operands become the attributes that they were, attributes that say what has always been so go,
/// and Gelu, Mish, Swish and RMSNormalization are written out. Operators that it does not have at
/// all get a domain of their own, in which nobody supports them. So do nodes that it cannot say,
/// where they are to be left; else throws NodeImportError for the first.
enum class Unsayable : std::uint8_t { Refused, Left };
void toKnownOpset(onnx::ModelProto& model, Unsayable unsayable = Unsayable::Refused);

} // namespace nestwright::onnx_import
