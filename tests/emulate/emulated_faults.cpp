/// What a GPU must not do is named with the line where it happens, however it would end on a
/// device.

#include "core/emulate/emulate.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::emulated_faults_test {

const Var kBlock = makeVar("blockIdx.x"), kThread = makeVar("threadIdx.x");
const Buffer kIn = makeBuffer("in", {64}), kOut = makeBuffer("out", {64});

/// A kernel of so many blocks and threads.
LoopFunction kernel(std::int64_t blocks, std::int64_t threads, Stmt body) {
  Launch launch;
  launch.kernel = "kernel";
  if (blocks > 1) launch.grid[0] = {kBlock, blocks};
  if (threads > 1) launch.threads[0] = {kThread, threads};
  LoopFunction function;
  function.parameters = {kIn, kOut};
  function.inputCount = 1;
  function.body = makeLaunch(std::move(launch), std::move(body));
  return function;
}

Emulation run(const LoopFunction& function) {
  std::vector<double> values(64);
  for (int i = 0; i < 64; ++i)
    values[static_cast<std::size_t>(i)] = i;
  return emulate(function, {{"in", values}});
}

Expr at(const Buffer& buffer, Expr index) {
  return load(buffer, {std::move(index)});
}

Stmt copyThrough(const Buffer& buffer, MemoryScope scope, std::vector<Stmt> between, Expr read) {
  std::vector<Stmt> body{makeStore(buffer, {Expr(kThread)}, at(kIn, Expr(kThread)))};
  body.insert(body.end(), between.begin(), between.end());
  body.push_back(makeStore(kOut, {Expr(kThread)}, at(buffer, std::move(read))));
  return makeAllocate(buffer, scope, makeSequence(std::move(body)));
}

/// The same by asynchronous copies.
Stmt copyAsyncThrough(const Buffer& tile, std::vector<Stmt> between, Expr read) {
  std::vector<Stmt> body{makeCopyAsync(tile, {Expr(kThread)}, at(kIn, Expr(kThread)))};
  body.insert(body.end(), between.begin(), between.end());
  body.push_back(makeStore(kOut, {Expr(kThread)}, at(tile, std::move(read))));
  return makeAllocate(tile, MemoryScope::Block, makeSequence(std::move(body)));
}

class EmulatedFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areNamed_data() {
    QTest::addColumn<LoopFunction>("function");
    QTest::addColumn<int>("fault");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* name, const LoopFunction& function, EmulationFault fault,
                        const char* line) {
      QTest::newRow(name) << function << static_cast<int>(fault) << QString(line);
    };
    const Expr thread{kThread}, block{kBlock};
    const Buffer tile = makeBuffer("tile", {64});
    const Expr mirrored = Expr(63) - thread;
    row("missing barrier", kernel(1, 64, copyThrough(tile, MemoryScope::Block, {}, mirrored)),
        EmulationFault::BlockRace, "out[threadIdx.x] = tile[63 - threadIdx.x]");
    row("barrier for some threads",
        kernel(1, 64,
               copyThrough(tile, MemoryScope::Block, {makeIf(thread < Expr(32), makeBarrier())},
                           mirrored)),
        EmulationFault::DivergentBarrier, "barrier");
    row("two threads write one element",
        kernel(1, 64, makeStore(kOut, {floorDiv(thread, 2)}, at(kIn, thread))),
        EmulationFault::GlobalRace, "out[floordiv(threadIdx.x, 2)] = in[threadIdx.x]");
    row("two blocks write one element", kernel(2, 64, makeStore(kOut, {thread}, at(kIn, thread))),
        EmulationFault::GlobalRace, "out[threadIdx.x] = in[threadIdx.x]");
    LoopFunction crossing = kernel(1, 64, makeStore(kOut, {thread}, at(kIn, thread)));
    crossing.body = makeSequence(
        {crossing.body,
         kernel(2, 1,
                makeSequence({makeStore(kOut, {block}, at(kIn, block)),
                              makeStore(kOut, {block + Expr(2)}, at(kOut, Expr(1) - block))}))
             .body});
    // The last block runs first.
    row("a block reads what another one writes", crossing, EmulationFault::GlobalRace,
        "out[blockIdx.x] = in[blockIdx.x]");
    row("behind the end", kernel(1, 64, makeStore(kOut, {thread}, at(kIn, thread + Expr(1)))),
        EmulationFault::OutOfBounds, "out[threadIdx.x] = in[threadIdx.x + 1]");
    row("before the start", kernel(1, 64, makeStore(kOut, {thread - Expr(1)}, at(kIn, thread))),
        EmulationFault::OutOfBounds, "out[threadIdx.x - 1] = in[threadIdx.x]");
    row("read before it is written",
        kernel(1, 64,
               makeAllocate(tile, MemoryScope::PerThread,
                            makeStore(kOut, {thread}, at(tile, Expr(3))))),
        EmulationFault::UninitialisedRead, "out[threadIdx.x] = tile[3]");
    row("output not written", kernel(1, 32, makeStore(kOut, {thread}, at(kIn, thread))),
        EmulationFault::UninitialisedRead, "kernel(in: float32[64]) -> (out: float32[64])");
    const auto four = [](Expr first) { return ramp(std::move(first), Expr(1), 4); };
    row("vector at an odd place",
        kernel(
            1, 8,
            makeStore(kOut, {four(thread * Expr(4))}, at(kIn, four(thread * Expr(4) + Expr(2))))),
        EmulationFault::Misaligned,
        "out[ramp(threadIdx.x*4, 1, 4)] = in[ramp(threadIdx.x*4 + 2, 1, 4)]");
    const Var i = makeVar("i");
    row("registers in a loop",
        kernel(1, 64,
               makeAllocate(
                   tile, MemoryScope::Register,
                   makeFor(i, 0, 2, ForKind::Serial, makeStore(tile, {Expr(i)}, at(kIn, thread))))),
        EmulationFault::RegisterIndex, "tile[i] = in[threadIdx.x]");
    const Buffer flags = makeBuffer("flags", {2});
    row("registers in the condition of a loop",
        kernel(1, 64,
               makeAllocate(flags, MemoryScope::Register,
                            makeFor(i, 0, 2, ForKind::Serial,
                                    makeIf(at(flags, Expr(i)) < floatImm(1),
                                           makeStore(kOut, {thread}, at(kIn, thread)))))),
        EmulationFault::RegisterIndex, "if flags[i] < 1f");
    const Buffer share = makeBuffer("share", {});
    const Stmt told = makeShuffle(share, {}, load(share, {}), {});
    row("shuffle for some threads",
        kernel(1, 64,
               makeAllocate(share, MemoryScope::Register,
                            makeSequence({makeStore(share, {}, at(kIn, thread)),
                                          makeIf(thread < Expr(8), told),
                                          makeStore(kOut, {thread}, load(share, {}))}))),
        EmulationFault::DivergentShuffle, "share[] = shuffle_down(share[], 0)");
    const ShuffleLanes beyond{ShuffleLanes::Kind::Down, 16, 32, 0xff'ffff};
    row("what a thread tells that is not there",
        kernel(1, 24,
               makeAllocate(share, MemoryScope::Register,
                            makeSequence({makeStore(share, {}, at(kIn, thread)),
                                          makeShuffle(share, {}, load(share, {}), beyond),
                                          makeStore(kOut, {thread}, load(share, {}))}))),
        EmulationFault::UninitialisedRead, "out[threadIdx.x] = share[]");
    const auto copied = [&](std::vector<Stmt> between, const Expr& read) {
      return kernel(1, 64, copyAsyncThrough(tile, std::move(between), read));
    };
    const char* const own = "out[threadIdx.x] = tile[threadIdx.x]";
    row("copy that nobody waits for", copied({makeCommit()}, thread),
        EmulationFault::UnfinishedCopy, own);
    row("copy in no group", copied({makeWait(0)}, thread), EmulationFault::UnfinishedCopy, own);
    row("wait for too few groups", copied({makeCommit(), makeWait(1)}, thread),
        EmulationFault::UnfinishedCopy, own);
    row("copy that only its own thread has waited for",
        copied({makeCommit(), makeWait(0)}, mirrored), EmulationFault::BlockRace,
        "out[threadIdx.x] = tile[63 - threadIdx.x]");
    row("store to what is being copied to",
        copied({makeCommit(), makeStore(tile, {thread}, floatImm(0))}, thread),
        EmulationFault::UnfinishedCopy, "tile[threadIdx.x] = 0f");
    row("block that ends before its copies",
        kernel(
            1, 64,
            makeAllocate(tile, MemoryScope::Block,
                         makeSequence({makeCopyAsync(tile, {thread}, at(kIn, thread)), makeCommit(),
                                       makeStore(kOut, {thread}, at(kIn, thread))}))),
        EmulationFault::UnfinishedCopy, "out[threadIdx.x] = in[threadIdx.x]");
    const TensorInstruction& mma = *tensorInstruction("mma_m16n8k16_bf16");
    const Buffer matrix = makeBuffer("matrix", {256}, kBFloat16);
    const Buffer fragment = makeBuffer("fragment", {8}, kBFloat16);
    const auto loads = [&](const Expr& from, std::int64_t rows, bool whole) {
      const FragmentLoad load{TensorOperand::A, rows, 1, whole};
      return makeAllocate(
          matrix, MemoryScope::Block,
          makeAllocate(fragment, MemoryScope::Register,
                       makeLoadFragment(mma, fragment, {Expr(0)}, at(matrix, from), load)));
    };
    row("tile of half a warp", kernel(1, 64, makeIf(thread < Expr(32), loads(Expr(0), 16, false))),
        EmulationFault::DivergentInstruction, "fragment[0] = load_rows(matrix[0], 16 by 1)");
    row("tile that its lanes see elsewhere", kernel(1, 32, loads(thread, 8, false)),
        EmulationFault::DivergentInstruction,
        "fragment[0] = load_rows(matrix[threadIdx.x], 8 by 1)");
    row("tile behind the end", kernel(1, 32, loads(Expr(8), 17, false)),
        EmulationFault::UninitialisedRead, "fragment[0] = load_rows(matrix[8], 17 by 1)");
    row("rows that are not aligned", kernel(1, 32, loads(Expr(4), 8, true)),
        EmulationFault::Misaligned, "fragment[0] = load_rows(matrix[4], 8 by 1, whole)");
    row("rows whose distance is none of whole ones", kernel(1, 32, loads(Expr(0), 12, true)),
        EmulationFault::Misaligned, "fragment[0] = load_rows(matrix[0], 12 by 1, whole)");
    const Expr large = cast(kInt32, thread) * intImm(1 << 30, kInt32);
    row("index of more than 32 bits",
        kernel(1, 64, makeStore(kOut, {floorMod(large, intImm(64, kInt32))}, at(kIn, thread))),
        EmulationFault::IndexOverflow,
        "out[floormod(int32(threadIdx.x)*1073741824, 64)] = in[threadIdx.x]");
  }

  void areNamed() {
    QFETCH(LoopFunction, function);
    QFETCH(int, fault);
    QFETCH(QString, line);
    const Emulation result = run(function);
    QVERIFY(result.error);
    QCOMPARE(QString(name(result.error->fault)), QString(name(static_cast<EmulationFault>(fault))));
    QCOMPARE(QString::fromStdString(result.error->lineText), line);
    QVERIFY(result.outputs.empty());
    const QStringList lines = QString::fromStdString(print(function)).split('\n');
    QCOMPARE(lines[result.error->line].trimmed(), line);
  }

  void ordersMakeNoRace() {
    const Buffer tile = makeBuffer("tile", {64});
    const Expr mirrored = Expr(63) - Expr(kThread);
    const Emulation result =
        run(kernel(1, 64, copyThrough(tile, MemoryScope::Block, {makeBarrier()}, mirrored)));
    QVERIFY2(!result.error, result.error ? result.error->what.c_str() : "");
    for (int i = 0; i < 64; ++i)
      QCOMPARE(result.outputs.at("out")[static_cast<std::size_t>(i)], 63.0 - i);
    const Buffer copied = makeBuffer("tile", {64});
    const Emulation waited = run(kernel(
        1, 64, copyAsyncThrough(copied, {makeCommit(), makeWait(0), makeBarrier()}, mirrored)));
    QVERIFY2(!waited.error, waited.error ? waited.error->what.c_str() : "");
    QCOMPARE(waited.outputs, result.outputs);
    // Between two launches everything is in order, too.
    LoopFunction two = kernel(1, 64, makeStore(kOut, {Expr(kThread)}, at(kIn, Expr(kThread))));
    const LoopFunction second =
        kernel(64, 1, makeStore(kOut, {Expr(kBlock)}, at(kOut, Expr(kBlock)) + floatImm(1)));
    two.body = makeSequence({two.body, second.body});
    const Emulation both = run(two);
    QVERIFY(!both.error);
    QCOMPARE(both.outputs.at("out")[5], 6.0);
  }

  void needsInputsAndLaunches() {
    const LoopFunction function =
        kernel(1, 64, makeStore(kOut, {Expr(kThread)}, at(kIn, Expr(kThread))));
    QVERIFY_EXCEPTION_THROWN(emulate(function, {}), Error);
    LoopFunction plain = function;
    plain.body = makeStore(kOut, {Expr(0)}, at(kIn, Expr(0)));
    QVERIFY_EXCEPTION_THROWN(run(plain), Error);
  }
};

NW_TEST_APPLESS(EmulatedFaults)

} // namespace nestwright::emulated_faults_test

#include "emulated_faults.moc"
