#pragma once
/// \file Neural cost models as values: which network, and all its numbers
/// (handbook/cost-models.md 5.1). The learner computes with them; here nobody does.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

enum class Architecture : unsigned char {
  Mlp,    // TenSet's: an encoder a statement, summed over the statements
  Lstm,   // the encoder, then a recurrence over the statements
  Tlp,    // an encoder a schedule step, attention between the steps
  MtlTlp, // the same with a head a target
  TreeGru // AutoTVM's: a recurrence up the tree of a loop nest
};
inline constexpr Architecture kArchitectures[] = {Architecture::Mlp, Architecture::Lstm,
                                                  Architecture::Tlp, Architecture::MtlTlp,
                                                  Architecture::TreeGru};

/// "mlp", "lstm", "tlp", "mtl-tlp", "treegru"
const char* name(Architecture architecture);
/// Throws UsageError that lists the names.
Architecture networkArchitectureFromName(const std::string& text);

/// Whether it reads one row a schedule step.
constexpr bool readsSteps(Architecture architecture) {
  return architecture == Architecture::Tlp || architecture == Architecture::MtlTlp;
}
/// Whether it has a head for each of several targets.
constexpr bool hasHeads(Architecture architecture) {
  return architecture == Architecture::MtlTlp;
}

struct NetworkShape {
  Architecture architecture = Architecture::Mlp;
  std::size_t columns = 0; // of a feature row
  /// Rows that a program has for the network. Those of steps are padded with zeros, as if they were
  /// there, and cut; those of statements are padded for the recurrence, and never cut. The MLP
  /// has no use for it.
  std::size_t length = 0;
  std::size_t hidden = 256;                               // mlp, lstm, treegru
  std::vector<std::size_t> encoder = {64, 128, 256, 256}; // widths of the layers (tlp)
  std::vector<std::size_t> decoder = {256, 128, 64, 1};   // after the first, which is as wide
  std::size_t attentionHeads = 8;                         // tlp
  std::size_t residualBlocks = 2;                         // tlp
  std::size_t heads = 1;                                  // outputs, one a target (mtl-tlp)
  /// Of a tree's nodes (treegru): how many there can be, and how wide they are.
  std::size_t names = 128, embedding = 128;
  /// What is remembered of all inner nodes instead of the root's state (treegru); 0: nothing.
  std::size_t memorySlots = 0;

  bool ofSteps() const { return readsSteps(architecture); }
  bool ofStatements() const {
    return architecture == Architecture::Mlp || architecture == Architecture::Lstm;
  }
  bool ofTrees() const { return architecture == Architecture::TreeGru; }
  friend bool operator==(const NetworkShape&, const NetworkShape&) = default;
};

/// JSON both ways; the inverse throws nlohmann::json::exception or UsageError.
template <class Io>
void fields(Io& io, NetworkShape& shape) {
  io.named("architecture", shape.architecture, networkArchitectureFromName);
  io("columns", shape.columns);
  io("length", shape.length);
  io("hidden", shape.hidden);
  io("encoder", shape.encoder);
  io("decoder", shape.decoder);
  io("attention_heads", shape.attentionHeads);
  io("residual_blocks", shape.residualBlocks);
  io("heads", shape.heads);
  if (!shape.ofTrees()) return;
  io("names", shape.names);
  io("embedding", shape.embedding);
  io("memory_slots", shape.memorySlots);
}

/// Columns of a tree's row that are no facts: its parent's row and its name
/// (core/feature/tree_features.h).
inline constexpr std::size_t kTreeLinks = 2;

/// Throws InputError for a shape that no network can have, or that would take gigabytes: shapes
/// come from files.
void requireSensible(const NetworkShape& shape);

/// The published one: 242,433 parameters at 174 columns (mlp), 610,369 at 22 (tlp), 141,313 at 26
/// (treegru).
NetworkShape publishedShape(Architecture architecture, std::size_t columns);

/// One matrix or vector of a network, named and laid out as PyTorch has it in the public code.
struct ParameterShape {
  std::string name;
  std::size_t rows = 1, columns = 1; // of a vector: so many rows of one column
  bool isVector = false;
  /// Fresh values are drawn evenly from [-bound, bound], as PyTorch's layers do it, or by Xavier
  /// (treegru).
  float bound = 0;
  std::size_t size() const { return rows * columns; }
};

/// In the order of NeuralNetwork::weights.
std::vector<ParameterShape> parametersOf(const NetworkShape& shape);
std::size_t parameterCount(const NetworkShape& shape);

struct NeuralNetwork {
  NetworkShape shape;
  /// What each column is divided by, its maximum over the training set; 1 where that is not above
  /// 0. Empty where rows are taken as they are (tlp).
  std::vector<float> maxima;
  std::vector<float> weights; // parameterCount(shape) of them
};

/// A function of shape and seed; each parameter's numbers are a stream of their own.
NeuralNetwork freshNetwork(const NetworkShape& shape, std::uint64_t seed);

} // namespace nestwright
