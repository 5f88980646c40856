/// \file Generated CUDA C through NVRTC, where it is installed: that it compiles, and what the
/// compiler says of it. Logs and cubins are also read from recorded ones.

#include "core/backend/linked_code.h"
#include "core/emit/c_names.h"
#include "core/lower/ir_lines.h"
#include "core/network/graph/workloads.h"
#include "core/support/error.h"
#include "plugins/cuda/compile/compile_log.h"
#include "plugins/cuda/compile/cubin_cache.h"
#include "plugins/cuda/compile/cubin_info.h"
#include "plugins/cuda/compile/disassembler.h"
#include "plugins/cuda/compile/kernel_resources.h"
#include "plugins/cuda/text/cuda_text.h"
#include "plugins/cuda/text/preamble.h"
#include "tests/plugins/cuda/gpu_programs.h"
#include "tests/plugins/cuda/needs_nvrtc.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

#include <thread>

namespace nestwright::cuda_compile_test {

using cuda::Compiled;
using cuda::Nvrtc;
using test::messageOf;

constexpr GpuArchitecture kHopper{9, 0}, kAmpere{8, 0};

class CudaCompile : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void logsTellResources() {
    const std::string log = "ptxas info    : 0 bytes gmem\n"
                            "ptxas info    : Compiling entry function 'nw_A' for 'sm_90'\n"
                            "ptxas info    : Function properties for nw_A\n"
                            "    64 bytes stack frame, 5184 bytes spill stores, 5296 bytes spill "
                            "loads\n"
                            "ptxas info    : Used 255 registers, used 1 barriers, 64 bytes "
                            "cumulative stack size, 32768 bytes smem, 400 bytes cmem[0]\n"
                            "ptxas info    : Compiling entry function 'nw_B' for 'sm_90'\n"
                            "ptxas info    : Function properties for nw_B\n"
                            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                            "ptxas info    : Used 8 registers, used 0 barriers\n";
    const auto kernels = cuda::resourcesInLog(log);
    QCOMPARE(kernels.size(), std::size_t{2});
    const KernelResources& a = kernels.at("nw_A");
    QCOMPARE(a.registers, 255);
    QCOMPARE(a.spillStoreBytes, 5184);
    QCOMPARE(a.spillLoadBytes, 5296);
    QCOMPARE(a.stackBytes, 64);
    QCOMPARE(a.staticSharedBytes, 32768);
    QCOMPARE(a.barriers, 1);
    QCOMPARE(kernels.at("nw_B").registers, 8);
    QVERIFY(cuda::resourcesInLog("").empty());
    QVERIFY(cuda::resourcesInLog("ptxas info    : Used 9 registers\n").empty());
  }

  /// The threads of a warp hand one another 16-bit numbers, too.
  void halvesAreShuffled() {
    NEEDS_NVRTC;
    std::string source = cuda::preamble();
    for (const char* type : {"nw_f16", "nw_bf16", "float", "signed char", "long long"})
      source += fmt::format("extern \"C\" __global__ void nw_{1}({0}* a) {{\n"
                            "  {0} b = nw_shuffle_down(0xffffffffu, a[threadIdx.x], 4, 32);\n"
                            "  a[threadIdx.x] = nw_shuffle_from(0xffffffffu, b, 0, 32);\n}}\n",
                            type, cIdentifier(type));
    QVERIFY(!Nvrtc::instance().compile(source, {kAmpere, false}).cubin.empty());
  }

  /// Without a log that can be read, the cubin tells what it can.
  void cubinsTellWhatLogsDoNot() {
    NEEDS_NVRTC;
    Compiled compiled = Nvrtc::instance().compile(
        cuda::cudaText(test::shuffledSoftmax().function).source, {kHopper, false});
    const auto logged = cuda::kernelResources(compiled);
    compiled.log.clear();
    const auto told = cuda::kernelResources(compiled);
    QCOMPARE(told.size(), std::size_t{1}); // the division that it calls is no kernel
    QCOMPARE(told.at("nw_out").registers, logged.at("nw_out").registers);
    compiled.log = "ptxas info    : Compiling entry function 'nw_out' for 'sm_90'\n"
                   "ptxas info    : Used 255 registers\n";
    QVERIFY_EXCEPTION_THROWN((void)cuda::kernelResources(compiled), Error);
    compiled = {};
    QVERIFY_EXCEPTION_THROWN((void)cuda::kernelResources(compiled), Error);
  }

  /// Where the log does not say it, either.
  void cubinsTellSharedMemory() {
    NEEDS_NVRTC;
    for (const GpuArchitecture architecture : {kHopper, kAmpere}) {
      Compiled compiled = Nvrtc::instance().compile(
          cuda::cudaText(test::tiledProduct().function).source, {architecture, false});
      QCOMPARE(cuda::kernelResources(compiled).at("nw_C").staticSharedBytes, 2048);
      compiled.log.clear();
      QCOMPARE(cuda::kernelResources(compiled).at("nw_C").staticSharedBytes, 2048);
    }
  }

  /// A driver of CUDA 12 does not load what NVRTC 13 makes.
  void theDriversOwnCompilerComesFirst() {
    const QByteArray chosen = qgetenv("NESTWRIGHT_NVRTC"), home = qgetenv("CUDA_HOME");
    qunsetenv("NESTWRIGHT_NVRTC");
    qputenv("CUDA_HOME", "/opt/cuda");
    const std::vector<std::string> usual = cuda::nvrtcCandidates(),
                                   older = cuda::nvrtcCandidates(12'040);
    QCOMPARE(usual.front(), std::string("/opt/cuda/lib64/libnvrtc.so.13"));
    QCOMPARE(cuda::nvrtcCandidates(13'000), usual);
    QCOMPARE(cuda::nvrtcCandidates(14'010), usual);
    QCOMPARE(cuda::nvrtcCandidates(11'040), usual); // its own are of no use to us
    const auto isNewer = [](const std::string& path) { return path.ends_with(".13"); };
    const auto newer = std::ranges::find_if(older, isNewer);
    for (const std::string& candidate : usual) {
      const auto found = std::ranges::find(older, candidate);
      QVERIFY(found != older.end()); // better than none
      if (candidate.ends_with(".12")) QVERIFY(found < newer);
    }
    qputenv("NESTWRIGHT_NVRTC", "/only/here.so");
    QCOMPARE(cuda::nvrtcCandidates(12'040), std::vector<std::string>{"/only/here.so"});
    chosen.isNull() ? qunsetenv("NESTWRIGHT_NVRTC") : qputenv("NESTWRIGHT_NVRTC", chosen);
    home.isNull() ? qunsetenv("CUDA_HOME") : qputenv("CUDA_HOME", home);
  }

  void olderCompilersGetNoOptionThatTheyDoNotKnow() {
    const auto has = [](int version, const char* option) {
      const std::vector<std::string> arguments = cuda::nvrtcArguments({kHopper, false}, version);
      return std::ranges::count(arguments, option) == 1;
    };
    QVERIFY(has(13'000, "--minimal") && has(12'040, "--minimal"));
    QVERIFY(!has(12'030, "--minimal") && has(12'000, "--gpu-architecture=sm_90"));
  }

  void programsCompile_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<bool>("ampere");
    for (int which = 0; which < 6; ++which)
      for (const bool ampere : {false, true})
        QTest::addRow("%d on %s", which, ampere ? "sm_80" : "sm_90") << which << ampere;
  }
  void programsCompile() {
    NEEDS_NVRTC;
    QFETCH(int, which);
    QFETCH(bool, ampere);
    const test::GpuProgram program = which == 0   ? test::tiledProduct()
                                     : which == 1 ? test::tiledProduct(256)
                                     : which == 2 ? test::shuffledSoftmax()
                                     : which == 3 ? test::paddedStencil()
                                     : which == 4 ? test::mixedTypes()
                                                  : test::pipelinedProduct(3);
    const cuda::CudaText text = cuda::cudaText(program.function);
    const Compiled compiled =
        Nvrtc::instance().compile(text.source, {ampere ? kAmpere : kHopper, false});
    QVERIFY(!compiled.cubin.empty() && !compiled.ptx.empty());
    const auto kernels = cuda::kernelResources(compiled);
    QCOMPARE(kernels.size(), text.launches.size());
    for (const KernelLaunch& launch : text.launches) {
      const KernelResources& resources = kernels.at(launch.entry);
      QVERIFY(resources.registers > 0);
      QCOMPARE(resources.spillStoreBytes, 0);
      QCOMPARE(resources.stackBytes, 0); // nothing of a thread lies in memory
    }
    if (which == 0) QCOMPARE(kernels.at("nw_C").staticSharedBytes, 2048);
  }

  /// Four neighbours are one access, of global and of shared memory.
  void vectorsAreWideAccesses() {
    NEEDS_NVRTC;
    const std::string ptx =
        Nvrtc::instance()
            .compile(cuda::cudaText(test::tiledProduct().function).source, {kHopper, false})
            .ptx;
    for (const char* access : {"ld.global.nc.v4", "st.shared.v4", "st.global.v4"})
      QVERIFY2(ptx.find(access) != std::string::npos, access);
  }

  /// The hardware's own copies, where it has them; other helpers leave nothing behind.
  void tilesAreCopiedAsync() {
    NEEDS_NVRTC;
    const auto ptx = [](const test::GpuProgram& program, GpuArchitecture architecture) {
      return Nvrtc::instance()
          .compile(cuda::cudaText(program.function).source, {architecture, false})
          .ptx;
    };
    const std::string wide = ptx(test::pipelinedProduct(3), kAmpere);
    for (const char* instruction : {"cp.async.cg.shared.global", "cp.async.ca.shared.global",
                                    "cp.async.commit_group", "cp.async.wait_group 1"})
      QVERIFY2(wide.find(instruction) != std::string::npos, instruction);
    const GpuArchitecture turing{7, 5};
    QVERIFY(ptx(test::pipelinedProduct(2, turing), turing).find("cp.async") == std::string::npos);
  }

  void naiveProgramsCompile_data() {
    QTest::addColumn<QString>("task");
    for (const char* task :
         {"matmul:m=64,n=64,k=64", "conv2d:n=1,h=14,w=14,ci=16,co=32,k=3,p=1", "softmax:m=32,n=100",
          "norm:b=2,m=32,n=32", "grouped_conv2d:n=1,h=8,w=8,ci=16,co=16"})
      QTest::newRow(task) << task;
  }
  void naiveProgramsCompile() {
    NEEDS_NVRTC;
    QFETCH(QString, task);
    const LoopFunction function =
        lowerNaive(parseTaskSpec(task.toStdString()).dag, gpuPreset(kHopper));
    const Compiled compiled =
        Nvrtc::instance().compile(cuda::cudaText(function).source, {kHopper, false});
    const auto kernels = cuda::kernelResources(compiled);
    QVERIFY(!kernels.empty());
    for (const auto& [entry, resources] : kernels)
      QVERIFY2(resources.registers > 0 && resources.spillStoreBytes == 0, entry.c_str());
  }

  void cubinsAreNotTrusted() {
    NEEDS_NVRTC;
    const Compiled compiled = Nvrtc::instance().compile(
        cuda::cudaText(test::paddedStencil().function).source, {kHopper, false});
    const auto whole = cuda::kernelsInCubin(compiled.cubin);
    QCOMPARE(whole.size(), std::size_t{2});
    for (const auto& [entry, resources] : cuda::resourcesInLog(compiled.log))
      QCOMPARE(whole.at(entry).registers, resources.registers);
    for (std::size_t size = 0; size < compiled.cubin.size(); size += 97)
      (void)cuda::kernelsInCubin({compiled.cubin.data(), size});
    std::vector<std::uint8_t> broken = compiled.cubin;
    for (std::size_t i = 0; i < broken.size(); i += 3) {
      broken[i] ^= 0xff;
      (void)cuda::kernelsInCubin(broken);
    }
    QVERIFY(cuda::kernelsInCubin({}).empty());
  }

  /// Marks change no instruction, and lead through PTX to the loops.
  void ptxIsTracedToTheLoops() {
    NEEDS_NVRTC;
    const LoopFunction function = withOwnStatements(test::tiledProduct().function);
    const std::vector<IrLine> ir = irLines(function);
    const auto compiled = [&](bool marks) {
      return Nvrtc::instance().compile(cuda::cudaText(function, marks).source, {kHopper, marks});
    };
    QCOMPARE(cuda::kernelResources(compiled(true)).at("nw_C").registers,
             cuda::kernelResources(compiled(false)).at("nw_C").registers);
    const LinkedCode code = linkCode(compiled(true).ptx, CodeForm::Ptx);
    int multiplies = 0, fetches = 0;
    for (std::size_t i = 0; i < code.lines.size(); ++i) {
      QVERIFY(code.lines[i].find(".loc") == std::string::npos);
      const int line = code.irLine[i];
      const Stmt s = line < 0 ? Stmt() : ir[static_cast<std::size_t>(line)].stmt;
      if (code.lines[i].find("fma.rn") != std::string::npos) {
        QVERIFY(s && s->kind == StmtKind::Store && s->buffer->name == "C.local");
        ++multiplies;
      }
      // Through two inlined helpers.
      if (code.lines[i].find("ld.global.nc.v4") != std::string::npos) {
        QVERIFY(s && s->kind == StmtKind::Store && s->buffer->name.ends_with(".shared"));
        ++fetches;
      }
    }
    QVERIFY(multiplies >= 16 && fetches >= 2);
    const IrCost cost = costOf(code, ir);
    QVERIFY(cost.hottestLoop >= 0);
    QCOMPARE(scheduleName(ir[static_cast<std::size_t>(cost.hottestLoop)].stmt->var->name),
             std::string("k.1"));
  }

  void keysOfPtxLeaveNumbersOut() {
    QCOMPARE(codeKey("\tfma.rn.f32 \t%f12, %f3, %f4, %f5;", CodeForm::Ptx),
             codeKey("\tfma.rn.f32 \t%f1, %f2, %f3, %f4;", CodeForm::Ptx));
    QVERIFY(codeKey("\tld.global.f32 \t%f1, [%rd2+4];", CodeForm::Ptx) !=
            codeKey("\tld.global.f32 \t%f1, [%rd2+8];", CodeForm::Ptx));
    QCOMPARE(codeKey("        /*0010*/  FFMA R1, R2, R3, R4 ;  /* 0x01 */", CodeForm::Sass),
             codeKey("        /*0020*/  FFMA R1, R2, R3, R4 ;", CodeForm::Sass));
    QCOMPARE(codeKey("for (;;) { // k.0", CodeForm::CudaC), std::string("for (;;) {"));
  }

  /// As nvdisasm -gi prints it.
  void sassIsTracedToTheLoops() {
    const LinkedCode code =
        linkCode(".text.nw_C:\n"
                 "\t//## File \"/ir\", line 7\n"
                 "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                 "\t//## File \"/tmp/kernel.cu\", line 11 inlined at \"/tmp/kernel.cu\", line 16\n"
                 "\t//## File \"/tmp/kernel.cu\", line 16 inlined at \"/ir\", line 9\n"
                 "\t//## File \"/ir\", line 9\n"
                 "        /*0070*/                   LDG.E.128.CONSTANT R4, desc[UR4][R4.64] ;\n"
                 ".L_x_0:\n",
                 CodeForm::Sass);
    QCOMPARE(code.lines.size(), std::size_t{4});
    QCOMPARE(code.irLine, (std::vector<int>{-1, 6, 8, -1}));
  }

  void whatWasCompiledIsNotCompiledAgain() {
    NEEDS_NVRTC;
    const std::string source = cuda::cudaText(test::shuffledSoftmax().function).source;
    cuda::CubinCache cache;
    const auto first = cache.get(Nvrtc::instance(), source, {kHopper, false});
    QCOMPARE(cache.get(Nvrtc::instance(), source, {kHopper, false}).get(), first.get());
    QCOMPARE(cache.hits(), std::size_t{1});
    QVERIFY(cache.get(Nvrtc::instance(), source, {kAmpere, false}) != first);
    QCOMPARE(cache.hits(), std::size_t{1});
    // It never grows beyond its limit, but for the newest entry.
    cuda::CubinCache small(1);
    (void)small.get(Nvrtc::instance(), source, {kHopper, false});
    (void)small.get(Nvrtc::instance(), source, {kAmpere, false});
    QVERIFY(small.bytes() < 2 * (first->cubin.size() + first->ptx.size() + first->log.size()));
  }

  void compilesOnSeveralThreads() {
    NEEDS_NVRTC;
    const std::string source = cuda::cudaText(test::paddedStencil().function).source;
    std::vector<std::size_t> sizes(4);
    std::vector<std::thread> threads;
    for (std::size_t& size : sizes)
      threads.emplace_back([&] {
        size = Nvrtc::instance().compile(source, {kHopper, false}).cubin.size();
      });
    for (std::thread& thread : threads)
      thread.join();
    for (const std::size_t size : sizes)
      QCOMPARE(size, sizes[0]);
  }

  void errorsSayWhatToDo() {
    const Nvrtc none(std::vector<std::string>{"/no/such/libnvrtc.so"});
    QVERIFY(!none.status().found);
    const std::string missing = messageOf([&] { (void)none.compile("", {kHopper, false}); });
    QVERIFY2(missing.find("CUDA Toolkit (12 or later)") != std::string::npos, missing.c_str());
    QVERIFY2(missing.find("/no/such/libnvrtc.so was not found") != std::string::npos,
             missing.c_str());
    // One that cannot be used is passed over.
    const Nvrtc behind(std::vector<std::string>{"libm.so.6", NESTWRIGHT_MADE_UP_NVRTC});
    QVERIFY2(behind.status().found, behind.status().reason.c_str());
    const Nvrtc other(std::vector<std::string>{"libm.so.6"});
    QVERIFY2(other.status().reason.find("is no NVRTC") != std::string::npos,
             other.status().reason.c_str());
    NEEDS_NVRTC;
    const std::string unknown = messageOf([] {
      (void)Nvrtc::instance().compile("", {{3, 7}, false});
    });
    QVERIFY2(unknown.find("does not compile for sm_37; it knows") != std::string::npos,
             unknown.c_str());
    const std::string wrong = messageOf([] {
      (void)Nvrtc::instance().compile("__global__ void f() { x = 1; }", {kHopper, false});
    });
    QVERIFY2(wrong.find("identifier \"x\" is undefined") != std::string::npos, wrong.c_str());
  }

  void theDisassemblerIsOfTheSameToolkit() {
    std::string why;
    if (!qEnvironmentVariableIsSet("NESTWRIGHT_NVDISASM")) {
      QVERIFY(cuda::findDisassembler("", why).empty());
      QVERIFY(!why.empty());
    }
    NEEDS_NVRTC;
    const std::string program = cuda::findDisassembler(Nvrtc::instance().status().path, why);
    if (program.empty()) QSKIP(why.c_str());
    const LoopFunction function = withOwnStatements(test::tiledProduct().function);
    const std::vector<IrLine> ir = irLines(function);
    const Compiled compiled =
        Nvrtc::instance().compile(cuda::cudaText(function, true).source, {kHopper, true});
    const LinkedCode code = linkCode(cuda::disassemble(program, compiled.cubin), CodeForm::Sass);
    int multiplies = 0;
    for (std::size_t i = 0; i < code.lines.size(); ++i) {
      if (code.lines[i].find("FFMA") == std::string::npos) continue;
      const Stmt s =
          code.irLine[i] < 0 ? Stmt() : ir[static_cast<std::size_t>(code.irLine[i])].stmt;
      QVERIFY(s && s->kind == StmtKind::Store && s->buffer->name == "C.local");
      ++multiplies;
    }
    QVERIFY(multiplies >= 16);
  }
};

NW_TEST_GUILESS(CudaCompile)

} // namespace nestwright::cuda_compile_test

#include "cuda_compile.moc"
