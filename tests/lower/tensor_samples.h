#pragma once
/// \file Random programs that use tensor cores.

#include "core/network/graph/workloads.h"
#include "core/schedule/bounds.h"
#include "core/schedule/tensor_instruction.h"
#include "core/space/annotation.h"
#include "tests/lower/random_tensors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>

namespace nestwright {

inline bool usesTensorCores(const State& state) {
  for (int id = 0; id < state.stageCount(); ++id)
    if (state.stage(id).tensorInstruction != nullptr) return true;
  return false;
}

inline SpaceOptions tensorSpace() {
  return spaceOptionsFor(cudaTarget(gpuPreset({9, 0})));
}

/// Those of our own rules that use tensor cores.
inline std::vector<Sketch> tensorSketches(const ComputeDag& dag, const SpaceOptions& space) {
  SketchRules rules = nestwrightRules(space.target);
  const SketchRules paper = paperRules(space.target);
  rules.insert(rules.end(), paper.begin(), paper.end());
  std::vector<Sketch> sketches = generateSketches(dag, space, rules);
  std::erase_if(sketches, [](const Sketch& sketch) { return !usesTensorCores(sketch.state); });
  return sketches;
}

/// C of 64 x 64 x 128: blocks of one warp that computes 2 x 4 tiles, and fetches four tiles of both
/// operands one after another, `stages` of them at once.
inline State pipelinedProduct(int stages) {
  const std::string steps = fmt::format(
      R"([["SP", 2, 0, 64, [1, 1, 2, 16], 1], ["SP", 2, 5, 64, [1, 1, 4, 8], 1],
          ["SP", 2, 10, 128, [2, 16], 1], ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]],
          ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
          ["CA", 2, 3, 5], ["AN", 2, 10, 11], ["AN", 2, 11, 11], ["AN", 2, 12, 11],
          ["PR", 2, 0, "tensor_instruction$mma_m16n8k16_bf16"],
          ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6],
          ["FU", 5, [0, 1]], ["AN", 5, 0, 7], ["FU", 5, [1, 2]], ["AN", 5, 1, 5],
          ["FU", 5, [2, 3]], ["AN", 5, 2, 8], ["SP", 5, 4, 0, [4, 2], 1],
          ["SP", 5, 3, 0, [2, 8], 1], ["RE", 5, [0, 1, 2, 5, 7, 3, 4, 6, 8]],
          ["FU", 5, [3, 4]], ["AN", 5, 3, 6],
          ["FU", 3, [0, 1]], ["SP", 3, 0, 1024, [32, 8], 1], ["AN", 3, 2, 2], ["AN", 3, 1, 6],
          ["FFSP", 3, 0, [1, 0], 1, 1], ["AN", 3, 1, 8],
          ["FU", 1, [0, 1]], ["SP", 1, 0, 1024, [32, 8], 1], ["AN", 1, 2, 2], ["AN", 1, 1, 6],
          ["FFSP", 1, 0, [1, 0], 1, 1], ["AN", 1, 1, 8], ["PR", 4, 0, "pipeline_stages${}"]])",
      stages);
  return withBounds(State::replay(parseTaskSpec("matmul:m=64,n=64,k=128,bf16=1").dag,
                                  stepsFromJson(nlohmann::json::parse(steps))));
}

/// How far a result may be off, relative to 1 and to itself: by the last of 16 bits, since sums of
/// float32 round to either neighbour, or by what TF32 leaves out.
inline double lastDigit(const ComputeDag& dag) {
  const DataType type = dag.outputs()[0]->output->type;
  return type == kBFloat16 ? 0x1p-7 : type == kFloat16 ? 0x1p-10 : 1e-2;
}

/// The first element that is farther off; empty when there is none.
inline std::string wrong(const ComputeDag& dag, const Tensors& expected, const Tensors& actual) {
  const double digit = lastDigit(dag);
  for (const auto& [name, values] : actual)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(std::fabs(values[i] - expected.at(name)[i]) <=
            digit * (1 + std::fabs(expected.at(name)[i]))))
        return fmt::format("{}[flat {}] is {} instead of {}", name, i, values[i],
                           expected.at(name)[i]);
  return {};
}

/// Calls `f(program, number of its draw)` for the first legal ones; false when there are not so
/// many. TF32 is allowed.
inline bool forTensorPrograms(const std::string& task, std::uint64_t seed, int count,
                              const std::function<void(const State&, std::uint64_t)>& f) {
  SpaceOptions space = tensorSpace();
  space.tf32 = true;
  const std::vector<Sketch> sketches = tensorSketches(parseTaskSpec(task).dag, space);
  for (std::uint64_t n = 0; count > 0; ++n) {
    if (n >= 2000) return false;
    Random random = Random::stream(seed, task, n);
    const SampledProgram sample = sampleProgram(sketches, space, random);
    if (!sample.state) continue;
    f(*sample.state, n);
    --count;
  }
  return true;
}

/// Tasks with such programs, small enough to be emulated.
inline void addTensorTasks() {
  QTest::addColumn<QString>("text");
  for (const char* text :
       {"matmul:m=64,n=64,k=64,bf16=1", "matmul:m=32,n=48,k=96,bias=1,relu=1,fp16=1",
        "matmul:m=8,n=64,k=32,bf16=1", "batch_matmul:b=3,m=32,n=16,k=32,fp16=1",
        "batch_matmul:b=2,m=16,n=32,k=48,nt=1,bf16=1", "matmul:m=32,n=48,k=40,bias=1",
        "matmul:m=32,n=32,k=16", "conv2d:n=1,h=3,w=16,ci=16,co=16,k=3,s=1,p=1,relu=1,bf16=1"})
    QTest::newRow(text) << QString(text);
}

} // namespace nestwright
