#pragma once
/// \file Private to what reads ONNX models: what holds for a model as a whole before its nodes are
/// looked at.

#include "core/network/onnx/onnx_import.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>
#include <string>

namespace nestwright::onnx_import {

/// What libonnx 1.12 knows, and up to where later ones can be said in its words (newer_opsets.h).
inline constexpr int kKnownOpset = 17, kNewestOpset = 28;

/// Takes the elements of a repeated field away for which the predicate is true.
template <class Protos, class Predicate>
void removeIf(Protos& protos, const Predicate& predicate) {
  const auto end = std::remove_if(protos.begin(), protos.end(), predicate);
  protos.DeleteSubrange(static_cast<int>(end - protos.begin()),
                        static_cast<int>(protos.end() - end));
}

/// The tensors that have a value in the file.
std::set<std::string> storedNames(const onnx::GraphProto& graph);

/// The version of the standard operators. Throws InputError where the model names none, or one that
/// is too new.
int opsetOf(const onnx::ModelProto& model);

/// Throws InputError where the model, whose nodes are sorted, breaks a rule of ONNX. A later
/// version of the container becomes the last one that is known: what it adds (functions, new
/// element types) is refused then.
void requireValid(onnx::ModelProto& model);

/// Gives the symbolic dimensions of the inputs their values. Throws InputError when one has no
/// value, a value no dimension, or an input too many dimensions; `label` is what it calls the
/// model.
void bindDimensions(onnx::ModelProto& model, const ImportOptions& options,
                    const std::string& label);

} // namespace nestwright::onnx_import
