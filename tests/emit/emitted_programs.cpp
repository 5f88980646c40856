/// Random programs of every operator workload, written as C and compiled by GCC and by Clang, give
/// what the naive program gives. NESTWRIGHT_RANDOM_PROGRAMS asks for more of each,
/// NESTWRIGHT_RANDOM_SEED repeats a failure.

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/space/annotation.h"
#include "core/support/random.h"
#include "core/tensor/half.h"
#include "core/tensor/text.h"
#include "tests/emit/compiled_source.h"
#include "tests/plugins/kernel_values.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::emitted_programs_test {

using test::AlignedBytes, test::CompiledSources, test::randomPrograms, test::randomSeed,
    test::RunnableKernel, test::RunnableSource;

/// Small, and odd where an operator allows it: remainders and guards are where programs break.
const char* const kWorkloads[] = {
    "matmul:m=33,n=35,k=27,bias=1,relu=1",
    "batch_matmul:b=3,m=17,n=21,k=33,nt=1",
    "conv1d:l=30,ci=6,co=10,k=3,s=2,p=1,bias=1,relu=1",
    "conv2d:n=1,h=9,w=11,ci=3,co=7,k=3,s=1,p=1",
    "conv2d:n=2,h=8,w=8,ci=8,co=16,k=3,s=2,p=1,bias=1,relu=1",
    "conv3d:n=1,d=4,h=6,w=5,ci=3,co=6,k=3,s=1,p=1,relu=1",
    "depthwise_conv2d:n=1,h=10,w=10,c=12,k=3,s=1,p=1,bias=1,relu=1",
    "grouped_conv2d:n=1,h=8,w=8,ci=8,co=12,k=3,s=1,p=1,g=4,bias=1",
    "dilated_conv2d:n=1,h=10,w=10,ci=6,co=8,k=3,s=1,p=2,dil=2,relu=1",
    "transposed_conv2d:n=1,h=5,w=5,ci=6,co=8,k=4,s=2,p=1,bias=1",
    "matmul:m=17,n=36,k=27,bias=1,relu=1,bf16=1",
    "conv2d:n=1,h=6,w=8,ci=5,co=8,k=3,s=1,p=1,bias=1,relu=1,fp16=1",
    // Products that are written for an instruction, where this processor has it.
    "matmul:m=17,n=36,k=28,relu=1,bf16=1",
    "matmul:m=17,n=36,k=28,relu=1,int8=1",
    "batch_matmul:b=2,m=17,n=32,k=32,int8=1",
    "softmax:m=13,n=37",
    "norm:m=24,n=30",
    // Sides of choices, gathers, quotients of what may be negative, constants, functions.
    "A = PLACEHOLDER [9, 24]\nW = CONSTANT [4] {1, 0.5, -0.25, 3}\n"
    "B(i=9, j=24) = select((i > j), (A[i, (23 - j)]*W[floormod((i - j), 4)]), -inff)\n"
    "C(i=9, j=24) = max(B[i, j], (tanh(A[i, j]) + float32(floordiv((i - j), 3))))\n"
    "D(i) max= C[i, k]\n"
    "E(i=9, j=24) = (abs(D[i]) + rsqrt((A[i, j]*A[i, j]) + 1f))\n",
    "A = PLACEHOLDER [12, 40] float64\n"
    "B(i=12, j=40) = (sqrt(abs(A[i, j])) + sigmoid(A[i, j]))\n"
    "C(i) += B[i, k]\nD(i=12, j=40) = float32(max(C[i], B[i, j]))\n",
};

ComputeDag dagOf(const std::string& text) {
  return isTaskSpec(text) ? parseTaskSpec(text).dag : parseDag(text);
}

/// An element of any type that occurs here.
double valueAt(const AlignedBytes& bytes, std::size_t i, DataType type) {
  if (type == kFloat16) return fromFloat16(bytes.as<std::uint16_t>()[i]);
  if (type == kBFloat16) return fromBFloat16(bytes.as<std::uint16_t>()[i]);
  if (type == kInt32) return bytes.as<std::int32_t>()[i];
  return type == kFloat64 ? bytes.as<double>()[i] : bytes.as<float>()[i];
}

AlignedBytes inputOf(const BufferNode& buffer, Random& random) {
  AlignedBytes bytes(buffer.bytes());
  for (std::int64_t i = 0; i < buffer.elements(); ++i) {
    const auto value = static_cast<float>(random.unit() * 2 - 1);
    if (buffer.type.isHalf())
      bytes.as<std::uint16_t>()[i] = halfBits(value, buffer.type);
    else if (buffer.type == kFloat64)
      bytes.as<double>()[i] = static_cast<double>(value);
    else if (buffer.type == kInt8)
      bytes.as<std::int8_t>()[i] = static_cast<std::int8_t>(127 * value);
    else if (buffer.type == kUInt8)
      bytes.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(127 + 127 * value);
    else
      bytes.as<float>()[i] = value;
  }
  return bytes;
}

std::vector<double> valuesOf(const AlignedBytes& bytes, const BufferNode& buffer) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < buffer.elements(); ++i)
    values.push_back(valueAt(bytes, static_cast<std::size_t>(i), buffer.type));
  return values;
}

struct Program {
  LoopFunction function;
  std::string loops; // for who reads a failure
};

/// In turns as it is tuned, without what we do on our own, and with operands packed; vectors of
/// every width.
std::vector<Program> programsOf(const ComputeDag& dag, const std::string& text, int number) {
  SpaceOptions options;
  options.target = backend("llvm").target(2);
  options.target.l2Bytes = 2 << 10; // so small that these operands are packed into panels
  const std::vector<Sketch> sketches = generateSketches(dag, options, sketchRules(kDefaultRules));
  const auto wanted = static_cast<std::size_t>(randomPrograms(2));
  std::vector<Program> programs;
  for (std::uint64_t i = 0; programs.size() < wanted && i < 8 * wanted; ++i) {
    Random random = Random::stream(randomSeed(20261126), text, i);
    const SampledProgram sampled = sampleProgram(sketches, options, random);
    if (!sampled.state || illegalReason(*sampled.state, options)) continue;
    TargetFacts target = options.target;
    constexpr Lowering kLowerings[] = {Lowering::Full, Lowering::Plain, Lowering::Full,
                                       Lowering::PlainPacked};
    target.lowering = kLowerings[(2 * static_cast<std::size_t>(number) + programs.size()) % 4];
    target.vectorBytes = 64 >> (i % 3);
    LowerOptions lowering = lowerOptionsFor(target);
    if (i % 4 < 3) lowering.minParallelWork = 0; // these operators are small
    programs.push_back({lower(*sampled.state, lowering), printLoopNest(*sampled.state)});
  }
  return programs;
}

class EmittedPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithNaiveProgram_data() {
    QTest::addColumn<QString>("text");
    int written = 0;
    for (const char* text : kWorkloads)
      (isTaskSpec(text) ? QTest::newRow(text) : QTest::addRow("written out %d", ++written))
          << QString(text);
  }

  void agreeWithNaiveProgram() {
    QFETCH(QString, text);
    const ComputeDag dag = dagOf(text.toStdString());
    Random random = Random::stream(randomSeed(20261126), "inputs", 0);
    std::vector<AlignedBytes> inputs;
    for (const Op& op : dag.inputs())
      inputs.push_back(inputOf(*op->output, random));
    const RunnableKernel naive(lowerNaive(dag), 1, test::compiledAs(false));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      std::memcpy(naive.buffer<char>(i), inputs[i].data(), inputs[i].size());
    naive.run();

    const std::vector<Program> programs = programsOf(dag, text.toStdString(), row_++);
    QVERIFY(!programs.empty());
    std::vector<CSource> sources;
    std::vector<std::string> files;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      CSourceOptions options;
      options.name = fmt::format("p{}", i);
      options.vectorBytes = i % 2 == 0 ? 64 : 32;
      sources.push_back(cSource(programs[i].function, options));
      files.push_back(test::withCaller(sources.back(), options.name));
      packed_ += sources.back().functions.find("_pack_") != std::string::npos;
      parallel_ += sources.back().takesThreads;
      vectors_ += sources.back().functions.find("LANES(") != std::string::npos;
    }
    for (const std::vector<std::string>& compiler : compilers()) {
      const CompiledSources compiled(compiler, files);
      const int threads = compiler.front() == "gcc" ? 2 : 1;
      for (std::size_t p = 0; p < programs.size(); ++p) {
        RunnableSource program(compiled, sources[p], fmt::format("p{}", p), programs[p].function);
        for (std::size_t i = 0; i < inputs.size(); ++i)
          program.setInput(i, inputs[i]);
        program.run(threads);
        for (std::size_t o = 0; o < dag.outputs().size(); ++o) {
          const BufferNode& output = *dag.outputs()[o]->output;
          AlignedBytes expected(output.bytes());
          std::memcpy(expected.data(), naive.buffer<char>(inputs.size() + o), expected.size());
          const QString problem =
              test::difference(valuesOf(program.buffer(inputs.size() + o), output),
                               valuesOf(expected, output), output.type, 2e-4);
          QVERIFY2(problem.isEmpty(),
                   qPrintable(QString("program %1 by %2: %3\n%4\n%5")
                                  .arg(p)
                                  .arg(QString::fromStdString(compiler.front()), problem,
                                       QString::fromStdString(programs[p].loops),
                                       QString::fromStdString(sources[p].functions))));
        }
        ++compared_;
      }
    }
  }

  void enoughWasCompared() {
    if (compilers().empty()) QSKIP("neither gcc nor clang is there to compile with");
    qInfo("%d runs compared; of the programs %d pack, %d are parallel, %d have vectors", compared_,
          packed_, parallel_, vectors_);
    QVERIFY(compared_ >= 40 && packed_ >= 5 && parallel_ >= 10 && vectors_ >= 20);
  }

 private:
  /// GCC's programs run on threads of OpenMP; Clang's without it.
  static std::vector<std::vector<std::string>> compilers() {
    std::vector<std::vector<std::string>> found;
    const std::vector<std::string> strict = {"-O2", "-std=gnu11", "-Wall", "-Werror", "-fwrapv"};
    const auto add = [&](const char* name, const std::vector<std::string>& more) {
      if (findProgram(name).empty()) {
        qInfo("without %s: it is not installed", name);
        return;
      }
      found.push_back({name});
      found.back().insert(found.back().end(), strict.begin(), strict.end());
      found.back().insert(found.back().end(), more.begin(), more.end());
    };
    add("gcc", {"-fopenmp"});
    add(findProgram("clang-19").empty() ? "clang" : "clang-19", {});
    return found;
  }

  int row_ = 0, compared_ = 0, packed_ = 0, parallel_ = 0, vectors_ = 0;
};

NW_TEST_APPLESS(EmittedPrograms)

} // namespace nestwright::emitted_programs_test

#include "emitted_programs.moc"
