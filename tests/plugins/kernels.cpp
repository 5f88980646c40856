/// \file Artifacts, loading, texts and errors of the backend, and the plugin loader.

#include "tests/plugins/kernel_runner.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

#include <thread>

namespace nestwright::kernels_test {

using test::messageOf;

/// out[i] = in[i] * factor, one multiplication a lane.
LoopFunction scaleBy(double factor) {
  const Buffer in = makeBuffer("in", {64}), out = makeBuffer("out", {64});
  const Expr lane = ramp(Expr(0), Expr(1), 64);
  LoopFunction function;
  function.name = "scale";
  function.parameters = {in, out};
  function.inputCount = 1;
  function.body = makeStore(out, {lane}, load(in, {lane}) * broadcast(floatImm(factor), 64));
  return function;
}

float firstElement(const Kernel& kernel) {
  const test::AlignedBytes in(256), out(256), workspace(64);
  std::fill_n(in.as<float>(), 64, 3.f);
  void* const buffers[] = {in.data(), out.data()};
  kernel.run(buffers, workspace.data(), 1);
  return out.as<float>()[0];
}

class Kernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void artifactDescribesTheKernel() {
    const KernelArtifact artifact = backend("llvm").compile(scaleBy(2));
    QCOMPARE(artifact.inputCount, 1);
    QCOMPARE(artifact.parameterBytes, (std::vector<std::int64_t>{256, 256}));
    QCOMPARE(artifact.workspaceBytes, 0);
    QVERIFY(!artifact.code.empty());
  }

  void sameFunctionSameBytes() {
    QCOMPARE(backend("llvm").compile(scaleBy(2)).code, backend("llvm").compile(scaleBy(2)).code);
  }

  /// Kernels of one name live side by side, and outlive each other.
  void equalNamesDoNotClash() {
    std::vector<std::unique_ptr<Kernel>> kernels;
    for (int factor = 1; factor <= 20; ++factor)
      kernels.push_back(backend("llvm").load(backend("llvm").compile(scaleBy(factor))));
    for (int i = 0; i < 20; i += 2)
      kernels[static_cast<std::size_t>(i)].reset();
    for (int i = 1; i < 20; i += 2)
      QCOMPARE(firstElement(*kernels[static_cast<std::size_t>(i)]),
               3.f * static_cast<float>(i + 1));
  }

  void compilesOnSeveralThreads() {
    std::vector<float> results(8);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < results.size(); ++i)
      threads.emplace_back([&results, i] {
        const auto kernel =
            backend("llvm").load(backend("llvm").compile(scaleBy(static_cast<double>(i))));
        results[i] = firstElement(*kernel);
      });
    for (std::thread& thread : threads)
      thread.join();
    for (std::size_t i = 0; i < results.size(); ++i)
      QCOMPARE(results[i], 3.f * static_cast<float>(i));
  }

  void damagedArtifacts_data() {
    QTest::addColumn<int>("keep");
    QTest::addColumn<int>("flip");
    QTest::newRow("empty") << 0 << -1;
    QTest::newRow("a few bytes") << 5 << -1;
    QTest::newRow("half") << 300 << -1;
    QTest::newRow("a byte of the header") << -1 << 20;
    QTest::newRow("a byte of the code") << -1 << 70;
  }

  void damagedArtifacts() {
    QFETCH(int, keep);
    QFETCH(int, flip);
    KernelArtifact artifact = backend("llvm").compile(scaleBy(2));
    if (keep >= 0) artifact.code.resize(static_cast<std::size_t>(keep));
    if (flip >= 0) artifact.code[static_cast<std::size_t>(flip)] ^= 0x40;
    const std::string message = messageOf([&] { (void)backend("llvm").load(artifact); });
    QVERIFY2(message.find("cannot be linked") != std::string::npos, message.c_str());
  }

  void missingEntry() {
    KernelArtifact artifact = backend("llvm").compile(scaleBy(2));
    artifact.entry = "nw_other";
    const std::string message = messageOf([&] { (void)backend("llvm").load(artifact); });
    QVERIFY2(message.find("nw_other") != std::string::npos, message.c_str());
  }

  void errorsNameTheirCause_data() {
    QTest::addColumn<int>("fault");
    QTest::addColumn<QString>("cause");
    QTest::newRow("unknown buffer") << 0 << "buffer ghost";
    QTest::newRow("variable out of scope") << 1 << "variable i outside of its loop";
    QTest::newRow("shared inside of parallel") << 2 << "shared by all threads but allocated inside";
    QTest::newRow("division by zero") << 3 << "divides by a literal zero";
  }

  void errorsNameTheirCause() {
    QFETCH(int, fault);
    QFETCH(QString, cause);
    const Buffer out = makeBuffer("out", {4}), ghost = makeBuffer("ghost", {4});
    const Var i = makeVar("i");
    const Stmt good = makeStore(out, {Expr(0)}, floatImm(1));
    const std::vector<Stmt> bodies = {
        makeStore(out, {Expr(0)}, load(ghost, {Expr(0)})),
        makeStore(out, {Expr(i)}, floatImm(1)),
        makeFor(i, Expr(0), 4, ForKind::Parallel, makeAllocate(ghost, MemoryScope::Global, good)),
        makeFor(i, Expr(0), 4, ForKind::Serial,
                makeStore(out, {floorDiv(Expr(i), Expr(0))}, floatImm(1))),
    };
    LoopFunction function;
    function.parameters = {out};
    function.body = bodies[static_cast<std::size_t>(fault)];
    const std::string message = messageOf([&] { (void)backend("llvm").compile(function); });
    QVERIFY2(QString::fromStdString(message).contains(cause), message.c_str());
  }

  void textsShowTheCode() {
    const std::string source = backend("llvm").text(scaleBy(2), CodeForm::LlvmIr);
    QVERIFY(source.find("fadd") != std::string::npos || source.find("fmul") != std::string::npos);
    QVERIFY(source.find("@nw_scale") != std::string::npos);
    const std::string assembly = backend("llvm").text(scaleBy(2), CodeForm::Assembly);
    QVERIFY(assembly.find("nw_scale:") != std::string::npos);
    QVERIFY(assembly.find("ret") != std::string::npos);
  }

  void targetIsTheHost() {
    const TargetFacts facts = backend("llvm").target(1);
    QCOMPARE(facts.cores, 1);
    QCOMPARE(facts.backend, std::string("llvm"));
    QVERIFY(!facts.cpuName.empty());
    QVERIFY(facts.l1Bytes >= 8 << 10 && facts.l2Bytes > facts.l1Bytes);
    QVERIFY(facts.id() == backend("llvm").target(1).id());
    QCOMPARE(QString::fromStdString(facts.text()),
             QString("llvm -keys=cpu -mcpu=%1 -num-cores=1").arg(facts.cpuName.c_str()));
    QCOMPARE(facts.recordHardware().size(), std::size_t{8});
  }

  void physicalFloorTakesTheLongerTime() {
    TargetFacts facts;
    facts.cores = 2;
    facts.peakFlopsPerCore = 100;
    facts.peakBytesPerCore = 10;
    QCOMPARE(physicalFloorSeconds(facts, 400, 0), 2.0);
    QCOMPARE(physicalFloorSeconds(facts, 400, 100), 5.0);
  }

  void missingPluginSaysWhereItWasSought() {
    const std::string message = messageOf([] { (void)backend("nosuch"); });
    QVERIFY2(message.find("nosuch plugin cannot be used: no such file") != std::string::npos,
             message.c_str());
    for (const std::string& folder : pluginFolders())
      QVERIFY2(message.find(folder) != std::string::npos, message.c_str());
  }

  void brokenPluginSaysWhy() {
    QTemporaryDir folder;
    QFile file(folder.filePath("nestwright_broken.so"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("no shared object");
    file.close();
    qputenv("NESTWRIGHT_PLUGIN_PATH", folder.path().toUtf8());
    const std::string message = messageOf([] { (void)backend("broken"); });
    QVERIFY2(message.find("nestwright_broken.so: ") != std::string::npos, message.c_str());
    bool llvmFound = false, brokenFound = false;
    for (const PluginStatus& status : pluginStatus()) {
      if (status.name == "llvm") llvmFound = status.loaded && status.reason.empty();
      if (status.name == "broken") brokenFound = !status.loaded && !status.reason.empty();
    }
    QVERIFY(llvmFound && brokenFound);
    qunsetenv("NESTWRIGHT_PLUGIN_PATH");
  }
};

NW_TEST_APPLESS(Kernels)

} // namespace nestwright::kernels_test

#include "kernels.moc"
