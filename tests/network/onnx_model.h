#pragma once
// ONNX models put together in memory, for tests of what happens to them.

#include "core/network/graph/array.h"

#include <onnx/onnx_pb.h>

#include <QFile>
#include <QStringList>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// A model under construction: input `x`, output `out` whose dimensions are left open.
class Model {
 public:
  explicit Model(const Shape& input = {2, 3}, int opset = 13, std::size_t outputRank = 2) {
    proto_.set_ir_version(8);
    proto_.add_opset_import()->set_version(opset);
    proto_.mutable_graph()->set_name("test");
    onnx::TensorShapeProto& x = declare(*proto_.mutable_graph()->add_input(), "x");
    for (const std::int64_t extent : input)
      x.add_dim()->set_dim_value(extent);
    onnx::TensorShapeProto& out = declare(*proto_.mutable_graph()->add_output(), "out");
    for (std::size_t d = 0; d < outputRank; ++d)
      out.add_dim()->set_dim_param("d" + std::to_string(d));
  }

  onnx::NodeProto& node(const char* name, const char* op, const QStringList& inputs,
                        const char* output) {
    onnx::NodeProto& node = *proto_.mutable_graph()->add_node();
    node.set_name(name);
    node.set_op_type(op);
    for (const QString& input : inputs)
      node.add_input(input.toStdString());
    node.add_output(output);
    return node;
  }

  onnx::TensorProto& weight(const char* name, const Shape& shape) {
    onnx::TensorProto& tensor = *proto_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t extent : shape)
      tensor.add_dims(extent);
    return tensor;
  }

  void filled(const char* name, const Shape& shape, float value = 1) {
    onnx::TensorProto& tensor = weight(name, shape);
    for (std::int64_t i = 0; i < elementCount(shape); ++i)
      tensor.add_float_data(value);
  }

  void integers(const char* name, const std::vector<std::int64_t>& values) {
    integers(name, {static_cast<std::int64_t>(values.size())}, values);
  }

  void integers(const char* name, const Shape& shape, const std::vector<std::int64_t>& values) {
    onnx::TensorProto& tensor = weight(name, shape);
    tensor.set_data_type(onnx::TensorProto::INT64);
    for (const std::int64_t value : values)
      tensor.add_int64_data(value);
  }

  /// Floats of both signs, different for each name.
  void random(const char* name, const Shape& shape) {
    onnx::TensorProto& tensor = weight(name, shape);
    const ArrayPtr values =
        uniformConstant(shape, -1, 1, std::hash<std::string>()(name)).materialise();
    for (const float value : values->floats())
      tensor.add_float_data(value);
  }

  /// Weights `name` of shape [2, 3] that are in another file.
  void external(const char* name, const std::map<std::string, std::string>& entries) {
    onnx::TensorProto& tensor = weight(name, {2, 3});
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      onnx::StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
  }

  std::string bytes() const { return proto_.SerializeAsString(); }

 private:
  /// The shape of a value to be filled in.
  static onnx::TensorShapeProto& declare(onnx::ValueInfoProto& value, const char* name) {
    value.set_name(name);
    value.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    return *value.mutable_type()->mutable_tensor_type()->mutable_shape();
  }

  onnx::ModelProto proto_;
};

/// Gives a node an attribute.
inline void integer(onnx::NodeProto& node, const char* name, std::int64_t value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

inline void text(onnx::NodeProto& node, const char* name, const char* value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
}

inline void writeBytes(const QString& path, const std::string& bytes) {
  QFile file(path);
  if (!file.open(QFile::WriteOnly)) qFatal("cannot write");
  file.write(bytes.data(), static_cast<qint64>(bytes.size()));
}

} // namespace nestwright
