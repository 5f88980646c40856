#include "core/learn/learner_protocol.h"

#include "core/support/json_fields.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"
#include "core/worker/frame_fields.h"

#include <cstring>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr NameTable<Optimiser, 2> kOptimisers{{"adam", "sgd"}};

template <class T>
Frame frameOf(const char* type, const T& value) {
  Frame frame{toFields(value), {}};
  frame.header["type"] = type;
  return frame;
}

template <class T>
T valueIn(const Frame& frame) {
  T value;
  readFields(frame.header, value);
  return value;
}

void append(Frame& frame, std::span<const float> numbers) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
  frame.payload.insert(frame.payload.end(), bytes, bytes + numbers.size_bytes());
}

} // namespace

const char* name(Optimiser optimiser) {
  return kOptimisers.of(optimiser);
}

Optimiser optimiserFromName(const std::string& text) {
  if (const auto optimiser = kOptimisers.find(text)) return *optimiser;
  throw UsageError(fmt::format("there is no optimiser \"{}\"; there are adam and sgd", text));
}

template <class Io>
void fields(Io& io, LearnerHello& hello) {
  io("protocol", hello.protocol);
  io("error", hello.error);
  io("version", hello.version);
  io("torch", hello.torch);
  io("blas", hello.blas);
}

template <class Io>
void fields(Io& io, KeepWork& work) {
  io("name", work.name);
  io.object("shape", work.shape);
}

template <class Io>
void fields(Io& io, ScoreWork& work) {
  io("name", work.name);
  io.object("table", work.table);
  io("threads", work.threads);
}

template <class Io>
void fields(Io& io, ExplainWork& work) {
  io("name", work.name);
  io.object("table", work.table);
  io("head", work.head);
}

template <class Io>
void fields(Io& io, AttentionWork& work) {
  io("name", work.name);
  io.object("table", work.table);
}

template <class Io>
void fields(Io& io, StartWork& work) {
  io.object("shape", work.shape);
  io.object("step", work.step);
  io.object("table", work.table);
  io("train", work.train);
  io("threads", work.threads);
  io("steps", work.steps);
  io.orElse("stands_back", work.standsBack, false);
}

template <class Io>
void fields(Io& io, EpochWork& work) {
  io("epoch", work.epoch);
  io.number("averaged_loss", work.averagedLoss);
}

template <class Io>
void fields(Io& io, EpochProgress& progress) {
  io("programs", progress.programs);
}

template <class Io>
void fields(Io& io, EpochAnswer& answer) {
  io.number("training_loss", answer.trainingLoss);
  io.number("validation_loss", answer.validationLoss);
  io.number("averaged_loss", answer.averagedLoss);
  io("steps", answer.steps);
}

Frame toFrame(const LearnerHello& hello) {
  return frameOf("hello", hello);
}

Frame toFrame(const KeepWork& work, const NeuralNetwork& network) {
  Frame frame = frameOf("keep", work);
  append(frame, network.weights);
  append(frame, network.maxima);
  return frame;
}

Frame toFrame(const ScoreWork& work) {
  return frameOf("score", work);
}

Frame toFrame(const ExplainWork& work) {
  return frameOf("explain", work);
}

Frame toFrame(const AttentionWork& work) {
  return frameOf("attention", work);
}

Frame toFrame(const StartWork& work, std::span<const float> numbers) {
  Frame frame = frameOf("start", work);
  append(frame, numbers);
  return frame;
}

Frame toFrame(const EpochWork& work) {
  return frameOf("epoch", work);
}

Frame toFrame(const EpochProgress& progress) {
  return frameOf("progress", progress);
}

Frame toFrame(const EpochAnswer& answer) {
  Frame frame = frameOf("epoch", answer);
  append(frame, answer.numbers);
  return frame;
}

Frame numbersFrame(std::span<const float> numbers) {
  Frame frame{{{"type", "numbers"}}, {}};
  append(frame, numbers);
  return frame;
}

Frame doneFrame() {
  return {{{"type", "done"}}, {}};
}

Frame failedFrame(const std::string& error, bool outOfMemory) {
  return {{{"type", "failed"}, {"error", error}, {"out_of_memory", outOfMemory}}, {}};
}

std::string learnerFrameType(const Frame& frame) {
  return textField(frame.header, "type");
}

LearnerHello learnerHelloIn(const Frame& frame) {
  return valueIn<LearnerHello>(frame);
}

KeepWork keepWork(const Frame& frame) {
  return valueIn<KeepWork>(frame);
}

ScoreWork scoreWork(const Frame& frame) {
  return valueIn<ScoreWork>(frame);
}

ExplainWork explainWork(const Frame& frame) {
  return valueIn<ExplainWork>(frame);
}

AttentionWork attentionWork(const Frame& frame) {
  return valueIn<AttentionWork>(frame);
}

StartWork startWork(const Frame& frame) {
  return valueIn<StartWork>(frame);
}

EpochWork epochWork(const Frame& frame) {
  return valueIn<EpochWork>(frame);
}

EpochProgress epochProgressIn(const Frame& frame) {
  return {static_cast<std::size_t>(wholeField(frame.header, "programs", 0))};
}

EpochAnswer epochAnswerIn(const Frame& frame) {
  auto answer = valueIn<EpochAnswer>(frame);
  answer.numbers = numbersIn(frame);
  return answer;
}

std::vector<float> numbersIn(const Frame& frame) {
  if (frame.payload.size() % sizeof(float) != 0)
    throw BadFrame(fmt::format("no whole number of floats takes {}",
                               quantity(std::ssize(frame.payload), "byte")));
  std::vector<float> numbers(frame.payload.size() / sizeof(float));
  if (!numbers.empty()) std::memcpy(numbers.data(), frame.payload.data(), frame.payload.size());
  return numbers;
}

bool isOutOfMemory(const Frame& failed) {
  return flagField(failed.header, "out_of_memory");
}

std::string errorIn(const Frame& failed) {
  return textField(failed.header, "error");
}

FrameLimits answerOfNumbers(std::size_t numbers) {
  return {1 << 20, numbers * sizeof(float)};
}

bool squashes(Architecture architecture, Loss loss) {
  return architecture == Architecture::Mlp && loss == Loss::Mse;
}

std::size_t trainingNumbers(const NetworkShape& shape) {
  return 3 * parameterCount(shape);
}

} // namespace nestwright
