/// A record's program as a file, by `show --emit`: others compile it and get the answers.

#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::emitted_records_test {

using namespace deploy_test;

/// Calls the kernel on made-up values and compares with the sums as they are defined.
const char* const kMain = R"(#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%1
enum { M = 48, N = 64, K = 40 };
static float a[M * K] __attribute__((aligned(64))), b[K * N] __attribute__((aligned(64))),
    c[M * N] __attribute__((aligned(64)));
int main(void) {
  for (int i = 0; i < M * K; ++i) a[i] = (float)(i % 7) - 3;
  for (int i = 0; i < K * N; ++i) b[i] = (float)(i % 5) - 2;
  memset(c, 0xff, sizeof c);
  void *workspace = aligned_alloc(64, 1 << 24);
  void *buffers[] = {a, b, c};
  (void)workspace, (void)buffers;
  %2;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
      if (c[i * N + j] != sum) return printf("c[%d, %d] is %g, not %g\n", i, j, c[i * N + j], sum), 1;
    }
  return puts("right"), 0;
}
)";

class EmittedRecords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const ProgramResult tuned = run({"tune", "matmul:m=48,n=64,k=40,const_b=0", "--trials", "4",
                                     "--repeats", "1", "--seed", "1", "--db", database()});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const ProgramResult records =
        run({"query", "--db", database(), "--order", "fastest", "--limit", "1", "--json"});
    QVERIFY2(records.exitCode == 0, records.errors);
    id_ = QString::number(records.json().at("records").at(0).at("id").get<int>());
    const QByteArray text = emitted("c").output;
    const qsizetype begin = text.indexOf("\nvoid ") + 6;
    name_ = QString::fromUtf8(text.mid(begin, text.indexOf('(', begin) - begin));
    // What it takes beside the arrays depends on the program.
    call_ = name_ + "(a, b, c";
    if (text.mid(begin).contains(", void *workspace")) call_ += ", workspace";
    call_ += text.mid(begin).contains(", int threads) {") ? ", 2)" : ")";
  }

  void sourceGivesTheAnswers() {
    const ProgramResult written = emitted("c", {"-o", path("k.c")});
    QVERIFY2(written.exitCode == 0, written.errors);
    QVERIFY2(written.output.contains("cc -std=gnu11"), written.output);
    const QByteArray text = contents(path("k.c"));
    QCOMPARE(text, emitted("c").output);
    QVERIFY(text.startsWith("/* "));
    for (const char* part : {"record ", "float32[48, 40]", "any terms", "Nestwright "})
      QVERIFY2(text.contains(part), part);
    // In one file with who calls it.
    QVERIFY(write(path("main.c"), QString(kMain).arg("#include \"k.c\"", call_).toUtf8()));
    for (const char* openmp : {"-fopenmp", "-fno-openmp"}) {
      builds(
          {"gcc", "-std=gnu11", "-O2", "-Wall", "-Werror", openmp, "main.c", "-o", "main", "-lm"});
      answers();
    }
  }

  void objectAndTextsAreTheKernel() {
    const ProgramResult written = emitted("o", {"-o", path("k.o")});
    QVERIFY2(written.exitCode == 0, written.errors);
    QVERIFY2(written.output.contains("void **buffers, void *workspace, int32_t threads"),
             written.output);
    const QString declaration =
        QString("void %1(void **buffers, void *workspace, int32_t threads);").arg(name_);
    QVERIFY(write(path("main.c"),
                  QString(kMain).arg(declaration, name_ + "(buffers, workspace, 2)").toUtf8()));
    builds({"gcc", "-O1", "main.c", "k.o", "-o", "main", "-lgomp", "-lm"});
    answers();

    QVERIFY(write(path("k.s"), emitted("s").output));
    builds({"gcc", "-O1", "main.c", "k.s", "-o", "main", "-lgomp", "-lm"});
    answers();

    const QByteArray ir = emitted("ll").output;
    QVERIFY(ir.startsWith("; ") && ir.contains("define void @" + name_.toUtf8()));
    if (QStandardPaths::findExecutable("clang-19").isEmpty())
      QSKIP("clang-19 is not there to compile LLVM IR with");
    QVERIFY(write(path("k.ll"), ir));
    builds({"clang-19", "-O1", "-Wno-override-module", "main.c", "k.ll", "-o", "main",
            "-l:libgomp.so.1", "-lm"});
    answers();
  }

  void whatCannotBeIsRefused() {
    refuses(emitted("o"), 2, "add -o FILE.o");
    refuses(emitted("cu"), 1, "is of a processor");
    refuses(emitted("fortran"), 2, "--emit");
    refuses(run({"show", "4711", "--db", database(), "--emit", "c"}), 1, "has no record 4711");
    refuses(run({"show", id_, "--db", database(), "-o", path("x.c")}), 2, "--emit");
    refuses(emitted("c", {"--json"}), 2, "--json");
  }

  /// Tuned by a driver that is made up; the text needs neither driver nor compiler.
  void aGpusRecordIsCudaC() {
    const QString records = path("gpu.nwdb");
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("NESTWRIGHT_NVRTC", NESTWRIGHT_MADE_UP_NVRTC);
    const ProgramResult tuned = run({"tune", "matmul:m=64,n=64,k=64", "--target", "cuda",
                                     "--trials", "1", "--repeats", "1", "--db", records});
    qunsetenv("NESTWRIGHT_CUDA_DRIVER");
    qunsetenv("NESTWRIGHT_NVRTC");
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const QStringList show{"show", "1", "--db", records, "--emit"};
    const ProgramResult text = run(show + QStringList{"cu"});
    QVERIFY2(text.exitCode == 0, text.errors);
    QVERIFY(text.output.contains(" threads\n") && text.output.contains("__global__"));
    for (const char* form : {"c", "ll", "s"})
      refuses(run(show + QStringList{form}), 1, "--emit cu");
  }

  void filesAreNotOverwritten() {
    QVERIFY(write(path("mine.c"), "mine"));
    refuses(emitted("c", {"-o", path("mine.c")}), 1, "mine.c");
    QCOMPARE(contents(path("mine.c")), QByteArray("mine"));
    const ProgramResult forced = emitted("c", {"-o", path("mine.c"), "--force"});
    QVERIFY2(forced.exitCode == 0, forced.errors);
    QVERIFY(contents(path("mine.c")).startsWith("/* "));
    refuses(emitted("c", {"-o", path("nowhere/k.c")}), 1, "nowhere");
  }

 private:
  QString database() const { return path("records.nwdb"); }
  QString path(const char* name) const { return folder_.filePath(name); }

  ProgramResult emitted(const char* form, const QStringList& more = {}) const {
    return run(QStringList{"show", id_, "--db", database(), "--emit", form} + more);
  }

  void builds(QStringList command) const {
    const QString compiler = command.takeFirst();
    const ProgramResult built = runIn(folder_.path(), compiler, command);
    QVERIFY2(built.exitCode == 0, built.errors);
  }

  void answers() const {
    const ProgramResult ran = runIn(folder_.path(), path("main"), {});
    QVERIFY2(ran.exitCode == 0 && ran.output == "right\n", ran.output);
  }

  static void refuses(const ProgramResult& result, int code, const QByteArray& words) {
    QVERIFY2(result.errors.contains(words), result.errors);
    QCOMPARE(result.exitCode, code);
  }

  QTemporaryDir folder_;
  QString id_, name_, call_;
};

NW_TEST_GUILESS(EmittedRecords)

} // namespace nestwright::emitted_records_test

#include "emitted_records.moc"
