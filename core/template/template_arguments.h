#pragma once
/// \file What AutoTVM calls a template with: tensors, and whatever else it takes.

#include "core/tensor/dtype.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nestwright {

/// Arguments as a log's line has them: ["TENSOR", [1, 768], "float32"], [1, 1], null, "float32".
class TemplateArguments {
 public:
  explicit TemplateArguments(nlohmann::json list);

  /// The shape of a tensor with so many dimensions, none below 1. Throws InputError.
  std::vector<std::int64_t> shape(std::size_t argument, std::size_t dimensions) const;
  /// The type of a tensor's elements. Throws InputError.
  DataType type(std::size_t argument) const;
  /// Whole numbers: strides, padding. Throws InputError.
  std::vector<std::int64_t> numbers(std::size_t argument) const;
  /// The same; one number stands for all `axes`. Throws InputError.
  std::vector<std::int64_t> numberOrNumbers(std::size_t argument, std::size_t axes) const;
  /// The type that an argument names; `otherwise` where it is null or not there. Throws InputError.
  DataType namedType(std::size_t argument, DataType otherwise) const;
  /// Whether a flag is set; `otherwise` where it is null or not there. Throws InputError.
  bool flag(std::size_t argument, bool otherwise) const;
  /// Whether it is there, and not null.
  bool isGiven(std::size_t argument) const;

  /// All of them, as they are.
  const nlohmann::json& list() const { return *list_; }

 private:
  const nlohmann::json& at(std::size_t argument) const;

  /// Copies share it: it never changes.
  std::shared_ptr<const nlohmann::json> list_;
};

/// A tensor as an argument.
nlohmann::json tensorArgument(const std::vector<std::int64_t>& shape, DataType type);

/// Elements that a sliding window gives along an axis: of the kernel's size with this stride and
/// dilation, over the extent with padding on both sides.
std::int64_t slidingExtent(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                           std::int64_t paddingInAll, std::int64_t dilation);

} // namespace nestwright
