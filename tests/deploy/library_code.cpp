/// The generated C code around the kernels, compiled alone: it refuses processors that lack
/// something, whatever they lack, before a kernel runs.

#include "core/deploy/library_text.h"
#include "core/deploy/write_library.h"
#include "core/plugin/plugin.h"
#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::library_code_test {

using namespace deploy_test;
using test::messageOf;
using test::says;

/// CPUID as the test tells it: all features but the one that LACKS names.
const QByteArray kFakeCpuid = R"(
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
)";

const QByteArray kAsk = R"(
#include "mm.h"
#include <stdio.h>
int main(void) {
  const int code = mm_check();
  printf("%d %s\n", code, mm_error());
  return mm(0, 0, 0, 0) == (code ? code : mm_ERROR_ARGUMENT) ? 0 : 1;
}
)";

class LibraryCode : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    tools_ = findCTools();
    QVERIFY2(missingTools(tools_).empty(), missingTools(tools_).c_str());
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
    write(file("glue.c"), QByteArray::fromStdString(glueText(library_, 0)));
    const std::vector<std::uint8_t>& object = library_.kernels.front().object;
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
    QVERIFY2(told.output.startsWith("0 "), told.output);
    QVERIFY(!library_.features.empty());
    for (const CpuFeature& feature : library_.features) {
      qputenv("LACKS",
              QByteArray::fromStdString(fmt::format("{} {} {} {}", feature.leaf, feature.subleaf,
                                                    feature.word, feature.bit)));
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

  /// As PackedLayout::pack() does, also where sizes do not divide.
  void inputsArePackedAsTheLayoutSays() {
    Library library = library_;
    LibraryTensor& tensor = library.inputs[1];
    tensor.shape = {10, 12};
    tensor.layout =
        PackedLayout{{10, 12}, {"k", "n"}, {{1, 2, 8}, {0, 4, 3}, {1, 4, 2}, {0, 3, 1}, {1, 2, 1}}};
    validate(*tensor.layout);
    std::vector<float> given(120), packed(static_cast<std::size_t>(tensor.elements()), -1.0F);
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] = static_cast<float>(i + 1);
    QVERIFY(packed.size() > given.size());
    tensor.layout->pack(given.data(), packed.data(), sizeof(float));
    QVERIFY(QDir(folder_.path()).mkpath("packed"));
    write(file("packed/mm.h"), QByteArray::fromStdString(headerText(library)));
    write(file("packed/glue.c"), QByteArray::fromStdString(glueText(library, 0)));
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

  QTemporaryDir folder_;
  CTools tools_;
  Library library_;
};

NW_TEST_GUILESS(LibraryCode)

} // namespace nestwright::library_code_test

#include "library_code.moc"
