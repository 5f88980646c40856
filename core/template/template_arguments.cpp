#include "core/template/template_arguments.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace nestwright {

using nlohmann::json;

namespace {

/// So that what is computed from numbers of a log does not overflow.
constexpr std::int64_t kLargest = std::int64_t(1) << 30;

/// Nothing where it is no list of whole numbers, or one of them is too large.
std::optional<std::vector<std::int64_t>> wholeNumbers(const json& list) {
  const auto fits = [](const json& item) {
    if (item.is_number_unsigned()) return item.get<std::uint64_t>() <= std::uint64_t(kLargest);
    if (!item.is_number_integer()) return false;
    const auto number = item.get<std::int64_t>();
    return number >= -kLargest && number <= kLargest;
  };
  if (!list.is_array() || !std::ranges::all_of(list, fits)) return std::nullopt;
  return list.get<std::vector<std::int64_t>>();
}

} // namespace

TemplateArguments::TemplateArguments(json list)
    : list_(std::make_shared<const json>(std::move(list))) {}

const json& TemplateArguments::at(std::size_t argument) const {
  if (!list_->is_array() || argument >= list_->size())
    throw InputError(fmt::format("the template takes more than {}",
                                 quantity(list_->is_array() ? std::ssize(*list_) : 0, "argument")));
  return (*list_)[argument];
}

std::vector<std::int64_t> TemplateArguments::shape(std::size_t argument,
                                                   std::size_t dimensions) const {
  const json& tensor = at(argument);
  const bool isTensor = tensor.is_array() && tensor.size() == 3 && tensor[0] == "TENSOR";
  if (!isTensor)
    throw InputError(
        fmt::format("argument {} of the template, {}, is no tensor", argument, tensor.dump()));
  if (auto shape = wholeNumbers(tensor[1]);
      shape && shape->size() == dimensions && std::ranges::min(*shape) > 0)
    return *std::move(shape);
  throw InputError(fmt::format("argument {} of the template is a tensor of the shape {}, not of {}",
                               argument, tensor[1].dump(),
                               quantity(std::int64_t(dimensions), "dimension")));
}

DataType TemplateArguments::type(std::size_t argument) const {
  const json& tensor = at(argument);
  if (!tensor.is_array() || tensor.size() != 3 || !tensor[2].is_string())
    throw InputError(
        fmt::format("argument {} of the template, {}, is no tensor", argument, tensor.dump()));
  return parseDataType(tensor[2].get<std::string>());
}

bool TemplateArguments::isGiven(std::size_t argument) const {
  return list_->is_array() && argument < list_->size() && !(*list_)[argument].is_null();
}

DataType TemplateArguments::namedType(std::size_t argument, DataType otherwise) const {
  if (!isGiven(argument)) return otherwise;
  if (!(*list_)[argument].is_string())
    throw InputError(fmt::format("argument {} of the template, {}, names no type", argument,
                                 (*list_)[argument].dump()));
  return parseDataType((*list_)[argument].get<std::string>());
}

bool TemplateArguments::flag(std::size_t argument, bool otherwise) const {
  if (!isGiven(argument)) return otherwise;
  if (!(*list_)[argument].is_boolean() && !(*list_)[argument].is_number_integer())
    throw InputError(fmt::format("argument {} of the template, {}, is neither true nor false",
                                 argument, (*list_)[argument].dump()));
  return (*list_)[argument].is_boolean() ? (*list_)[argument].get<bool>()
                                         : (*list_)[argument].get<std::int64_t>() != 0;
}

std::vector<std::int64_t> TemplateArguments::numbers(std::size_t argument) const {
  const json& list = at(argument);
  if (auto numbers = wholeNumbers(list)) return *std::move(numbers);
  throw InputError(fmt::format("argument {} of the template, {}, is no list of whole numbers of a "
                               "usual size",
                               argument, list.dump()));
}

std::vector<std::int64_t> TemplateArguments::numberOrNumbers(std::size_t argument,
                                                             std::size_t axes) const {
  const json& one = at(argument);
  if (!one.is_number_integer()) return numbers(argument);
  if (const auto number = wholeNumbers(json::array({one})))
    return std::vector(axes, number->front());
  throw InputError(fmt::format(
      "argument {} of the template, {}, is no whole number of a usual size", argument, one.dump()));
}

json tensorArgument(const std::vector<std::int64_t>& shape, DataType type) {
  return {"TENSOR", shape, toString(type)};
}

std::int64_t slidingExtent(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                           std::int64_t paddingInAll, std::int64_t dilation) {
  const std::int64_t covered = (kernel - 1) * dilation + 1;
  const std::int64_t room = extent + paddingInAll - covered;
  if (stride < 1 || dilation < 1 || room < 0)
    throw InputError(
        fmt::format("a window of {} with stride {} and dilation {} does not slide over "
                    "{} padded by {}",
                    kernel, stride, dilation, quantity(extent, "element"), paddingInAll));
  return room / stride + 1;
}

} // namespace nestwright
