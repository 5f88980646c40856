// ONNX files in memory: the model, and the weights that it keeps in other files.

#include "core/network/graph/infer.h"
#include "core/network/onnx/file_beside.h"
#include "core/network/onnx/onnx_context.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <charconv>
#include <fstream>
#include <limits>

namespace nestwright::onnx_import {

namespace {

using std::filesystem::path;

/// Where a tensor's bytes are in another file.
struct ExternalData {
  std::string location;
  std::int64_t offset = 0;
  std::int64_t length = -1; // as much as the shape says
};

[[noreturn]] void refuse(const onnx::TensorProto& tensor, const std::string& reason) {
  throw InputError(fmt::format("the weights '{}': {}", tensor.name(), reason));
}

ExternalData readEntries(const onnx::TensorProto& tensor) {
  ExternalData data;
  const auto number = [&](const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
      refuse(tensor, fmt::format("'{}' is no place in a file", text));
    return value;
  };
  for (const onnx::StringStringEntryProto& entry : tensor.external_data())
    if (entry.key() == "location")
      data.location = entry.value();
    else if (entry.key() == "offset")
      data.offset = number(entry.value());
    else if (entry.key() == "length")
      data.length = number(entry.value());
  return data;
}

/// Bytes of an element as files store it; 0 for types that are refused later.
std::int64_t storedBytes(int onnxType) {
  switch (onnxType) {
  case onnx::TensorProto::DOUBLE:
  case onnx::TensorProto::INT64:
    return 8;
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::INT32:
  case onnx::TensorProto::UINT32:
    return 4;
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::UINT16:
    return 2;
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT8:
  case onnx::TensorProto::BOOL:
    return 1;
  default:
    return 0;
  }
}

/// Bytes that the tensor takes, by its shape.
std::int64_t neededBytes(const onnx::TensorProto& tensor) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : tensor.dims()) {
    if (extent < 0 || (extent > 0 && elements > kMaxElements / extent))
      refuse(tensor, fmt::format("the shape {} is out of range", shapeText(shapeOf(tensor))));
    elements *= extent;
  }
  return elements * storedBytes(tensor.data_type());
}

void takeIn(onnx::TensorProto& tensor, const path& folder) {
  const ExternalData data = readEntries(tensor);
  const std::int64_t length = neededBytes(tensor);
  try {
    const FileBeside file(folder, data.location);
    if (data.length >= 0 && data.length != length)
      throw InputError(fmt::format("'{}' is said to hold them in {}, but the shape {} takes "
                                   "{}",
                                   file.name().string(), quantity(data.length, "byte"),
                                   shapeText(shapeOf(tensor)), length));
    tensor.set_raw_data(file.read(data.offset, length));
  } catch (const InputError& error) {
    refuse(tensor, error.what());
  }
  tensor.clear_external_data();
  tensor.clear_data_location();
}

/// For each node the nodes that make its operands.
std::vector<std::vector<int>> sourcesOf(const onnx::GraphProto& graph) {
  std::map<std::string, int> makers;
  for (int n = 0; n < graph.node_size(); ++n)
    for (const std::string& output : graph.node(n).output())
      if (!output.empty()) makers.emplace(output, n);
  std::vector<std::vector<int>> sources(static_cast<std::size_t>(graph.node_size()));
  for (int n = 0; n < graph.node_size(); ++n)
    for (const std::string& input : readsOf(graph.node(n)))
      if (const auto maker = makers.find(input); maker != makers.end())
        sources[static_cast<std::size_t>(n)].push_back(maker->second);
  return sources;
}

} // namespace

void sortNodes(onnx::GraphProto& graph) {
  const std::vector<std::vector<int>> sources = sourcesOf(graph);
  enum class State : std::uint8_t { New, Open, Placed };
  std::vector<State> states(sources.size(), State::New);
  std::vector<std::size_t> placed(sources.size(), 0); // how many of its sources are known to be
  std::vector<int> order, path;                       // `path`: the nodes that wait for each other
  for (std::size_t start = 0; start < sources.size(); ++start) {
    if (states[start] == State::New) path.push_back(static_cast<int>(start));
    while (!path.empty()) {
      const int node = path.back();
      State& state = states[static_cast<std::size_t>(node)];
      state = State::Open;
      const auto& needed = sources[static_cast<std::size_t>(node)];
      auto& from = placed[static_cast<std::size_t>(node)];
      const auto next = std::find_if(
          needed.begin() + static_cast<std::ptrdiff_t>(from), needed.end(),
          [&](int source) { return states[static_cast<std::size_t>(source)] != State::Placed; });
      from = static_cast<std::size_t>(next - needed.begin());
      if (next == needed.end()) {
        state = State::Placed;
        order.push_back(node);
        path.pop_back();
      } else if (states[static_cast<std::size_t>(*next)] == State::Open) {
        throw InputError(
            fmt::format("{} and {} wait for each other's results: the graph has a cycle",
                        labelOf(graph.node(node)), labelOf(graph.node(*next))));
      } else {
        path.push_back(*next);
      }
    }
  }
  if (std::is_sorted(order.begin(), order.end())) return;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (const int n : order)
    nodes.Add()->Swap(graph.mutable_node(n));
  graph.mutable_node()->Swap(&nodes);
}

onnx::ModelProto readModel(const path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(fmt::format("'{}' is a folder, not an ONNX model", file.string()));
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    throw InputError(fmt::format("'{}' is no regular file; save the model in one", file.string()));
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw InputError(fmt::format("cannot read '{}'; does the file exist?", file.string()));
  // The container's own limit.
  if (std::filesystem::file_size(file, ignored) > std::numeric_limits<std::int32_t>::max())
    throw InputError(fmt::format("'{}' is larger than 2 GiB, which an ONNX file cannot be; save "
                                 "the model with its weights in a second file (external data)",
                                 file.string()));
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&stream) || !model.has_graph())
    throw InputError(fmt::format("'{}' is no ONNX model, or it is cut off", file.string()));
  try {
    for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
      if (tensor.data_location() == onnx::TensorProto::EXTERNAL) takeIn(tensor, file.parent_path());
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': {}", file.string(), error.what()));
  }
  return model;
}

} // namespace nestwright::onnx_import
