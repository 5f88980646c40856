#pragma once
/// \file An ONNX model of which a part can be tuned.

#include "tests/network/onnx_model.h"

namespace nestwright::deploy_test {

/// Two products with a determinant between them, which is not supported.
inline Model partlySupported() {
  Model m({1, 4, 4}, 13, 3);
  m.random("w", {4, 4});
  m.node("first", "MatMul", {"x", "w"}, "a");
  m.node("plain", "Relu", {"a"}, "b");
  m.node("odd", "Det", {"b"}, "d");
  m.node("scale", "Mul", {"b", "d"}, "c");
  m.node("second", "MatMul", {"c", "w"}, "out");
  return m;
}

} // namespace nestwright::deploy_test
