#include "tests/plugins/cuda/gpu_programs.h"

#include "core/lower/expand_lanes.h"
#include "core/lower/lower.h"
#include "core/schedule/pragma.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nestwright::test {
namespace {

Expr lit(std::int64_t value) {
  return intImm(value, kInt32);
}

std::vector<Expr> four(const Expr& base) {
  return {ramp(base, lit(1), 4)};
}

Stmt loop(const Var& var, std::int64_t extent, ForKind kind, Stmt body) {
  return makeFor(var, intImm(0, var->type), extent, kind, std::move(body));
}

Var index(const char* name) {
  return makeVar(name, kInt32);
}

/// Small whole numbers, so that sums are exact in any order.
std::vector<double> values(std::size_t count, int seed) {
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(seed) * 13) % 17) - 8;
  return result;
}

Launch launchOf(const char* kernel, const Var& block, std::int64_t blocks, const Var& thread,
                std::int64_t threads) {
  Launch launch;
  launch.kernel = kernel;
  launch.grid[0] = {block, blocks};
  launch.threads[0] = {thread, threads};
  return launch;
}

} // namespace

GpuProgram tiledProduct(std::int64_t sharedRows) {
  const Buffer a = makeBuffer("A", {64, 32}), b = makeBuffer("B", {32, 64}),
               c = makeBuffer("C", {64, 64});
  const Buffer as = makeBuffer("A.shared", {32, sharedRows}),
               bs = makeBuffer("B.shared", {sharedRows, 32});
  const Buffer sum = makeBuffer("C.local", {4, 4});
  const Var block = index("blockIdx.x"), thread = index("threadIdx.x");
  const Var k0 = index("k.0"), k1 = index("k.1"), i = index("i.3"), j = index("j.3");
  const auto nat = [](const Expr& e, std::int64_t by) { return floorDiv(e, lit(by)); };
  const auto mod = [](const Expr& e, std::int64_t by) { return floorMod(e, lit(by)); };
  const Expr rowBase = nat(block, 2) * lit(32), columnBase = mod(block, 2) * lit(32);
  const Expr row = nat(thread, 8), column = mod(thread, 8); // of this thread's 4 x 4 pieces

  // 64 threads fetch 32 x 8 and 8 x 32 elements, four each.
  const Expr fetchRow = nat(thread, 2), fetchPart = mod(thread, 2) * lit(4);
  const Stmt fetchA =
      makeStore(as, four(fetchRow * lit(sharedRows) + fetchPart),
                loadAt(a, four((rowBase + fetchRow) * lit(32) + Expr(k0) * lit(8) + fetchPart)));
  const Stmt fetchB = makeStore(
      bs, four(row * lit(32) + column * lit(4)),
      loadAt(b, four((Expr(k0) * lit(8) + row) * lit(64) + columnBase + column * lit(4))));
  const auto both = [&](const Stmt& body) {
    return loop(i, 4, ForKind::Unrolled, loop(j, 4, ForKind::Unrolled, body));
  };
  const Expr product = load(as, {row * lit(4) + Expr(i), Expr(k1)}) *
                       load(bs, {Expr(k1), column * lit(4) + Expr(j)});
  const Stmt reduce =
      loop(k1, 8, ForKind::Serial,
           both(makeStore(sum, {Expr(i), Expr(j)}, load(sum, {Expr(i), Expr(j)}) + product)));
  const Stmt store =
      loop(i, 4, ForKind::Unrolled,
           makeStore(
               c, four((rowBase + row * lit(4) + Expr(i)) * lit(64) + columnBase + column * lit(4)),
               loadAt(sum, four(Expr(i) * lit(4)))));
  const Stmt steps = loop(k0, 4, ForKind::Serial,
                          makeSequence({makeBarrier(), fetchA, fetchB, makeBarrier(), reduce}));
  Stmt body = makeSequence({both(makeStore(sum, {Expr(i), Expr(j)}, floatImm(0))), steps, store});
  body = makeAllocate(sum, MemoryScope::Register, body);
  body = makeAllocate(as, MemoryScope::Block, makeAllocate(bs, MemoryScope::Block, body));

  GpuProgram program;
  program.function.name = "product";
  program.function.parameters = {a, b, c};
  program.function.inputCount = 2;
  program.function.body = makeLaunch(launchOf("C", block, 4, thread, 64), body);
  program.inputs = {{"A", values(64 * 32, 1)}, {"B", values(32 * 64, 2)}};
  std::vector<double>& out = program.outputs["C"] = std::vector<double>(64 * 64);
  for (std::size_t y = 0; y < 64; ++y)
    for (std::size_t x = 0; x < 64; ++x)
      for (std::size_t k = 0; k < 32; ++k)
        out[y * 64 + x] += program.inputs["A"][y * 32 + k] * program.inputs["B"][k * 64 + x];
  return program;
}

GpuProgram pipelinedProduct(int stages, GpuArchitecture architecture) {
  const ComputeDag dag = parseDag("A = PLACEHOLDER [32, 16]\n"
                                  "B = PLACEHOLDER [16, 32]\n"
                                  "C(i, j) += (A[i, k]*B[k, j])\n"
                                  "D(i, j) = max(C[i, j], 0f)\n");
  Steps steps = stepsFromJson(nlohmann::json::parse(
      R"([["SP", 2, 0, 32, [2, 4, 1, 2], 1], ["SP", 2, 5, 32, [1, 4, 1, 4], 1],
          ["SP", 2, 10, 16, [2, 2], 1], ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]],
          ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
          ["CA", 2, 3, 5], ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]],
          ["CA", 1, 4, 6], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4],
          ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]], ["SP", 3, 0, 64, [4], 1],
          ["AN", 3, 1, 2], ["FFSP", 3, 0, [1, 0], 1, 1], ["AN", 3, 1, 6], ["FU", 1, [0, 1]],
          ["SP", 1, 0, 64, [2], 1], ["AN", 1, 1, 2], ["FFSP", 1, 0, [1, 0], 1, 1],
          ["AN", 1, 1, 6]])"));
  steps.emplace_back(PragmaStep{4, 0, pragmaText(Pragma::PipelineStages, stages)});
  LowerOptions options;
  options.gpu = gpuPreset(architecture);
  GpuProgram program;
  program.function = lower(State::replay(dag, steps), options);
  program.inputs = {{"A", values(512, 1)}, {"B", values(512, 2)}};
  program.outputs = {{"D", evaluate(dag, program.inputs).at("D")}};
  return program;
}

GpuProgram shuffledSoftmax() {
  const Buffer in = makeBuffer("in", {8, 64}), out = makeBuffer("out", {8, 64});
  const Buffer part = makeBuffer("part", {1}), other = makeBuffer("other", {1}),
               most = makeBuffer("most", {1});
  const Var block = index("blockIdx.x"), thread = index("threadIdx.x");
  const std::vector<Expr> one{lit(0)};
  const auto at = [&](std::int64_t half) {
    return std::vector<Expr>{Expr(block), Expr(thread) + lit(32 * half)};
  };
  std::vector<Stmt> steps;
  const auto allReduce = [&](ExprKind combine, const Buffer& result) {
    for (const int lane : {16, 8, 4, 2, 1}) {
      steps.push_back(makeShuffle(other, one, load(part, one),
                                  {ShuffleLanes::Kind::Down, lane, 32, 0xffff'ffff}));
      steps.push_back(makeStore(part, one, binary(combine, load(part, one), load(other, one))));
    }
    steps.push_back(
        makeShuffle(result, one, load(part, one), {ShuffleLanes::Kind::From, 0, 32, 0xffff'ffff}));
  };
  steps.push_back(makeStore(part, one, max(load(in, at(0)), load(in, at(1)))));
  allReduce(ExprKind::Max, most);
  const auto power = [&](std::int64_t half) {
    return call(Intrinsic::Exp, {load(in, at(half)) - load(most, one)});
  };
  steps.push_back(makeStore(part, one, power(0) + power(1)));
  allReduce(ExprKind::Add, part);
  for (const std::int64_t half : {0, 1})
    steps.push_back(makeStore(out, at(half), power(half) / load(part, one)));
  Stmt body = makeSequence(steps);
  for (const Buffer& buffer : {part, other, most})
    body = makeAllocate(buffer, MemoryScope::Register, body);

  GpuProgram program;
  program.function.name = "softmax";
  program.function.parameters = {in, out};
  program.function.inputCount = 1;
  program.function.body = makeLaunch(launchOf("out", block, 8, thread, 32), body);
  program.inputs = {{"in", values(8 * 64, 3)}};
  std::vector<double>& result = program.outputs["out"];
  for (std::size_t row = 0; row < 8; ++row) {
    const double* x = &program.inputs["in"][row * 64];
    const double top = *std::max_element(x, x + 64);
    double total = 0;
    for (int k = 0; k < 64; ++k)
      total += std::exp(x[k] - top);
    for (int k = 0; k < 64; ++k)
      result.push_back(std::exp(x[k] - top) / total);
  }
  return program;
}

GpuProgram paddedStencil() {
  const Buffer in = makeBuffer("in", {100}), padded = makeBuffer("padded", {104}),
               out = makeBuffer("out", {100}), weights = makeBuffer("weights", {5});
  const Var block = index("blockIdx.x"), thread = index("threadIdx.x"), k = index("k");
  const Expr at = Expr(block) * lit(32) + Expr(thread);
  // The row goes on at its other end: floormod of a number that may be below zero.
  const Stmt pad =
      makeIf(at < lit(104), makeStore(padded, {at}, load(in, {floorMod(at - lit(2), lit(100))})));
  const Expr inside = at + Expr(k);
  const Expr term =
      ifThenElse(inside < lit(104), load(padded, {inside}), floatImm(0)) * load(weights, {Expr(k)});
  const Buffer sum = makeBuffer("sum", {});
  const Stmt add =
      makeSequence({makeStore(sum, {}, floatImm(0)),
                    loop(k, 5, ForKind::Serial, makeStore(sum, {}, load(sum, {}) + term)),
                    makeIf(at < lit(100), makeStore(out, {at}, load(sum, {})))});

  GpuProgram program;
  program.function.name = "stencil";
  program.function.parameters = {in, out};
  program.function.inputCount = 1;
  program.function.constants = {{weights, {0.5, -1, 2, 0.25, 3}}};
  program.function.body =
      makeAllocate(padded, MemoryScope::Global,
                   makeSequence({makeLaunch(launchOf("padded", block, 4, thread, 32), pad),
                                 makeLaunch(launchOf("out", block, 4, thread, 32),
                                            makeAllocate(sum, MemoryScope::Register, add))}));
  program.inputs = {{"in", values(100, 4)}};
  const std::vector<double>& x = program.inputs["in"];
  const double weight[] = {0.5, -1, 2, 0.25, 3};
  for (std::size_t i = 0; i < 100; ++i) {
    double total = 0;
    for (std::size_t j = 0; j < 5; ++j)
      total += x[(i + j + 98) % 100] * weight[j];
    program.outputs["out"].push_back(total);
  }
  return program;
}

GpuProgram mixedTypes() {
  const DataType unsigned16{DataType::Code::UInt, 16, 1};
  struct Typed {
    const char* name;
    DataType type;
  };
  const Typed types[] = {{"half", kFloat16}, {"brain", kBFloat16}, {"wide", kFloat64},
                         {"byte", kInt8},    {"ubyte", kUInt8},    {"word", unsigned16},
                         {"int", kInt32},    {"long", kInt64},     {"flag", kBool}};
  const Var thread = index("threadIdx.x");
  const Expr at = Expr(thread) * lit(8);
  const std::vector<Expr> eight{ramp(at, lit(1), 8)};
  GpuProgram program;
  program.function.name = "mixed";
  Launch launch;
  launch.kernel = "mixed";
  launch.threads[0] = {thread, 4};
  std::vector<Stmt> steps;
  std::vector<Buffer> outputs;
  for (const Typed& typed : types) {
    const Buffer in = makeBuffer(typed.name, {32}, typed.type);
    const Buffer out = makeBuffer(std::string(typed.name) + "_out", {32}, typed.type);
    program.function.parameters.push_back(in);
    outputs.push_back(out);
    std::vector<double>& given = program.inputs[typed.name] = values(32, 5);
    std::vector<double>& expected = program.outputs[out->name];
    if (!typed.type.isFloat() && typed.type.code != DataType::Code::Int)
      for (double& value : given)
        value = typed.type.isBool() ? (value > 0 ? 1 : 0) : value + 8;
    if (typed.type.isFloat() && typed.type.bits == 16) {
      // Eight neighbours at once: relu(2 x + 1).
      const Expr x = loadAt(in, eight);
      const DataType type = typed.type;
      steps.push_back(
          makeStore(out, eight,
                    max(x * broadcast(floatImm(2, type), 8) + broadcast(floatImm(1, type), 8),
                        broadcast(floatImm(0, type), 8))));
      for (const double value : given)
        expected.push_back(std::max(0.0, 2 * value + 1));
      continue;
    }
    const Var i = index("i");
    const std::vector<Expr> place{at + Expr(i)};
    const Expr x = load(in, place);
    Expr y;
    if (typed.type.isBool()) {
      y = logicalNot(x);
      for (const double value : given)
        expected.push_back(value != 0 ? 0 : 1);
    } else if (typed.type.isFloat()) {
      y = call(Intrinsic::Abs, {x}) / floatImm(4, typed.type);
      for (const double value : given)
        expected.push_back(std::fabs(value) / 4);
    } else { // through float, with a division that rounds down
      y = cast(typed.type, cast(kFloat32, floorDiv(x, intImm(3, typed.type))) * floatImm(2.75));
      for (const double value : given)
        expected.push_back(std::trunc(std::floor(value / 3) * 2.75));
      if (typed.type.code == DataType::Code::UInt) y = min(y, intImm(255, typed.type));
    }
    steps.push_back(loop(i, 8, ForKind::Serial, makeStore(out, place, y)));
  }
  program.function.inputCount = static_cast<int>(program.function.parameters.size());
  for (const Buffer& out : outputs)
    program.function.parameters.push_back(out);
  program.function.body = makeLaunch(launch, makeSequence(steps));
  return program;
}

} // namespace nestwright::test
