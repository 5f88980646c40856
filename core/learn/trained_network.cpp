#include "core/learn/trained_network.h"

#include "core/support/json_fields.h"
#include "core/support/quantity.h"
#include "core/support/version.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nestwright {

using nlohmann::json;

namespace {

/// What stands in the header.
struct Description {
  TrainedNetwork& trained;
};

template <class Io>
void fields(Io& io, Description& description) {
  TrainedNetwork& trained = description.trained;
  io.object("shape", trained.network.shape);
  io.nested("options", trained.options, trainingOptionsFromJson);
  io.each("curve", trained.curve);
  io("kept", trained.kept);
  io("programs", trained.programs);
  io("tasks", trained.tasks);
  io("machines", trained.machines);
  io("data", trained.dataHash);
}

} // namespace

ModelForm networkForm() {
  return ownForm(1);
}

json headerOf(const TrainedNetwork& trained) {
  Description description{const_cast<TrainedNetwork&>(trained)}; // a writer changes nothing
  json header = json::object();
  JsonFieldWriter io(header);
  fields(io, description);
  header["normalised"] = !trained.network.maxima.empty();
  return header;
}

TrainedNetwork trainedNetworkFromHeader(const std::string& model, const json& header) {
  TrainedNetwork trained;
  bool normalised = false;
  try {
    Description description{trained};
    JsonFieldReader io(header);
    fields(io, description);
    normalised = header.at("normalised").get<bool>();
  } catch (const json::exception& error) {
    throw InputError(fmt::format("the saved {} model cannot be read ({})", model, error.what()));
  }
  requireSensible(trained.network.shape);
  requireSensible(trained.options);
  if (name(trained.network.shape.architecture) != model ||
      trained.options.architecture != trained.network.shape.architecture)
    throw InputError(fmt::format("the saved {} model holds a network of another kind", model));
  if (normalised) trained.network.maxima.resize(trained.network.shape.columns);
  return trained;
}

std::string bytesOf(std::span<const float> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

std::vector<float> takeNumbers(const std::string& model, std::string_view& bytes,
                               std::size_t count) {
  std::vector<float> numbers;
  if (bytes.size() / sizeof(float) >= count) {
    numbers.resize(count);
    if (count > 0) std::memcpy(numbers.data(), bytes.data(), count * sizeof(float));
    bytes.remove_prefix(count * sizeof(float));
  }
  if (numbers.size() < count ||
      !std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }))
    throw InputError(fmt::format("the saved {} model has not the numbers of its network: fewer "
                                 "than {}, or such as are not finite",
                                 model, count));
  return numbers;
}

std::string toBytes(const TrainedNetwork& trained) {
  return sealModel(networkForm(), name(trained.network.shape.architecture), headerOf(trained),
                   bytesOf(trained.network.maxima) + bytesOf(trained.network.weights));
}

TrainedNetwork trainedNetworkFromBytes(std::string_view bytes, Architecture architecture) {
  const std::string model = name(architecture);
  const SealedModel sealed = openModel(networkForm(), model, bytes);
  TrainedNetwork trained = trainedNetworkFromHeader(model, sealed.header);
  std::string_view rest = sealed.bytes;
  NeuralNetwork& network = trained.network;
  network.maxima = takeNumbers(model, rest, network.maxima.size());
  network.weights = takeNumbers(model, rest, parameterCount(network.shape));
  if (!rest.empty())
    throw InputError(fmt::format("the saved {} model has {} too many", model,
                                 quantity(std::ssize(rest), "byte")));
  if (std::ranges::any_of(network.maxima, [](float maximum) { return !(maximum > 0); }))
    throw InputError(fmt::format("the saved {} model divides a column by 0 or less", model));
  return trained;
}

std::vector<double> scoresOf(const TrainedNetwork& trained, std::span<const float> outputs,
                             const FeatureTable& table, std::size_t head) {
  const std::size_t heads = trained.network.shape.heads;
  const bool squashed = squashes(trained.options.architecture, trained.options.step.loss);
  std::vector<double> scores(table.programs());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto output = static_cast<double>(outputs[i * heads + head]);
    scores[i] = table.blank(i) ? kUnknownProgram : squashed ? 1 / (1 + std::exp(-output)) : output;
  }
  return scores;
}

} // namespace nestwright
