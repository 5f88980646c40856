#include "plugins/torch/learner/scores.h"

#include "core/support/parallel.h"
#include "core/worker/quiet.h"
#include "plugins/torch/learner/step_programs.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace nestwright::learner {

using torch::Tensor;

namespace {

// Libraries multiply several rows at once, 4 to 24 of them, and those left over by other means: all
// of these divide the numbers of rows here.
constexpr std::size_t kRowChunk = 480;     // rows encoded at once
constexpr std::size_t kProgramChunk = 240; // joined programs decoded at once
constexpr std::size_t kStepChunk = 48;     // programs of steps at once
constexpr std::size_t kLstmChunk = 48;

/// Calls `f` with chunks of exactly so many rows, the last one filled up with zeros, and puts what
/// it gives for the rows there are under one another.
template <class Fill, class F>
Tensor inChunks(std::size_t count, std::size_t chunk, std::size_t columns, const Fill& fill,
                const F& f) {
  std::vector<Tensor> results;
  Tensor input = torch::empty({toSize(chunk), toSize(columns)});
  float* numbers = input.data_ptr<float>();
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    const std::size_t here = std::min(chunk, count - begin);
    for (std::size_t i = 0; i < here; ++i)
      fill(begin + i, numbers + i * columns);
    std::fill(numbers + here * columns, numbers + chunk * columns, 0.0F);
    results.push_back(f(input).narrow(0, 0, toSize(here)).clone());
  }
  return torch::cat(results);
}

class Scorer {
 public:
  /// `trees` are those of the programs that are asked for, where they are known already.
  Scorer(const KeptNetwork& network, const MappedTable& table, const TreePrograms* trees = nullptr)
      : network_(network), table_(table), trees_(trees) {}

  /// The outputs of programs [begin, end), `heads` each.
  void score(std::size_t begin, std::size_t end, float* outputs) const {
    const torch::NoGradGuard constant;
    if (network_.shape.ofSteps())
      scoreSteps(begin, end, outputs);
    else if (network_.shape.ofTrees())
      scoreTrees(begin, end, outputs);
    else
      scoreStatements(begin, end, outputs);
  }

 private:
  void scoreStatements(std::size_t begin, std::size_t end, float* outputs) const {
    const Layers& layers = *network_.layers;
    const std::size_t firstRow = table_.firstRow(begin), rows = table_.firstRow(end) - firstRow;
    Tensor encoded = torch::zeros({0, toSize(network_.shape.hidden)});
    if (rows > 0)
      encoded = inChunks(
          rows, kRowChunk, network_.shape.columns,
          [&](std::size_t row, float* to) { readRow(network_, table_.row(firstRow + row), to); },
          [&](const Tensor& input) { return encodeStatements(layers, input); });
    const Tensor joined = network_.shape.architecture == Architecture::Lstm
                              ? joinedByLstm(begin, end, encoded)
                              : joinStatements(layers, encoded, firstRows(begin, end), 0);
    const std::size_t width = network_.shape.hidden;
    const float* vectors = joined.data_ptr<float>();
    const Tensor decoded = inChunks(
        end - begin, kProgramChunk, width,
        [&](std::size_t p, float* to) {
          std::copy(vectors + p * width, vectors + (p + 1) * width, to);
        },
        [&](const Tensor& input) { return decodeStatements(layers, input); });
    std::copy_n(decoded.data_ptr<float>(), end - begin, outputs);
  }

  void scoreTrees(std::size_t begin, std::size_t end, float* outputs) const {
    const TreePrograms own =
        trees_ ? TreePrograms() : treePrograms(table_, network_.shape, begin, end);
    const TreePrograms& trees = trees_ ? *trees_ : own;
    std::vector<std::size_t> all(end - begin);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const TreeBatch batch = treeBatch(trees, all);
    const Tensor result =
        learner::scoreTrees(*network_.layers, nodesOf(network_, trees, batch), batch).contiguous();
    std::copy_n(result.data_ptr<float>(), end - begin, outputs);
  }

  std::vector<std::int64_t> firstRows(std::size_t begin, std::size_t end) const {
    std::vector<std::int64_t> first;
    for (std::size_t p = begin; p <= end; ++p)
      first.push_back(toSize(table_.firstRow(p) - table_.firstRow(begin)));
    return first;
  }

  /// Programs of one length at a time, so that nothing depends on their company.
  Tensor joinedByLstm(std::size_t begin, std::size_t end, const Tensor& encoded) const {
    std::map<std::size_t, std::vector<std::size_t>> byLength;
    for (std::size_t p = begin; p < end; ++p)
      byLength[std::max(network_.shape.length, table_.rowCount(p))].push_back(p);
    Tensor joined = torch::empty({toSize(end - begin), toSize(network_.shape.hidden)});
    for (const auto& [length, programs] : byLength)
      for (std::size_t from = 0; from < programs.size(); from += kLstmChunk) {
        std::vector<std::int64_t> rows, first = {0};
        const std::size_t here = std::min(kLstmChunk, programs.size() - from);
        for (std::size_t i = 0; i < kLstmChunk; ++i) {
          const std::size_t p = programs[i < here ? from + i : from];
          for (std::size_t row = 0; row < table_.rowCount(p); ++row)
            rows.push_back(toSize(table_.firstRow(p) + row - table_.firstRow(begin)));
          first.push_back(toSize(rows.size()));
        }
        rows.resize((rows.size() / kLstmChunk + 1) * kLstmChunk, -1); // rows of zeros
        const Tensor vectors =
            joinStatements(*network_.layers, gatherRows(encoded, rows), first, length);
        for (std::size_t i = 0; i < here; ++i)
          joined[toSize(programs[from + i] - begin)] = vectors[toSize(i)];
      }
    return joined;
  }

  void scoreSteps(std::size_t begin, std::size_t end, float* outputs) const {
    constexpr std::size_t kGrain = 4; // of lengths that are computed alike
    const Layers& layers = *network_.layers;
    const StepPrograms programs = stepPrograms(table_, begin, end, network_.shape.length);
    const EncodedSteps encoded = encodedSteps(programs);
    std::map<std::size_t, std::vector<std::size_t>> byLength;
    for (std::size_t p = 0; p < programs.programs(); ++p)
      byLength[(programs.stepsOf(p) + kGrain - 1) / kGrain * kGrain].push_back(p);
    const std::size_t heads = network_.shape.heads;
    for (const auto& [length, members] : byLength)
      for (std::size_t from = 0; from < members.size(); from += kStepChunk) {
        const std::size_t here = std::min(kStepChunk, members.size() - from);
        std::vector<std::int64_t> ids(kStepChunk * length, 0);
        std::vector<float> counts(kStepChunk * length, 0);
        for (std::size_t i = 0; i < kStepChunk; ++i) {
          const std::size_t p = members[i < here ? from + i : from];
          for (std::size_t k = 0; k < programs.stepsOf(p); ++k) {
            ids[i * length + k] = programs.ids[programs.first[p] + k];
            counts[i * length + k] = programs.counts[programs.first[p] + k];
          }
        }
        const Tensor result =
            learner::scoreSteps(layers, encoded, std::move(ids), counts, length, true).contiguous();
        for (std::size_t i = 0; i < here; ++i)
          std::copy_n(result.data_ptr<float>() + i * heads, heads,
                      outputs + members[from + i] * heads);
      }
  }

  EncodedSteps encodedSteps(const StepPrograms& programs) const {
    const auto width = toSize(network_.shape.encoder.back());
    const Tensor both = inChunks(
        programs.steps.size(), kRowChunk, network_.shape.columns,
        [&](std::size_t step, float* to) { readRow(network_, programs.steps[step], to); },
        [&](const Tensor& input) {
          const EncodedSteps chunk = encodeSteps(*network_.layers, input);
          return torch::cat({chunk.values, chunk.projected}, 1);
        });
    return {both.narrow(1, 0, width).contiguous(), both.narrow(1, width, 3 * width).contiguous()};
  }

  const KeptNetwork& network_;
  const MappedTable& table_;
  const TreePrograms* trees_;
};

} // namespace

std::vector<float> scoresOf(const KeptNetwork& network, const MappedTable& table, std::size_t begin,
                            std::size_t end, int threads, const std::vector<TreePrograms>& trees) {
  requireColumns(network.shape, table);
  const std::size_t heads = network.shape.heads;
  std::vector<float> outputs((end - begin) * heads);
  const std::size_t parts = (end - begin + kScorePrograms - 1) / kScorePrograms;
  parallelFor(parts, static_cast<unsigned>(threads), [&](std::size_t part) {
    const std::size_t from = begin + part * kScorePrograms;
    const QuietHold hold = holdForBatch();
    Scorer(network, table, trees.empty() ? nullptr : &trees[part])
        .score(from, std::min(end, from + kScorePrograms), outputs.data() + (from - begin) * heads);
  });
  return outputs;
}

} // namespace nestwright::learner
