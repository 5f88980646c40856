#include "core/network/onnx/model_form.h"

#include "core/support/error.h"

#include <fmt/ranges.h>
#include <onnx/checker.h>

#include <map>
#include <set>
#include <vector>

namespace nestwright::onnx_import {

namespace {

class DimensionBinder {
 public:
  explicit DimensionBinder(const ImportOptions& options)
      : values_(options.dimensions), inputs_(options.inputs) {}

  void bindInput(onnx::ValueInfoProto& input) {
    auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    if (static_cast<std::size_t>(shape.dim_size()) > kMaxDimensions)
      throw InputError(fmt::format("the input '{}' has {} dimensions; up to {} are supported",
                                   input.name(), shape.dim_size(), kMaxDimensions));
    if (const auto given = inputs_.find(input.name()); given != inputs_.end()) {
      shape.clear_dim();
      for (const std::int64_t extent : given->second.shape)
        shape.add_dim()->set_dim_value(extent);
    }
    for (int d = 0; d < shape.dim_size(); ++d) {
      auto& dimension = *shape.mutable_dim(d);
      if (dimension.has_dim_value()) continue;
      const std::string name = dimension.dim_param().empty() ? fmt::format("{}_{}", input.name(), d)
                                                             : dimension.dim_param();
      const auto found = values_.find(name);
      if (found == values_.end()) {
        open_.push_back(name);
        continue;
      }
      if (found->second < 1)
        throw InputError(fmt::format("the dimension '{}' must be positive", name));
      dimension.set_dim_value(found->second);
      used_.insert(*found);
    }
  }

  /// Throws InputError when a dimension has no value or a value no dimension.
  void check(const std::string& path) const {
    if (!open_.empty())
      throw InputError(fmt::format("the dimensions {} of the model have no value; give them, like "
                                   "'{}:{}=1'",
                                   fmt::join(open_, ", "), path, fmt::join(open_, "=1,")));
    for (const auto& [name, value] : values_)
      if (!used_.contains(name))
        throw InputError(fmt::format("the model has no dimension '{}'", name));
  }

 private:
  const std::map<std::string, std::int64_t>& values_;
  const std::map<std::string, Array>& inputs_;
  std::map<std::string, std::int64_t> used_;
  std::vector<std::string> open_;
};

} // namespace

std::set<std::string> storedNames(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const onnx::TensorProto& tensor : graph.initializer())
    names.insert(tensor.name());
  return names;
}

int opsetOf(const onnx::ModelProto& model) {
  for (const auto& opset : model.opset_import())
    if (opset.domain().empty() || opset.domain() == "ai.onnx") {
      if (opset.version() < 1 || opset.version() > kNewestOpset)
        throw InputError(fmt::format("the model uses opset {}; up to {} are supported, so export "
                                     "it again with opset_version={}",
                                     opset.version(), kNewestOpset, kNewestOpset));
      return static_cast<int>(opset.version());
    }
  throw InputError("the model names no opset of the standard operators");
}

void requireValid(onnx::ModelProto& model) {
  model.set_ir_version(std::min<std::int64_t>(model.ir_version(), onnx::Version::IR_VERSION));
  try {
    onnx::checker::check_model(model);
  } catch (const onnx::checker::ValidationError& error) {
    throw InputError(fmt::format("this is no valid ONNX model: {}", error.what()));
  }
}

void bindDimensions(onnx::ModelProto& model, const ImportOptions& options,
                    const std::string& label) {
  DimensionBinder binder(options);
  const std::set<std::string> stored = storedNames(model.graph());
  for (onnx::ValueInfoProto& input : *model.mutable_graph()->mutable_input())
    if (!stored.contains(input.name())) binder.bindInput(input);
  binder.check(label);
}

} // namespace nestwright::onnx_import
