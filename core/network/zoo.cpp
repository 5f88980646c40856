#include "core/network/zoo.h"

#include "core/network/onnx_import.h"
#include "core/network/zoo_families.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

struct Entry {
  ZooEntry info;
  Network (*build)(const ParameterValues&);
};

const std::vector<Entry>& entries() {
  const ParameterInfo batch{"batch", 1, "images or sequences at once", 1, 1024};
  const std::vector<ParameterInfo> image = {
      batch, {"image", 224, "height and width of the image in pixels", 32, 4096}};
  const std::vector<ParameterInfo> text = {batch,
                                           {"sequence", 128, "tokens in a sequence", 1, 512}};
  static const std::vector<Entry> kEntries = {
      {{"resnet18", "ResNet-18, 18 layers with residual connections", image},
       [](const ParameterValues& p) { return buildResnet(18, p); }},
      {{"resnet50", "ResNet-50 version 1.5, bottleneck blocks", image},
       [](const ParameterValues& p) { return buildResnet(50, p); }},
      {{"mobilenet_v2", "MobileNet-V2 1.0, inverted residuals with depthwise convolutions", image},
       buildMobilenetV2},
      {{"bert_tiny", "BERT encoder, 6 layers, hidden size 512, 8 heads", text},
       [](const ParameterValues& p) {
         return buildBert({"bert_tiny", 6, 512, 8, 2048}, p);
       }},
  };
  return kEntries;
}

const Entry* findEntry(std::string_view name) {
  for (const Entry& entry : entries())
    if (entry.info.name == name) return &entry;
  return nullptr;
}

} // namespace

const std::vector<ZooEntry>& zoo() {
  static const std::vector<ZooEntry> kZoo = [] {
    std::vector<ZooEntry> all;
    for (const Entry& entry : entries())
      all.push_back(entry.info);
    return all;
  }();
  return kZoo;
}

Network buildFromZoo(const Spec& spec) {
  const Entry* entry = findEntry(spec.name);
  if (!entry) {
    std::vector<std::string> names;
    for (const ZooEntry& known : zoo())
      names.push_back(known.name);
    throw InputError(fmt::format("there is no network '{}'; the zoo has {}, and a path to an ONNX "
                                 "file (name.onnx) works too",
                                 spec.name, fmt::join(names, ", ")));
  }
  return entry->build(resolveParameters(spec, entry->info.parameters));
}

Network parseNetworkSpec(std::string_view text) {
  const Spec spec = parseSpec(text);
  if (!findEntry(spec.name) && spec.name.ends_with(".onnx"))
    return importOnnx(spec.name, spec.parameters);
  return buildFromZoo(spec);
}

std::string specText(const Network& network) {
  std::vector<ParameterInfo> parameters;
  if (const Entry* entry = findEntry(network.source))
    parameters = entry->info.parameters;
  else
    for (const auto& [name, value] : network.parameters)
      parameters.push_back({name, value, ""});
  return specText(network.source, parameters, network.parameters);
}

} // namespace nestwright
