#pragma once
/// \file A network that came from an ONNX file as an operator of ONNX Runtime, and the file
/// rewritten to call it.

#include "core/deploy/library.h"
#include "core/network/onnx/custom_op_model.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace nestwright {

/// Whether the text of a subject names an ONNX file as a whole.
bool isOnnxFile(std::string_view subject);
/// Throws UsageError unless the deployment is of an ONNX file as a whole, and as requireWhole()
/// does.
void requireOnnxFile(const Deployment& deployment);

/// The C code of a custom-op library: RegisterCustomOps() adds the operator NAME of the domain
/// nestwright.NAME. It calls the functions of NAME.h, and declares by itself what it needs of ONNX
/// Runtime's C API.
std::string onnxRuntimeText(const Library& library);
/// What that library lets out: a version script.
std::string onnxRuntimeExports();
/// libNAME_onnxruntime.so
std::string onnxRuntimeFile(const Library& library);

/// That operator.
CustomOp onnxRuntimeOperator(const Library& library);

/// The bytes of model.onnx: the file's inputs and outputs with the library's shapes, and between
/// them the operator alone; of a subgraph the model that it was cut from, with the operator in its
/// place. Throws as customOpModel() and callingModel() do.
std::string onnxRuntimeModel(const Library& library);

/// What the manifest says of it; null where the options do not want it.
nlohmann::json onnxRuntimeJson(const Library& library);

} // namespace nestwright
