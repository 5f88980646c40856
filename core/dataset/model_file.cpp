#include "core/dataset/model_file.h"

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/json_fields.h"
#include "core/support/output_file.h"
#include "core/support/version.h"

#include <fstream>
#include <iterator>

namespace nestwright {

template <class Io>
void fields(Io& io, PartFigures& figures) {
  io("tasks", figures.tasks);
  io("programs", figures.programs);
  io("pairwise_accuracy", figures.pairwiseAccuracy);
  io("top1", figures.top1);
  io("top5", figures.top5);
}

template <class Io>
void fields(Io& io, ModelTarget& target) {
  io("id", target.id);
  io("text", target.text);
  io("programs", target.programs);
  io.ifAny("labelled", target.labelled);
}

namespace {

/// What files have since version 0.1.0 was current.
struct Course {
  ModelFile& file;
};

template <class Io>
void fields(Io& io, Course& course) {
  ModelFile& file = course.file;
  io("trained", file.trained);
  io("seconds", file.seconds);
  io("options", file.options);
  io("start_from", file.startFrom);
  io.orElse("start_from_path", file.startFromPath, std::string());
  io.orElse("fine_tune", file.fineTune, false);
  io.orElse("target_records", file.targetRecords, std::size_t{0});
  io.each("targets", file.targets);
  io("data", file.dataHash);
  io("programs", file.programs);
  io("validated", file.validated);
  io.each("curve", file.curve);
  io("kept", file.kept);
  io.objectIfAny("validation", file.validation);
  io.objectIfAny("test", file.test);
}

} // namespace

template <class Io>
void fields(Io& io, ModelFile& file) {
  io("model", file.model);
  io("features", file.features);
  io("target", file.target);
  io.nested("choice", file.choice, dataChoiceFromJson);
  io.orElse("target_text", file.targetText, std::string());
  io("tasks", file.tasks);
  io.orElse("kinds", file.kinds, std::set<std::string>());
  io.nested("leaks", file.leaks, leakCheckFromJson);
}

namespace {

constexpr int kFileVersion = 1;
constexpr const char* kFileKind = "nestwright trained model";

nlohmann::json headerOf(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return nullptr;
  nlohmann::json header = nlohmann::json::parse(bytes.substr(0, end), nullptr, false);
  return header.is_object() && header.value("kind", nlohmann::json()) == kFileKind ? header
                                                                                   : nullptr;
}

/// Hash of everything in the file but itself.
std::string seal(const nlohmann::json& header, std::string_view model) {
  return hashHex(header.dump() + std::string(model));
}

} // namespace

nlohmann::json toJson(const ModelFile& file) {
  nlohmann::json json = toFields(file);
  json["product"] = file.product;
  json["course"] = toFields(Course{const_cast<ModelFile&>(file)}); // a writer changes nothing
  return json;
}

std::string modelFileBytes(const ModelFile& file) {
  nlohmann::json header = toJson(file);
  header["kind"] = kFileKind;
  header["version"] = kFileVersion;
  header["product"] = file.product.empty() ? versionText() : file.product;
  const std::string hash = seal(header, file.bytes);
  header["hash"] = hash;
  return header.dump() + '\n' + file.bytes;
}

ModelFile modelFileFrom(std::string_view bytes) {
  nlohmann::json header = headerOf(bytes);
  if (header.is_null()) throw InputError("this is no file of a trained model");
  if (header.value("version", nlohmann::json()) != kFileVersion)
    throw InputError(fmt::format("the trained model is of version {}, written by {}; this program "
                                 "reads version {}",
                                 header.value("version", nlohmann::json()).dump(),
                                 header.value("product", nlohmann::json()).dump(), kFileVersion));
  const std::string_view model = bytes.substr(bytes.find('\n') + 1);
  const nlohmann::json hash = header.value("hash", nlohmann::json());
  header.erase("hash");
  if (hash != seal(header, model))
    throw InputError(fmt::format("the trained model was cut off or altered: its {} bytes do not "
                                 "have the hash that was stored with them",
                                 bytes.size()));
  try {
    ModelFile file;
    readFields(header, file);
    file.product = header.value("product", "");
    if (header.contains("course")) {
      Course course{file};
      readFields(header.at("course"), course);
    }
    file.bytes = model;
    return file;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("the trained model does not say all that it should ({})", e.what()));
  }
}

bool isModelFile(std::string_view bytes) {
  return !headerOf(bytes).is_null();
}

ModelFile readModelFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: there is no such file that could be read", path));
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  try {
    return modelFileFrom(bytes);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

void writeModelFile(const std::string& path, const ModelFile& file) {
  writeWhole(path, "model", modelFileBytes(file));
}

} // namespace nestwright
