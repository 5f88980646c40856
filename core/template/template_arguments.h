#pragma once
/// \file What AutoTVM calls a template with: tensors, and whatever else it takes.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// Arguments as a log's line has them: ["TENSOR", [1, 768], "float32"], [1, 1], null, "float32".
class TemplateArguments {
 public:
  explicit TemplateArguments(nlohmann::json list) : list_(std::move(list)) {}

  /// The shape of a tensor with so many dimensions, none below 1. Throws InputError.
  std::vector<std::int64_t> shape(std::size_t argument, std::size_t dimensions) const;
  /// Whole numbers: strides, padding. Throws InputError.
  std::vector<std::int64_t> numbers(std::size_t argument) const;

 private:
  const nlohmann::json& at(std::size_t argument) const;

  nlohmann::json list_;
};

/// Elements that a sliding window gives along an axis: of the kernel's size with this stride and
/// dilation, over the extent with padding on both sides.
std::int64_t slidingExtent(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                           std::int64_t paddingInAll, std::int64_t dilation);

} // namespace nestwright
