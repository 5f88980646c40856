#include "core/network/onnx/onnx_import.h"

#include "core/network/graph/infer.h"
#include "core/network/onnx/model_form.h"
#include "core/network/onnx/newer_opsets.h"
#include "core/network/onnx/onnx_context.h"
#include "core/support/error.h"

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

using onnx_import::importerOf;
using onnx_import::kNewestOpset;
using onnx_import::NodeImport;
using onnx_import::opsetOf;
using onnx_import::sortNodes;

/// Before it, operators had attributes for broadcasting and for training; others are as today.
constexpr int kBroadcastOpset = 7;

/// Means something else before kBroadcastOpset.
bool hasOldForm(const std::string& op) {
  static const std::set<std::string> kNames = {
      "Add",     "Sub",      "Mul",   "Div",     "Pow",
      "And",     "Or",       "Xor",   "Equal",   "Less",
      "Greater", "Gemm",     "PRelu", "Dropout", "BatchNormalization",
      "Tile",    "Upsample", "Pad",   "Cast"};
  return kNames.contains(op);
}

/// Bytes that the constants of a model that takes `stored` bytes in its files may take: 256 MiB,
/// which holds the masks and tables that a network computes from nothing (a mask of 4096 by 4096 is
/// 64 MiB), and 16 times what is stored, since a byte may widen to eight (bool to int64) and each
/// weight may be there twice, once as stored and once as its operator wants it.
std::int64_t constantLimit(std::int64_t stored) {
  constexpr std::int64_t kFromNothing = std::int64_t{256} << 20;
  constexpr std::int64_t kPerByte = 16;
  return kFromNothing + kPerByte * stored;
}

class GraphImport {
 public:
  GraphImport(onnx::ModelProto& model, const std::string& name, const ImportOptions& options)
      : graph_(*model.mutable_graph()), opset_(opsetOf(model)), to_(name, options.dimensions),
        options_(options) {
    const auto stored = static_cast<std::int64_t>(model.ByteSizeLong());
    to_.limitConstants(options.constantBytes.value_or(constantLimit(stored)));
  }

  Network run() {
    requireKnownOperators();
    noteTypes();
    readInitializers();
    for (const onnx::ValueInfoProto& input : graph_.input())
      if (!tensors_.contains(input.name())) addInput(input);
    for (const onnx::NodeProto& node : graph_.node())
      importNode(node);
    for (const onnx::ValueInfoProto& output : graph_.output())
      to_.output(lookUp(output.name()));
    for (const auto* infos : {&graph_.value_info(), &graph_.output()})
      for (const onnx::ValueInfoProto& info : *infos)
        compare(info);
    return to_.finish();
  }

 private:
  void noteTypes() {
    for (const auto* infos : {&graph_.input(), &graph_.value_info(), &graph_.output()})
      for (const onnx::ValueInfoProto& info : *infos)
        declared_[info.name()] = info.type().tensor_type().elem_type();
    for (const onnx::TensorProto& tensor : graph_.initializer())
      declared_[tensor.name()] = tensor.data_type();
  }

  /// One message tells all that a model asks for in vain.
  void requireKnownOperators() const {
    const onnx::NodeProto* first = nullptr;
    std::set<std::string> others;
    for (const onnx::NodeProto& node : graph_.node()) {
      if (importerOf(node)) continue;
      if (!first) first = &node;
      if (node.op_type() != first->op_type()) others.insert(node.op_type());
    }
    if (!first) return;
    throw InputError(fmt::format(
        "{}: the operator is not supported{}; nestwright networks --onnx lists those that are, and "
        "nestwright subgraphs cuts out what can be tuned without it",
        onnx_import::labelOf(*first),
        others.empty() ? "" : fmt::format(", nor are {} of other nodes", fmt::join(others, ", "))));
  }

  /// A file does not say what is learnt. Floats with dimensions are, in practice, except for
  /// matrices of zeros, which are masks that the exporter computed.
  static bool looksLearnt(const Array& array) {
    const std::vector<float>& values = array.floats();
    return array.shape.size() == 1 ||
           (array.shape.size() > 1 &&
            std::any_of(values.begin(), values.end(), [](float value) { return value != 0; }));
  }

  /// What the model declares must hold.
  void compare(const onnx::ValueInfoProto& inferred) const {
    const auto found = tensors_.find(inferred.name());
    if (found == tensors_.end() || !inferred.type().tensor_type().has_shape()) return;
    const Shape& ours = to_.tensor(found->second).shape;
    const auto& theirs = inferred.type().tensor_type().shape();
    bool same = static_cast<std::size_t>(theirs.dim_size()) == ours.size();
    for (int d = 0; same && d < theirs.dim_size(); ++d)
      same = !theirs.dim(d).has_dim_value() ||
             theirs.dim(d).dim_value() == ours[static_cast<std::size_t>(d)];
    if (!same)
      throw InputError(fmt::format("the tensor '{}' would have the shape {}, which its declaration "
                                   "in the model contradicts",
                                   inferred.name(), shapeText(ours)));
  }

  void readInitializers() {
    for (onnx::TensorProto& tensor : *graph_.mutable_initializer()) {
      const Constant value = onnx_import::readTensor(tensor);
      const DataType type = onnx_import::elementType(tensor.data_type());
      const bool learnable = type == kFloat32 && looksLearnt(*value.materialise());
      tensors_[tensor.name()] =
          to_.constant(tensor.name(), onnx_import::shapeOf(tensor), value, type, learnable);
      tensor.clear_raw_data(); // weights are large, and the network has them now
    }
  }

  void addInput(const onnx::ValueInfoProto& input) {
    const auto& tensor = input.type().tensor_type();
    Shape shape;
    for (const auto& dimension : tensor.shape().dim())
      shape.push_back(dimension.dim_value());
    if (tensor.elem_type() == onnx::TensorProto::DOUBLE)
      throw InputError(fmt::format("the input '{}' has the element type double; export the model "
                                   "in float32",
                                   input.name()));
    tensors_[input.name()] =
        to_.input(input.name(), std::move(shape), onnx_import::elementType(tensor.elem_type()));
    if (const auto value = options_.inputs.find(input.name()); value != options_.inputs.end())
      given_[tensors_[input.name()]] = Constant::of(value->second);
  }

  TensorId lookUp(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
      throw InputError(fmt::format("the tensor '{}' is used but never made", name));
    return found->second;
  }

  /// Messages name the operator of the file, whatever it became in the network.
  static std::vector<TensorId> runImporter(onnx_import::Importer importer, NodeImport& node) {
    try {
      return importer(node);
    } catch (const NodeError& error) {
      node.fail(error.reason());
    } catch (const PlacedInputError&) {
      throw;
    } catch (const InputError& error) {
      node.fail(error.what());
    }
  }

  void importNode(const onnx::NodeProto& proto) {
    std::vector<TensorId> inputs;
    for (const std::string& input : proto.input())
      inputs.push_back(input.empty() ? -1 : lookUp(input));
    NodeImport node(proto, opset_, std::move(inputs), to_, given_, declared_);
    const onnx_import::Importer importer = importerOf(proto);
    if (opset_ < kBroadcastOpset && hasOldForm(proto.op_type()))
      node.fail(fmt::format("the form that the operator had before opset {} is not supported; "
                            "export the model again with opset_version={}",
                            kBroadcastOpset, kNewestOpset));
    const std::vector<TensorId> outputs = runImporter(importer, node);
    for (std::size_t i = 0; i < outputs.size() && i < node.outputCount(); ++i)
      tensors_[node.outputName(i)] = outputs[i];
  }

  onnx::GraphProto& graph_;
  int opset_;
  NetworkBuilder to_;
  const ImportOptions& options_;
  std::map<std::string, TensorId> tensors_;
  std::map<TensorId, Constant> given_;
  std::map<std::string, int> declared_; // ONNX's element types by tensor
};

/// Longer names are a mistake in a file, and would make every message and listing unreadable.
void requireShortNames(const onnx::GraphProto& graph) {
  static constexpr std::size_t kLongest = 4096, kShown = 40;
  const auto require = [](const std::string& name) {
    if (name.size() > kLongest)
      throw InputError(fmt::format("a name in the model is {} bytes long, '{}...'; up to {} are "
                                   "supported",
                                   name.size(), name.substr(0, kShown), kLongest));
  };
  for (const onnx::NodeProto& node : graph.node()) {
    for (const std::string* name : {&node.name(), &node.op_type(), &node.domain()})
      require(*name);
    for (const auto* names : {&node.input(), &node.output()})
      std::for_each(names->begin(), names->end(), require);
    for (const onnx::AttributeProto& attribute : node.attribute())
      require(attribute.name());
  }
  for (const onnx::TensorProto& tensor : graph.initializer())
    require(tensor.name());
  for (const auto* values : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto& value : *values) {
      require(value.name());
      for (const auto& dimension : value.type().tensor_type().shape().dim())
        require(dimension.dim_param());
    }
}

/// `label` is what messages call the model.
Network import(onnx::ModelProto& model, const std::string& name, const std::string& label,
               const ImportOptions& options) {
  requireShortNames(model.graph());
  onnx_import::toKnownOpset(model);
  onnx_import::bindDimensions(model, options, label);
  sortNodes(*model.mutable_graph());
  onnx_import::requireValid(model);
  GraphImport graph(model, name, options);
  try {
    return graph.run();
  } catch (const std::bad_alloc&) {
    throw InputError("the model needs more memory than there is");
  }
}

} // namespace

std::vector<std::string> importableOperators() {
  return onnx_import::withWrittenOut(onnx_import::supportedOperators());
}

int newestOpset() {
  return kNewestOpset;
}

Network importOnnxBytes(const std::string& bytes, const std::string& name,
                        const ImportOptions& options) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes) || !model.has_graph())
    throw InputError(fmt::format("'{}' is no ONNX model, or it is cut off", name));
  return import(model, name, name, options);
}

Network importOnnx(const std::filesystem::path& path, const ImportOptions& options) {
  onnx::ModelProto model = onnx_import::readModel(path);
  try {
    Network network = import(model, path.stem().string(), path.string(), options);
    network.source = std::filesystem::absolute(path).string();
    return network;
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': {}", path.string(), error.what()));
  }
}

} // namespace nestwright
