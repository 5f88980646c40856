#pragma once
/// \file What we and the learner say to each other, as headers of frames (core/worker/frame.h).
/// Numbers go as a payload of floats in the machine's own byte order: the learner is on the same
/// machine, and programs are in a file that both map (table_file.h).
///
/// The learner opens with `hello`. Each request has one answer, or `failed`; the answer to an epoch
/// comes behind any number of `progress`.

#include "core/learn/losses.h"
#include "core/learn/network.h"
#include "core/learn/table_file.h"
#include "core/worker/frame.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

inline constexpr int kLearnerProtocol = 2;

struct LearnerHello {
  int protocol = kLearnerProtocol;
  std::string error; // why it cannot work; empty when it can
  std::string version;
  std::string torch; // the library's version
  std::string blas;  // and for which processor its matrix products are: "OpenBLAS SkylakeX"
};

/// The learner forgets all of its networks when it has that many.
inline constexpr std::size_t kKeptNetworks = 8;

/// Keeps a network under a name.
struct KeepWork {
  std::string name;
  NetworkShape shape;
};
/// The outputs of a kept network: `heads` a program.
struct ScoreWork {
  std::string name;
  TableLayout table;
  int threads = 1;
};
/// What each feature of the table's one program added to an output, by gradient times input.
struct ExplainWork {
  std::string name;
  TableLayout table;
  std::size_t head = 0;
};

/// How the steps of the table's one program look at one another, in a network of steps: rows as of
/// Attention::shares (core/model/attention.h).
struct AttentionWork {
  std::string name;
  TableLayout table;
};

enum class Optimiser : unsigned char { Adam, Sgd };
const char* name(Optimiser optimiser);
/// Throws UsageError that lists the names.
Optimiser optimiserFromName(const std::string& text);

/// How a network is changed by a batch.
struct StepOptions {
  Loss loss = Loss::LambdaRank;
  Optimiser optimiser = Optimiser::Adam;
  double learningRate = 7e-4;
  double weightDecay = 1e-6;
  double clip = 0.5;       // of the gradient's norm; 0: none
  std::size_t batch = 512; // programs
  std::uint64_t seed = 0;  // of the order of the programs
};
template <class Io>
void fields(Io& io, StepOptions& step) {
  io.named("loss", step.loss, lossFromName);
  io.named("optimiser", step.optimiser, optimiserFromName);
  io("learning_rate", step.learningRate);
  io("weight_decay", step.weightDecay);
  io("clip", step.clip);
  io("batch", step.batch);
  io("seed", step.seed);
}

/// Begins a training, in place of one before. The table has first the programs to learn from, then
/// those to validate with.
struct StartWork {
  NetworkShape shape;
  StepOptions step;
  TableLayout table;
  std::size_t train = 0; // programs to learn from
  int threads = 1;
  std::int64_t steps = 0; // that the optimiser has made
  /// For sessions: while one runs on this machine, one thread does all the work.
  bool standsBack = false;
};
/// One pass over the programs; its number decides their order.
struct EpochWork {
  int epoch = 0; // from 0
  /// The running mean of the batches' losses so far; infinity before the first batch.
  double averagedLoss = std::numeric_limits<double>::infinity();
};
struct EpochProgress {
  std::size_t programs = 0; // learned from in this epoch
};
struct EpochAnswer {
  double trainingLoss = 0, validationLoss = 0; // means over batches; 0 without programs
  double averagedLoss = 0;                     // 0.95 of what it was and 0.05 of each batch's loss
  std::int64_t steps = 0;
  /// Weights, then what the optimiser keeps of them (TrainingNumbers); behind them the outputs of
  /// the programs to validate with, `heads` each.
  std::vector<float> numbers;
};

Frame toFrame(const LearnerHello& hello);
Frame toFrame(const KeepWork& work, const NeuralNetwork& network);
Frame toFrame(const ScoreWork& work);
Frame toFrame(const ExplainWork& work);
Frame toFrame(const AttentionWork& work);
/// `numbers` are the weights and the optimiser's, and behind them the network's maxima.
Frame toFrame(const StartWork& work, std::span<const float> numbers);
Frame toFrame(const EpochWork& work);
Frame toFrame(const EpochProgress& progress);
Frame toFrame(const EpochAnswer& answer);
Frame numbersFrame(std::span<const float> numbers);
Frame doneFrame();
/// `outOfMemory`: it wanted more than the machine gave.
Frame failedFrame(const std::string& error, bool outOfMemory);

// The inverses; they throw InputError (BadFrame, UsageError) or a JSON exception for other frames.
std::string learnerFrameType(const Frame& frame);
LearnerHello learnerHelloIn(const Frame& frame);
KeepWork keepWork(const Frame& frame);
ScoreWork scoreWork(const Frame& frame);
ExplainWork explainWork(const Frame& frame);
AttentionWork attentionWork(const Frame& frame);
StartWork startWork(const Frame& frame);
EpochWork epochWork(const Frame& frame);
EpochProgress epochProgressIn(const Frame& frame);
EpochAnswer epochAnswerIn(const Frame& frame);
std::vector<float> numbersIn(const Frame& frame);
bool isOutOfMemory(const Frame& failed);
std::string errorIn(const Frame& failed);

/// What a frame to the learner may take, and an answer of so many numbers.
inline constexpr FrameLimits kLearnerRequest{1 << 20, 4ull << 30};
FrameLimits answerOfNumbers(std::size_t numbers);

/// Whether the network's outputs go through a sigmoid to be scores: the MLP's, trained with the
/// mean squared error.
bool squashes(Architecture architecture, Loss loss);

/// How many floats a training goes on from: the weights, and Adam's two moments of each.
std::size_t trainingNumbers(const NetworkShape& shape);

} // namespace nestwright
