#include "core/network/onnx/onnx_survey.h"

#include "core/network/onnx/newer_opsets.h"
#include "core/network/onnx/onnx_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

std::vector<UnsupportedOperator> unsupportedOperators(const std::filesystem::path& path) {
  onnx::ModelProto model = onnx_import::readModel(path);
  onnx_import::toKnownOpset(model, onnx_import::Unsayable::Left);
  std::vector<UnsupportedOperator> found;
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (onnx_import::importerOf(node)) continue;
    const bool isOnnxs =
        onnx_import::isStandard(node) || node.domain() == onnx_import::kLaterDomain;
    const std::string name =
        isOnnxs ? node.op_type() : fmt::format("{}.{}", node.domain(), node.op_type());
    auto known = std::ranges::find(found, name, &UnsupportedOperator::name);
    if (known == found.end()) known = found.insert(found.end(), {name, {}});
    known->nodes.push_back(onnx_import::nameOf(node));
  }
  std::ranges::stable_sort(found, std::greater{},
                           [](const UnsupportedOperator& one) { return one.nodes.size(); });
  return found;
}

} // namespace nestwright
