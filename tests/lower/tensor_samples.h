#pragma once
/// \file Random programs that use tensor cores.

#include "core/network/graph/workloads.h"
#include "core/schedule/tensor_instruction.h"
#include "core/space/annotation.h"

#include <QTest>

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

/// How far a result may be off, relative to 1 and to itself: by the last of 16 bits, since sums of
/// float32 round to either neighbour, or by what TF32 leaves out.
inline double lastDigit(const ComputeDag& dag) {
  const DataType type = dag.outputs()[0]->output->type;
  return type == kBFloat16 ? 0x1p-7 : type == kFloat16 ? 0x1p-10 : 1e-2;
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
