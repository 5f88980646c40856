/// The generated C code around the kernels, compiled alone: it refuses processors that lack
/// something, whatever they lack, before a kernel runs.

#include "core/deploy/library_text.h"
#include "core/deploy/write_library.h"
#include "core/plugin/plugin.h"
#include "core/target/instruction_set.h"
#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace nestwright::library_code_test {

using namespace deploy_test;
using test::messageOf;
using test::says;

/// CPUID as the test tells it: all features but the one that LACKS names.
const QByteArray kFakeCpuid = R"(#define _GNU_SOURCE
#include <cpuid.h>
#include <stdlib.h>
static inline int fake_cpuid(unsigned leaf, unsigned subleaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
  unsigned lacks[4], *words[4] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) *words[i] = ~0u;
  const char *text = getenv("LACKS");
  if (!text) return 1;
  for (int i = 0; i < 4; ++i) lacks[i] = (unsigned)strtoul(text, (char **)&text, 0);
  if (leaf == lacks[0] && subleaf == lacks[1]) *words[lacks[2]] &= ~(1u << lacks[3]);
  return 1;
}
#define __get_cpuid_count(l, s, a, b, c, d) fake_cpuid(l, s, a, b, c, d)
/* 16 letters of the model's 48, as MODEL has them. */
static inline int fake_model(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
  char letters[49] = {0};
  const char *text = getenv("MODEL");
  for (int i = 0; text && text[i] && i < 48; ++i) letters[i] = text[i];
  unsigned *words[4] = {a, b, c, d};
  for (int i = 0; i < 4; ++i)
    __builtin_memcpy(words[i], letters + 16 * (leaf - 0x80000002) + 4 * i, 4);
  return 1;
}
#define __get_cpuid(l, a, b, c, d) fake_model(l, a, b, c, d)
)";

const QByteArray kAsk = R"(
#include "mm.h"
#include <stdio.h>
int main(void) {
  const int code = mm_check();
  printf("%d %s%s\n", code, code ? mm_error() : "", mm_processor());
  return mm(0, 0, 0, 0) == (code ? code : mm_ERROR_ARGUMENT) ? 0 : 1;
}
)";

const QByteArray kAskFit = R"(
#include "mm.h"
#include <stdio.h>
int main(void) {
  mm_fit fit = {-1, -1, -1};
  const int code = mm_tuned(&fit);
  printf("%d: %d %d %d", code, fit.here, fit.compatible, fit.never);
  return mm_tuned(0) == (code ? code : mm_ERROR_ARGUMENT) ? 0 : 1;
}
)";

/// Kernels of two variants: each gives a constant as it was told to read it, behind the input. Says
/// on standard error for how many bytes huge pages were asked for, from where they can be had.
const QByteArray kTwoKernels = R"(
#include "mm.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static size_t huge;
int madvise(void *begin, size_t bytes, int advice) {
  if (advice == MADV_HUGEPAGE && (uintptr_t)begin % (2 << 20) == 0) huge += bytes;
  return 0;
}
void wide(void *const *buffers, void *workspace, int32_t threads) {
  (void)workspace, (void)threads;
  memcpy(buffers[2], buffers[1], 32);
  memcpy((float *)buffers[2] + 8, buffers[0], 8);
}
void plain(void *const *buffers, void *workspace, int32_t threads) {
  (void)workspace, (void)threads;
  memcpy(buffers[0], buffers[1], 24);
  memcpy((float *)buffers[0] + 8, buffers[2], 8);
}
int main(void) {
  const mm_options options = {.weights = "mm.weights"};
  const float x[2] = {7, 9};
  float y[10] = {0};
  mm_instance *instance;
  if (mm_open(&instance, &options)) return fprintf(stderr, "%s\n", mm_error()), 1;
  if (mm_run(instance, x, y)) return fprintf(stderr, "%s\n", mm_error()), 2;
  mm_close(instance);
  for (int i = 0; i < 10; ++i) printf("%g ", y[i]);
  fprintf(stderr, "%zu", huge);
  return 0;
}
)";

class LibraryCode : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    tools_ = requiredCTools();
    const NetworkPlace place = openPlace(backend("llvm"), 0);
    DeployOptions options;
    options.name = "mm";
    options.threading = Threading::Serial;
    options.allowNaive = true;
    library_ = compileLibrary(
        planDeployment("matmul:m=16,n=16,k=16", nullptr, place.target, options), place);
    write(file("fake.h"), kFakeCpuid);
    write(file("ask.c"), kAsk);
    write(file("mm.h"), QByteArray::fromStdString(headerText(library_)));
    write(file("glue.c"), QByteArray::fromStdString(glueText(library_, {})));
    const std::vector<std::uint8_t>& object = library_.variants.front().kernels.front().object;
    write(file("kernel.o"), QByteArray(reinterpret_cast<const char*>(object.data()),
                                       static_cast<qsizetype>(object.size())));
    const ProgramResult built =
        runIn(folder_.path(), QString::fromStdString(tools_.compiler),
              {"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-include", "fake.h", "glue.c", "ask.c",
               "kernel.o", "-lm", "-o", "ask"});
    QVERIFY2(built.exitCode == 0, built.errors);
  }

  void eachMissingFeatureIsNamed() {
    qunsetenv("LACKS");
    ProgramResult told = runIn(folder_.path(), file("ask"), {});
    QCOMPARE(told.exitCode, 0);
    QCOMPARE(told.output, QByteArray("0 native\n"));
    QVERIFY(!library_.variants.front().features.empty());
    for (const CpuFeature& feature : library_.variants.front().features) {
      qputenv("LACKS", placeOf(feature));
      told = runIn(folder_.path(), file("ask"), {});
      QCOMPARE(told.exitCode, 0);
      QVERIFY2(told.output.startsWith("1 this processor lacks " + QByteArray(feature.name) + ","),
               told.output);
    }
    // Without the operating system's support of the registers.
    qputenv("LACKS", "1 0 2 27");
    told = runIn(folder_.path(), file("ask"), {});
    QVERIFY2(told.output.startsWith("1 this processor lacks "), told.output);
    qunsetenv("LACKS");
  }

  void itTellsHowWellItFits() {
    Library library = library_;
    DeployedVariant& variant = library.deployment.variants.front();
    const DeployedTask untuned = variant.tasks.front();
    // A model may have any letters; those of the longest end with the last of the 48.
    const QByteArray odd = "A \\ \"made-up\" CPU?? of 1 GHz, \xc3\xa4", longest(48, 'x');
    for (const auto& [model, tuned] :
         {std::pair(odd, 0), std::pair(odd, 3), std::pair(longest, 3)}) {
      variant.target.modelName = model.toStdString();
      variant.tasks.assign(5, untuned);
      for (int i = 0; i < tuned; ++i)
        variant.tasks[std::size_t(i)].origin = TuningOrigin::Here;
      variant.tasks.back().tunable = false; // it only moves elements
      const QString folder = QStringLiteral("fit%1%2").arg(tuned).arg(model.size());
      QDir(folder_.path()).mkpath(folder);
      write(file(folder + "/ask.c"), kAskFit);
      if (const QByteArray problem = build(folder, library, "ask.c", "ask"); !problem.isEmpty())
        QFAIL(problem);
      const auto answer = [&](const QByteArray& here) {
        qputenv("MODEL", here);
        const ProgramResult told = runIn(file(folder), file(folder + "/ask"), {});
        return told.exitCode == 0 ? told.output : "exit code " + QByteArray::number(told.exitCode);
      };
      const QByteArray number = QByteArray::number(tuned), rest = QByteArray::number(4 - tuned);
      QCOMPARE(answer(model), "0: " + number + " 0 " + rest);
      QCOMPARE(answer("another"), "0: 0 " + number + ' ' + rest);
      if (model.size() < 46) QCOMPARE(answer("  " + model + ' '), "0: " + number + " 0 " + rest);
    }
    qunsetenv("MODEL");
    qputenv("LACKS", "1 0 2 27");
    QCOMPARE(runIn(file("fit348"), file("fit333/ask"), {}).output, QByteArray());
    qunsetenv("LACKS");
  }

  /// Of a library for several: whatever of the larger processor's is not there, the smaller one's
  /// code is taken, or none.
  void theBestThatFitsIsTaken() {
    const Library both = compileFor({InstructionSet::Sse42, InstructionSet::Avx2}, "both");
    if (const QByteArray problem = build("both", both, "../ask.c", "ask"); !problem.isEmpty())
      QFAIL(problem);
    const auto answer = [&] { return runIn(file("both"), file("both/ask"), {}).output; };
    QCOMPARE(answer(), QByteArray("0 x86-64-v3\n"));
    const std::vector<CpuFeature>& least = both.variants.back().features;
    for (const CpuFeature& feature : both.variants.front().features) {
      qputenv("LACKS", placeOf(feature));
      const bool needed = std::ranges::any_of(
          least, [&](const CpuFeature& one) { return std::strcmp(one.name, feature.name) == 0; });
      if (needed)
        QVERIFY2(answer().startsWith("1 this processor lacks " + QByteArray(feature.name) +
                                     ", which the code of mm needs; it is for x86-64-v3, "
                                     "x86-64-v2\n"),
                 answer());
      else
        QCOMPARE(answer(), QByteArray("0 x86-64-v2\n"));
    }
    qunsetenv("LACKS");
    for (const auto& [level, words] :
         {std::pair("x86-64-v4", "0 x86-64-v3\n"), std::pair("x86-64-v3", "0 x86-64-v3\n"),
          std::pair("x86-64-v2", "0 x86-64-v2\n"),
          std::pair("x86-64", "1 this processor lacks pni, "),
          std::pair("i386", "1 mm_CPU is i386, which is no level")}) {
      qputenv("mm_CPU", level);
      QVERIFY2(answer().startsWith(words), answer());
    }
    qunsetenv("mm_CPU");
  }

  /// One variant wants an input packed, the other as it is; memory is enough for both.
  void inputsArePackedForTheVariantThatRuns() {
    Library both = compileFor({InstructionSet::Sse42, InstructionSet::Avx2}, "differ");
    LibraryTensor& tensor = both.inputs[1];
    tensor.shape = {2, 3};
    tensor.layouts = {PackedLayout{{2, 3}, {"k", "n"}, {{1, 2, 2}, {0, 2, 1}, {1, 2, 1}}},
                      std::nullopt};
    validate(*tensor.layouts.front());
    QCOMPARE(tensor.elements(), 8);
    write(file("differ/pack.c"), "#include \"mm.h\"\n#include <stdio.h>\nint main(void) {\n"
                                 "  const float given[6] = {1, 2, 3, 4, 5, 6};\n"
                                 "  float packed[mm_B_PACKED_BYTES / 4] = {0};\n"
                                 "  const int code = mm_pack_B(given, packed);\n"
                                 "  for (int i = 0; i < 8; ++i) printf(\"%g \", packed[i]);\n"
                                 "  return code;\n}\n");
    if (const QByteArray problem = build("differ", both, "pack.c", "pack"); !problem.isEmpty())
      QFAIL(problem);
    for (const auto& [level, code, words] : {std::tuple("x86-64-v3", 0, "1 2 4 5 3 0 6 0 "),
                                             std::tuple("x86-64-v2", 0, "1 2 3 4 5 6 0 0 "),
                                             std::tuple("x86-64", 1, "0 0 0 0 0 0 0 0 ")}) {
      qputenv("mm_CPU", level);
      const ProgramResult told = runIn(file("differ"), file("differ/pack"), {});
      QCOMPARE(told.output, QByteArray(words));
      QCOMPARE(told.exitCode, code);
    }
    qunsetenv("mm_CPU");
  }

  /// Variants place their tensors differently, and read a constant in different orders.
  void networksRunAsTheirVariantSays() {
    buildNetwork("network", 64);
    for (const auto& [level, words] : {std::pair("x86-64-v3", "1 2 4 5 3 0 6 0 7 9 "),
                                       std::pair("x86-64-v2", "1 2 3 4 5 6 0 0 7 9 ")}) {
      qputenv("mm_CPU", level);
      const ProgramResult ran = runIn(file("network"), file("network/run"), {});
      QVERIFY2(ran.exitCode == 0, ran.errors);
      QCOMPARE(ran.output, QByteArray(words));
    }
    qunsetenv("mm_CPU");
  }

  /// Whole ones alone: what is left at the end is little.
  void largeMemoryAsksForHugePages() {
    constexpr std::int64_t kMega = 1 << 20;
    for (const auto& [folder, bytes, huge] :
         {std::tuple("small", 1 * kMega, "0"), std::tuple("large", 5 * kMega, "4194304")}) {
      buildNetwork(folder, bytes);
      const ProgramResult ran = runIn(file(folder), file(QString(folder) + "/run"), {});
      QCOMPARE(ran.exitCode, 0);
      QCOMPARE(ran.errors, QByteArray(huge));
    }
  }

  /// As PackedLayout::pack() does, also where sizes do not divide.
  void inputsArePackedAsTheLayoutSays() {
    Library library = library_;
    LibraryTensor& tensor = library.inputs[1];
    tensor.shape = {10, 12};
    const PackedLayout layout{
        {10, 12}, {"k", "n"}, {{1, 2, 8}, {0, 4, 3}, {1, 4, 2}, {0, 3, 1}, {1, 2, 1}}};
    validate(layout);
    tensor.layouts = {layout};
    std::vector<float> given(120), packed(static_cast<std::size_t>(tensor.elements()), -1.0F);
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] = static_cast<float>(i + 1);
    QVERIFY(packed.size() > given.size());
    layout.pack(given.data(), packed.data(), sizeof(float));
    QVERIFY(QDir(folder_.path()).mkpath("packed"));
    write(file("packed/mm.h"), QByteArray::fromStdString(headerText(library)));
    write(file("packed/glue.c"), QByteArray::fromStdString(glueText(library, {})));
    write(file("packed/pack.c"),
          "#include \"mm.h\"\n#include <stdio.h>\nint main(void) {\n"
          "  static float given[120], packed[mm_B_PACKED_BYTES / 4];\n"
          "  for (int i = 0; i < 120; ++i) given[i] = i + 1;\n"
          "  mm_pack_B(given, packed);\n"
          "  return fwrite(packed, 1, sizeof packed, stdout) != sizeof packed;\n}\n");
    const ProgramResult built = runIn(file("packed"), QString::fromStdString(tools_.compiler),
                                      {"-std=gnu11", "-Wall", "-Wextra", "-Werror", "glue.c",
                                       "pack.c", "../kernel.o", "-lm", "-o", "pack"});
    QVERIFY2(built.exitCode == 0, built.errors);
    QCOMPARE(runIn(file("packed"), file("packed/pack"), {}).output,
             QByteArray(reinterpret_cast<const char*>(packed.data()),
                        static_cast<qsizetype>(packed.size() * sizeof(float))));
    QVERIFY(exportsText(library).find("mm_pack_B;") != std::string::npos);
  }

  /// C11 without extensions, and C++.
  void theHeaderIsPlain() {
    write(file("plain.c"), "#include \"mm.h\"\nint main(void) { return mm_OK; }\n");
    write(file("plain.cpp"), "#include \"mm.h\"\nint main() { return mm_OK; }\n");
    for (const QStringList& language : {QStringList{"-std=c11", "plain.c"},
                                        QStringList{"-x", "c++", "-std=c++11", "plain.cpp"}}) {
      const ProgramResult built = runIn(
          folder_.path(), QString::fromStdString(tools_.compiler),
          QStringList{"-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"} + language);
      QVERIFY2(built.exitCode == 0, built.errors);
    }
  }

  /// What cannot be compiled is told with the compiler's words, and the folder has no library.
  void theCompilersWordsAreTold() {
    QTemporaryDir out;
    CTools broken = tools_;
    broken.compiler = "/bin/false";
    QVERIFY(says(messageOf([&] { writeLibrary(library_, broken, out.path().toStdString()); }),
                 "could not compile"));
    broken.compiler.clear();
    QVERIFY(says(messageOf([&] { writeLibrary(library_, broken, out.path().toStdString()); }),
                 "apt-get install gcc"));
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }

  static QByteArray placeOf(const CpuFeature& feature) {
    return QByteArray::fromStdString(
        fmt::format("{} {} {} {}", feature.leaf, feature.subleaf, feature.word, feature.bit));
  }

  /// With its objects and texts in a folder. The machine need not be one that can run it.
  Library compileFor(std::vector<InstructionSet> sets, const QString& folder) const {
    NetworkPlace place = openPlace(backend("llvm"), 0);
    place.target.features = featuresOf(InstructionSet::Avx512);
    DeployOptions options;
    options.name = "mm";
    options.threading = Threading::Serial;
    options.allowNaive = true;
    options.instructionSets = std::move(sets);
    Library library = compileLibrary(
        planDeployment("matmul:m=16,n=16,k=16", nullptr, place.target, options), place);
    QDir(folder_.path()).mkpath(folder);
    return library;
  }

  /// A program of a network with two variants, and with an arena of so many bytes.
  void buildNetwork(const QString& folder, std::int64_t arenaBytes) const {
    Library both;
    both.deployment.options.name = "mm";
    both.deployment.options.threading = Threading::Serial;
    both.deployment.options.instructionSets = {InstructionSet::Avx2, InstructionSet::Sse42};
    both.deployment.isNetwork = true;
    Network& network = both.deployment.partition.network;
    network.tensors = {
        {"x", {2}, kFloat32, {}, false},
        {"w", {2, 3}, kFloat32, Constant::of({{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}}), true},
        {"y", {10}, kFloat32, {}, false}};
    both.inputs = {{"x", "x", {2}}};
    both.outputs = {{"y", "y", {10}}};
    using Place = PlannedBuffer::Place;
    const PlannedBuffer input{Place::Input, 0, 8, 0, {}}, output{Place::Arena, 2, 40, 0, {}};
    const PackedLayout layout{{2, 3}, {"k", "n"}, {{1, 2, 2}, {0, 2, 1}, {1, 2, 1}}};
    for (const InstructionSet set : both.deployment.options.instructionSets) {
      const bool wide = set == InstructionSet::Avx2;
      DeployedVariant& deployed = both.deployment.variants.emplace_back();
      deployed.target.instructionSet = set;
      deployed.target.features = featuresOf(set);
      LibraryVariant& variant = both.variants.emplace_back();
      variant.features = neededCpuFeatures(deployed.target);
      variant.kernels = {{wide ? "wide" : "plain", {}}};
      ExecutionPlan& plan = variant.plan;
      const PlannedBuffer other{Place::Constant, 1, 24, 0, {}};
      if (wide)
        plan.buffers = {input, {Place::Constant, 1, 32, 0, layout}, output};
      else
        plan.buffers = {output, other, input};
      plan.steps = {{0, 0, {0, 1, 2}}};
      plan.inputs = {wide ? 0 : 2};
      plan.outputs = {wide ? 2 : 0};
      plan.arenaBytes = arenaBytes;
      plan.constantBytes = plan.buffers[1].bytes;
    }
    QVERIFY(QDir(folder_.path()).mkpath(folder));
    write(file(folder + "/mm.h"), QByteArray::fromStdString(headerText(both)));
    const WeightsSums sums = writeWeights(both, file(folder + "/mm.weights").toStdString());
    write(file(folder + "/glue.c"), QByteArray::fromStdString(glueText(both, sums)));
    write(file(folder + "/run.c"), kTwoKernels);
    const ProgramResult built = runIn(file(folder), QString::fromStdString(tools_.compiler),
                                      {"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I.",
                                       "-include", "../fake.h", "glue.c", "run.c", "-o", "run"});
    QVERIFY2(built.exitCode == 0, built.errors);
  }

  /// What the compiler said against it.
  QByteArray build(const QString& folder, const Library& library, const QString& source,
                   const QString& program) const {
    write(file(folder + "/mm.h"), QByteArray::fromStdString(headerText(library)));
    write(file(folder + "/glue.c"), QByteArray::fromStdString(glueText(library, {})));
    QStringList arguments = {"-std=gnu11", "-Wall",     "-Wextra", "-Werror", "-I.",
                             "-include",   "../fake.h", "glue.c",  source};
    for (const LibraryVariant& variant : library.variants) {
      const LibraryKernel& kernel = variant.kernels.front();
      arguments << QString::fromStdString(kernel.symbol) + ".o";
      write(file(folder + '/' + arguments.back()),
            QByteArray(reinterpret_cast<const char*>(kernel.object.data()),
                       static_cast<qsizetype>(kernel.object.size())));
    }
    const ProgramResult built = runIn(file(folder), QString::fromStdString(tools_.compiler),
                                      arguments << "-lm"
                                                << "-o" << program);
    return built.exitCode == 0 ? QByteArray() : built.errors;
  }

  QTemporaryDir folder_;
  CTools tools_;
  Library library_;
};

NW_TEST_GUILESS(LibraryCode)

} // namespace nestwright::library_code_test

#include "library_code.moc"
