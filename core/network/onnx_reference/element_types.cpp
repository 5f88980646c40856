// The element types of what ONNX operators give.

#include "core/network/onnx/onnx_context.h"
#include "core/network/onnx_reference/reference_node.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright::onnx_reference {

namespace {

const std::set<std::string>& positions() {
  static const std::set<std::string> kNames = {"Shape", "Size", "ArgMax", "ArgMin"};
  return kNames;
}

/// The operand of whose type the first output is, where that is not the first one.
int operandOfType(const std::string& op) {
  static const std::map<std::string, int> kOperands = {
      {"Where", 1},         {"CastLike", 1},   {"OneHot", 2},     {"QLinearConv", 7},
      {"QLinearMatMul", 7}, {"QLinearAdd", 7}, {"QLinearMul", 7}, {"QLinearGlobalAveragePool", 4},
      {"QGemm", 8}};
  const auto found = kOperands.find(op);
  return found == kOperands.end() ? 0 : found->second;
}

} // namespace

DataType elementTypeOf(int onnxType) {
  if (onnxType == onnx::TensorProto::FLOAT16) return kFloat16;
  return onnxType == onnx::TensorProto::BFLOAT16 ? kBFloat16 : onnx_import::elementType(onnxType);
}

DataType resultType(const ReferenceNode& node) {
  const std::string& op = node.op();
  if (positions().contains(op)) return kInt64;
  if (op == "Cast") return elementTypeOf(static_cast<int>(node.integer("to", 1)));
  if (op == "EyeLike" && node.attribute("dtype"))
    return onnx_import::elementType(static_cast<int>(node.integer("dtype", 1)));
  if (op == "Constant" || op == "ConstantOfShape") {
    const auto* value = node.attribute("value");
    return value ? onnx_import::elementType(value->t().data_type()) : kInt64;
  }
  if (op == "ConvInteger" || op == "MatMulInteger") return kInt32;
  if (op == "QuantizeLinear") return node.has(2) ? node.type(2) : kUInt8;
  if (op == "DynamicQuantizeLinear") return kUInt8;
  const auto operand = static_cast<std::size_t>(operandOfType(op));
  return node.has(operand) ? node.type(operand) : kInt64;
}

std::int64_t wrappedTo(DataType type, std::int64_t value) {
  if (type.bits == 64) return value;
  const std::int64_t range = std::int64_t{1} << type.bits;
  const std::int64_t rest = ((value % range) + range) % range;
  return type.code == DataType::Code::Int && rest >= range / 2 ? rest - range : rest;
}

std::int64_t saturatedTo(DataType type, double value) {
  const double range = std::ldexp(1, type.bits);
  const double low = type.code == DataType::Code::Int ? -range / 2 : 0;
  return static_cast<std::int64_t>(
      std::clamp(std::isnan(value) ? low : value, low, low + range - 1));
}

} // namespace nestwright::onnx_reference
