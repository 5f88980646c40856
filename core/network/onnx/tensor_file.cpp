#include "core/network/onnx/tensor_file.h"

#include "core/network/onnx/onnx_context.h"
#include "core/support/error.h"

#include <fstream>

namespace nestwright {

Array readTensorFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto tensor;
  if (!file || !tensor.ParseFromIstream(&file) || tensor.data_type() == 0)
    throw InputError(
        fmt::format("{}: cannot be read as a tensor; a serialised ONNX TensorProto was "
                    "expected, as onnx.numpy_helper.from_array(x) makes",
                    path.string()));
  try {
    return *onnx_import::readTensor(tensor).materialise();
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path.string(), e.what()));
  }
}

void writeTensorFile(const std::filesystem::path& path, const Array& values) {
  onnx::TensorProto tensor;
  for (const std::int64_t extent : values.shape)
    tensor.add_dims(extent);
  if (values.isFloat()) {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.mutable_float_data()->Assign(values.floats().begin(), values.floats().end());
  } else {
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.mutable_int64_data()->Assign(values.ints().begin(), values.ints().end());
  }
  std::ofstream file(path, std::ios::binary);
  if (!file || !tensor.SerializeToOstream(&file))
    throw SystemError(fmt::format("{}: cannot be written", path.string()));
}

} // namespace nestwright
