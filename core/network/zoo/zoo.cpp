#include "core/network/zoo/zoo.h"

#include "core/network/graph/named.h"
#include "core/network/onnx/onnx_import.h"
#include "core/network/pass/passes.h"
#include "core/network/zoo/families.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

struct Entry {
  ZooEntry info;
  std::function<Network(const ParameterValues&)> build;
};

using Parameters = std::vector<ParameterInfo>;

const ParameterInfo kBatch{"batch", 1, "images or sequences at once", 1, 1024};

Parameters image(std::int64_t size = 224, std::int64_t lowest = 32) {
  return {kBatch, {"image", size, "height and width of the image in pixels", lowest, 4096}};
}

Parameters video() {
  return {kBatch,
          {"depth", 16, "frames", 8, 512},
          {"height", 112, "height of a frame in pixels", 16, 1024},
          {"width", 112, "width of a frame in pixels", 8, 1024}};
}

Entry resnet(const ResnetShape& shape, const char* description) {
  return {{shape.name, description, image()},
          [shape](const ParameterValues& p) { return buildResnet(shape, p); }};
}

Entry preactivation(const PreactivationShape& shape, const char* description) {
  return {{shape.name, description, shape.axes == 2 ? image() : video()},
          [shape](const ParameterValues& p) { return buildPreactivationResnet(shape, p); }};
}

Entry squeezenet(const char* name, SqueezenetForm form, const char* description) {
  return {{name, description, image()},
          [form](const ParameterValues& p) { return buildSqueezenet(form, p); }};
}

Entry bert(const BertSize& size) {
  return {{size.name,
           fmt::format("BERT encoder, {} layers, hidden size {}, {} heads", size.layers,
                       size.hidden, size.heads),
           {kBatch, {"sequence", 128, "tokens in a sequence", 1, 512}}},
          [size](const ParameterValues& p) { return buildBert(size, p); }};
}

std::vector<Entry> plainEntries() {
  return {
      resnet({"resnet18", {2, 2, 2, 2}}, "ResNet-18, 18 layers with residual connections"),
      resnet({"resnet34", {3, 4, 6, 3}}, "ResNet-34, 34 layers with residual connections"),
      resnet({"resnet50", {3, 4, 6, 3}, true}, "ResNet-50 version 1.5, bottleneck blocks"),
      resnet({"resnet101", {3, 4, 23, 3}, true}, "ResNet-101 version 1.5, bottleneck blocks"),
      resnet({"wide_resnet50", {3, 4, 6, 3}, true, 2}, "Wide-ResNet-50-2, wider bottlenecks"),
      resnet({"resnext50", {3, 4, 6, 3}, true, 2, 32},
             "ResNeXt-50 32x4d, bottlenecks with grouped convolutions"),
      {{"mobilenet_v2", "MobileNet-V2 1.0, inverted residuals with depthwise convolutions",
        image()},
       buildMobilenetV2},
      {{"mobilenet_v3", "MobileNet-V3 Large, with squeeze-and-excitation and hard-swish", image()},
       buildMobilenetV3Large},
      {{"inception_v3", "Inception-V3, parallel branches with asymmetric kernels", image(299, 75)},
       buildInceptionV3},
      {{"densenet121", "DenseNet-121, every layer reads all before it", image()}, buildDensenet121},
      {{"r3d_18", "R3D-18, ResNet-18 on video, TorchVision's form", video()}, buildR3d18},
      bert({"bert_tiny", 6, 512, 8, 2048}),
      bert({"bert_base", 12, 768, 12, 3072}),
      bert({"bert_medium", 12, 1024, 16, 4096}),
      bert({"bert_large", 24, 1024, 16, 4096}),
      {{"dcgan",
        "DCGAN generator, images from transposed convolutions",
        {kBatch, {"image", 64, "height and width of what it makes, a multiple of 16", 16, 1024}}},
       buildDcgan},
      {{"vgg16", "VGG-16 without batch norm", image()}, buildVgg16},
      squeezenet("squeezenet1_1", SqueezenetForm::TorchVision,
                 "SqueezeNet 1.1, TorchVision's form"),
      squeezenet("squeezenet1_1_tvm", SqueezenetForm::Tvm, "SqueezeNet 1.1, TVM's form (AdaTune)"),
      preactivation({"resnet18_tvm", 2, {2, 2, 2, 2}},
                    "ResNet-18 with pre-activation, TVM's form (AdaTune)"),
      preactivation({"resnet50_tvm", 2, {3, 4, 6, 3}, true},
                    "ResNet-50 with pre-activation, TVM's form (Ansor, AdaTune)"),
      preactivation({"resnet3d_18", 3, {2, 2, 2, 2}},
                    "3D-ResNet-18 with pre-activation on video, TVM's form (Ansor)"),
  };
}

const ParameterInfo kNarrow{
    kBFloat16Parameter, 0, "1: products of bfloat16, summed in float32", 0, 1, true};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = [] {
    std::vector<Entry> all = plainEntries();
    for (Entry& entry : all)
      entry.info.parameters.push_back(kNarrow);
    return all;
  }();
  return kEntries;
}

} // namespace

const std::vector<ZooEntry>& zoo() {
  static const std::vector<ZooEntry> kZoo = infosOf(entries());
  return kZoo;
}

Network buildFromZoo(const Spec& spec) {
  const Entry* entry = findNamed(entries(), spec.name);
  if (!entry) {
    throw InputError(fmt::format("there is no network '{}'; the zoo has {}, and a path to an ONNX "
                                 "file (name.onnx) works too",
                                 spec.name, fmt::join(namesOf(zoo()), ", ")));
  }
  ParameterValues values = resolveParameters(spec, entry->info.parameters);
  if (values.at(kBFloat16Parameter) == 0) values.erase(kBFloat16Parameter);
  return entry->build(values);
}

Network parseNetworkSpec(std::string_view text) {
  Spec spec = parseSpec(text);
  if (findNamed(entries(), spec.name) || !spec.name.ends_with(".onnx")) return buildFromZoo(spec);
  const auto narrow = spec.parameters.extract(kBFloat16Parameter); // no dimension of the file's
  Network network = importOnnx(spec.name, {spec.parameters, {}});
  if (!narrow.empty() && narrow.mapped() != 0) network.parameters[kBFloat16Parameter] = 1;
  return network;
}

std::string specText(const Network& network) {
  std::vector<ParameterInfo> parameters;
  if (const Entry* entry = findNamed(entries(), network.source))
    parameters = entry->info.parameters;
  else
    for (const auto& [name, value] : network.parameters)
      parameters.push_back({name, value, ""});
  ParameterValues values = network.parameters;
  for (const ParameterInfo& parameter : parameters)
    values.try_emplace(parameter.name, parameter.byDefault);
  return specText(network.source, parameters, values);
}

} // namespace nestwright
