#pragma once
/// \file The values of an array as the C functions of a library take them.

#include "core/network/execution/stored_values.h"
#include "core/network/graph/array.h"

#include <QByteArray>

namespace nestwright::deploy_test {

inline QByteArray bytesOf(const Array& values) {
  const DataType type = values.isFloat() ? kFloat32 : kInt64;
  QByteArray bytes(elementCount(values.shape) * type.elementBytes(), '\0');
  storeValues(values, type, bytes.data());
  return bytes;
}

} // namespace nestwright::deploy_test
