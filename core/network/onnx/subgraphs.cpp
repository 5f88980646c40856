#include "core/network/onnx/subgraphs.h"

#include "core/network/graph/graph.h"
#include "core/network/onnx/known_shapes.h"
#include "core/network/onnx/model_form.h"
#include "core/network/onnx/newer_opsets.h"
#include "core/network/onnx/node_table.h"
#include "core/network/onnx/onnx_context.h"
#include "core/network/onnx/subgraph_origin.h"
#include "core/support/draft_folder.h"
#include "core/support/error.h"
#include "core/support/output_file.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace nestwright {

namespace {

using onnx_import::isKnownShape;
using onnx_import::knownShape;
using onnx_import::NodeImportError;
using onnx_import::NodeTable;

using Group = std::vector<std::size_t>; // nodes, ascending

constexpr double kLeastShare = 0.01; // of the work of all subgraphs

/// Why a node is left out, and what of it is at fault: a tensor, or a sentence of the importer.
struct Why {
  WhyLeft left = WhyLeft::Not;
  std::string detail;
};

/// Whether an input of a network can have the element type.
bool canBeTaken(const onnx::ValueInfoProto& value) {
  const int type = value.type().tensor_type().elem_type();
  return onnx_import::findElementType(type) && type != onnx::TensorProto::DOUBLE;
}

bool isEmpty(const onnx::ValueInfoProto& value) {
  return std::ranges::any_of(value.type().tensor_type().shape().dim(),
                             [](const auto& extent) { return extent.dim_value() == 0; });
}

/// What becomes of the nodes while some are left out.
class Cut {
 public:
  explicit Cut(const NodeTable& nodes) : nodes_(nodes), reasons_(nodes.count()) {
    for (std::size_t n = 0; n < nodes.count(); ++n)
      if (!onnx_import::importerOf(nodes.node(n))) leave(n, {WhyLeft::Operator, {}});
  }

  void leave(std::size_t n, Why why) { reasons_[n] = std::move(why); }
  const Why& why(std::size_t n) const { return reasons_[n]; }

  /// Looks at the nodes again after some more were left.
  void settle() {
    fold();
    stages();
    joinNeighbours();
  }

  /// What depends on nothing but constants, and so is a part of every subgraph that reads it.
  bool isFolded(std::size_t n) const { return folded_[n]; }
  /// Whether nodes outside of subgraphs read what the folded node makes.
  bool isFoldedOutside(std::size_t n) const { return foldedOutside_[n]; }

  /// The connected nodes of one stage each; the stages ascend.
  std::vector<Group> groups() const {
    std::map<std::pair<std::size_t, std::size_t>, Group> byStage;
    for (std::size_t n = 0; n < nodes_.count(); ++n)
      if (isInside(n)) byStage[{stage_[n], root(n)}].push_back(n);
    std::vector<Group> groups;
    for (auto& [key, group] : byStage)
      groups.push_back(std::move(group));
    return groups;
  }

 private:
  bool isLeft(std::size_t n) const { return reasons_[n].left != WhyLeft::Not; }
  bool isInside(std::size_t n) const { return !isLeft(n) && !folded_[n]; }

  void fold() {
    folded_.assign(nodes_.count(), false);
    for (std::size_t n = 0; n < nodes_.count(); ++n)
      folded_[n] = !isLeft(n) && (isKnownShape(nodes_, n) ||
                                  std::ranges::all_of(nodes_.reads(n), [&](const auto& read) {
                                    const auto maker = nodes_.maker(read);
                                    return nodes_.stored(read) || (maker && folded_[*maker]);
                                  }));
    foldedOutside_.assign(nodes_.count(), false);
    for (std::size_t n = nodes_.count(); n-- > 0;)
      foldedOutside_[n] =
          folded_[n] && std::ranges::any_of(nodes_.node(n).output(), [&](const auto& output) {
            return nodes_.isResult(output) ||
                   std::ranges::any_of(nodes_.readers(output), [&](std::size_t reader) {
                     return isLeft(reader) || foldedOutside_[reader];
                   });
          });
  }

  /// A way that leaves a stage through a node that is left does not come back to it. Subgraphs do
  /// not wait for what is folded, while nodes that are left do: for a shape, until its tensor is
  /// there.
  void stages() {
    stage_.assign(nodes_.count(), 0);
    for (std::size_t n = 0; n < nodes_.count(); ++n)
      for (const std::string& read : nodes_.reads(n))
        if (const auto maker = nodes_.maker(read); maker && !(isInside(n) && folded_[*maker]))
          stage_[n] = std::max(stage_[n], stage_[*maker] + (isLeft(*maker) && isInside(n) ? 1 : 0));
  }

  void joinNeighbours() {
    parent_.resize(nodes_.count());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (std::size_t n = 0; n < nodes_.count(); ++n)
      for (const std::string& read : nodes_.reads(n))
        if (const auto maker = nodes_.maker(read);
            maker && isInside(n) && isInside(*maker) && stage_[n] == stage_[*maker]) {
          const auto [low, high] = std::minmax(root(n), root(*maker));
          parent_[high] = low;
        }
  }

  std::size_t root(std::size_t n) const {
    while (parent_[n] != n)
      n = parent_[n];
    return n;
  }

  const NodeTable& nodes_;
  std::vector<Why> reasons_;
  std::vector<bool> folded_, foldedOutside_;
  std::vector<std::size_t> stage_, parent_;
};

/// Whether something outside of the group reads the tensor.
bool isReadOutside(const NodeTable& nodes, const Cut& cut, const Group& group,
                   const std::string& tensor) {
  return nodes.isResult(tensor) ||
         std::ranges::any_of(nodes.readers(tensor), [&](std::size_t reader) {
           if (cut.isFolded(reader)) return cut.isFoldedOutside(reader); // it asks for the shape
           return !std::ranges::binary_search(group, reader);
         });
}

/// Puts a model together of a group and what it needs of the whole.
class SubgraphWriter {
 public:
  SubgraphWriter(const onnx::ModelProto& whole, const NodeTable& nodes, const Cut& cut)
      : nodes_(nodes), cut_(cut) {
    model_.set_ir_version(whole.ir_version());
    *model_.mutable_opset_import() = whole.opset_import();
  }

  onnx::ModelProto write(const Group& group, const std::string& name) {
    graph().set_name(name);
    for (const std::size_t n : group)
      needReadsOf(n);
    for (std::size_t i = 0; i < needed_.size(); ++i)
      need(group, std::string(needed_[i])); // which grows
    std::vector<std::size_t> all(folded_.begin(), folded_.end());
    all.insert(all.end(), group.begin(), group.end());
    std::ranges::sort(all);
    for (const std::size_t n : all)
      *graph().add_node() = nodes_.node(n);
    for (const std::size_t n : group)
      for (const std::string& output : nodes_.node(n).output())
        if (!output.empty() && isReadOutside(nodes_, cut_, group, output))
          *graph().add_output() = *nodes_.type(output);
    return std::move(model_);
  }

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  void needReadsOf(std::size_t n) {
    for (const std::string& read : nodes_.reads(n))
      if (known_.insert(read).second) needed_.push_back(read);
  }

  void need(const Group& group, const std::string& tensor) {
    const auto maker = nodes_.maker(tensor);
    if (maker && std::ranges::binary_search(group, *maker)) return;
    if (const onnx::TensorProto* const stored = nodes_.stored(tensor)) {
      *graph().add_initializer() = *stored;
    } else if (maker && cut_.isFolded(*maker)) {
      if (isKnownShape(nodes_, *maker))
        *graph().add_initializer() = knownShape(nodes_, *maker);
      else if (folded_.insert(*maker).second)
        needReadsOf(*maker);
    } else {
      *graph().add_input() = *nodes_.type(tensor);
    }
  }

  const NodeTable& nodes_;
  const Cut& cut_;
  onnx::ModelProto model_;
  std::set<std::string> known_;
  std::vector<std::string> needed_; // the same, in the order in which they were met
  std::set<std::size_t> folded_;
};

class Search {
 public:
  Search(const onnx::ModelProto& whole, const NodeTable& nodes)
      : whole_(whole), nodes_(nodes), cut_(nodes) {}

  /// Leaves nodes out until all that are not can be imported, and are worth it.
  void run() {
    do
      cut_.settle();
    while (leaveUnknownShapes() || leaveRefused() || leaveLittleWork());
  }

  std::vector<Group> groups() const { return cut_.groups(); }
  std::int64_t macs(const Group& group) const { return work_.at(group); }
  onnx::ModelProto model(const Group& group, const std::string& name) const {
    return SubgraphWriter(whole_, nodes_, cut_).write(group, name);
  }

  std::vector<NodeLeftOut> left() const {
    std::vector<NodeLeftOut> left;
    for (std::size_t n = 0; n < nodes_.count(); ++n)
      if (const Why& why = cut_.why(n); why.left != WhyLeft::Not)
        left.push_back(
            {onnx_import::nameOf(nodes_.node(n)), nodes_.node(n).op_type(), why.left, why.detail});
    return left;
  }

 private:
  /// What crosses a border must have a type and a shape before the model runs.
  bool leaveUnknownShapes() {
    bool some = false;
    for (const Group& group : cut_.groups())
      for (const std::size_t n : group)
        if (Why why = unknownAt(group, n); why.left != WhyLeft::Not) {
          cut_.leave(n, std::move(why));
          some = true;
        }
    return some;
  }

  Why unknownAt(const Group& group, std::size_t n) const {
    for (const std::string& read : nodes_.reads(n)) {
      const auto maker = nodes_.maker(read);
      if (nodes_.stored(read) ||
          (maker && (cut_.isFolded(*maker) || std::ranges::binary_search(group, *maker))))
        continue;
      const onnx::ValueInfoProto* const type = nodes_.type(read);
      if (!type) return {WhyLeft::UnknownShape, read};
      if (isEmpty(*type)) return {WhyLeft::Empty, read};
      if (!canBeTaken(*type)) return {WhyLeft::ElementType, read};
    }
    for (const std::string& output : nodes_.node(n).output()) {
      if (output.empty() || !isReadOutside(nodes_, cut_, group, output)) continue;
      if (!nodes_.type(output)) return {WhyLeft::UnknownShape, output};
      if (isEmpty(*nodes_.type(output))) return {WhyLeft::Empty, output};
    }
    return {};
  }

  bool leaveRefused() {
    bool some = false;
    for (const Group& group : cut_.groups()) {
      if (work_.contains(group)) continue;
      try {
        work_[group] = workOf(model(group, "subgraph"));
      } catch (const NodeImportError& error) {
        leaveNode(group, error);
        some = true;
      } catch (const InputError& error) {
        leaveGroup(group, error.what());
        some = true;
      }
    }
    return some;
  }

  void leaveNode(const Group& group, const NodeImportError& error) {
    const auto node = nodes_.maker(error.result());
    if (node && cut_.why(*node).left == WhyLeft::Not)
      cut_.leave(*node, {WhyLeft::Refused, error.reason()});
    else // two nodes make the tensor, and the other one is meant
      leaveGroup(group, error.what());
  }

  void leaveGroup(const Group& group, const std::string& reason) {
    for (const std::size_t n : group)
      cut_.leave(n, {WhyLeft::Refused, reason});
  }

  static std::int64_t workOf(const onnx::ModelProto& model) {
    if (model.ByteSizeLong() > std::numeric_limits<std::int32_t>::max())
      throw InputError("what could be cut out with it would be larger than 2 GiB, which an ONNX "
                       "file cannot be");
    return multiplyAccumulates(importOnnxBytes(model.SerializeAsString(), "subgraph"));
  }

  bool leaveLittleWork() {
    double all = 0;
    for (const Group& group : cut_.groups())
      all += static_cast<double>(work_.at(group));
    bool some = false;
    for (const Group& group : cut_.groups())
      if (const auto macs = static_cast<double>(work_.at(group));
          macs == 0 || macs < kLeastShare * all) {
        for (const std::size_t n : group)
          cut_.leave(n, {WhyLeft::LittleWork, {}});
        some = true;
      }
    return some;
  }

  const onnx::ModelProto& whole_;
  const NodeTable& nodes_;
  Cut cut_;
  std::map<Group, std::int64_t> work_; // multiply-accumulates of what can be imported
};

std::vector<std::string>
namesOf(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values) {
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& value : values)
    names.push_back(value.name());
  return names;
}

} // namespace

std::string reasonText(const NodeLeftOut& one) {
  switch (one.why) {
  case WhyLeft::Not:
    break;
  case WhyLeft::Operator:
    return "the operator is not supported";
  case WhyLeft::UnknownShape:
    return fmt::format("the shape of '{}' is not known before the model runs", one.detail);
  case WhyLeft::Empty:
    return fmt::format("'{}' has no elements", one.detail);
  case WhyLeft::ElementType:
    return fmt::format("'{}' has an element type that no input can have", one.detail);
  case WhyLeft::Refused:
    return one.detail;
  case WhyLeft::LittleWork:
    return "there is little work in what could be cut out with it";
  }
  NW_ASSERT(false, "a node that is left has a reason");
  return {};
}

OnnxSubgraphs onnxSubgraphs(const std::filesystem::path& file, const ImportOptions& options) {
  onnx::ModelProto whole = onnx_import::readModel(file);
  SubgraphOrigin origin{std::filesystem::absolute(file), contentHash(whole), options.dimensions};
  onnx_import::toKnownOpset(whole, onnx_import::Unsayable::Left);
  onnx_import::bindDimensions(whole, options, file.string());
  onnx_import::sortNodes(*whole.mutable_graph());
  onnx_import::requireValid(whole); // inference trusts it
  onnx_import::inferShapes(whole);
  const NodeTable nodes(whole.graph());
  Search search(whole, nodes);
  search.run();
  OnnxSubgraphs found{{}, search.left()};
  for (const Group& group : search.groups()) {
    onnx::ModelProto model =
        search.model(group, fmt::format("{}_{}", file.stem().string(), found.subgraphs.size() + 1));
    noteOrigin(model, origin);
    found.subgraphs.push_back({model.SerializeAsString(), namesOf(model.graph().input()),
                               namesOf(model.graph().output()), group.size(), search.macs(group)});
  }
  return found;
}

std::filesystem::path subgraphFolder(const std::filesystem::path& model) {
  const std::filesystem::path plain = model.parent_path() / (model.stem().string() + "_subgraphs");
  std::filesystem::path folder = plain;
  for (int number = 2; std::filesystem::exists(std::filesystem::symlink_status(folder)); ++number)
    folder = fmt::format("{}_{}", plain.string(), number);
  return folder;
}

std::vector<std::string> writeSubgraphs(const OnnxSubgraphs& found,
                                        const std::filesystem::path& model,
                                        const std::filesystem::path& folder) {
  if (std::filesystem::exists(std::filesystem::symlink_status(folder)))
    throw InputError(
        fmt::format("{} is there already; choose another folder, or remove it", folder.string()));
  DraftFolder draft(folder.string());
  std::vector<std::string> paths;
  for (const OnnxSubgraph& subgraph : found.subgraphs) {
    const std::string name = fmt::format("{}_{}.onnx", model.stem().string(), paths.size() + 1);
    writeWhole((std::filesystem::path(draft.path()) / name).string(), "subgraph", subgraph.model);
    paths.push_back((folder / name).string());
  }
  draft.takePlace(/*replace=*/false);
  return paths;
}

} // namespace nestwright
