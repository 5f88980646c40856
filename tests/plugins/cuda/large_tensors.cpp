/// \file Programs over tensors of more than 2^31 elements: indices have 64 bits where they must,
/// and neighbours stay neighbours.

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/space/survey.h"
#include "plugins/cuda/compile/nvrtc.h"
#include "plugins/cuda/text/cuda_text.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::large_tensors_test {

class LargeTensors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void programsAreWritten() {
    const TargetFacts target = cudaTarget(gpuPreset({9, 0}));
    const ComputeDag dag = parseTaskSpec("matmul:m=65536,n=65536,k=64").dag;
    const SpaceOptions options = spaceOptionsFor(target, Draws::Own);
    const Survey survey = surveyPrograms(
        "large", generateSketches(dag, options, sketchRules("nestwright,paper", target)), options,
        1, 20);
    QCOMPARE(survey.programs.size(), std::size_t{20});
    LowerOptions lowering;
    lowering.gpu = target.gpu;
    int vectors = 0;
    std::string source;
    for (const State& program : survey.programs) {
      source = cuda::cudaText(lower(program, lowering)).source; // refuses what is no neighbour
      vectors += source.find("nw_store<") != std::string::npos ? 1 : 0;
      QVERIFY(source.find("long long") != std::string::npos);
    }
    QVERIFY(vectors > 0);
    const cuda::Nvrtc& compiler = cuda::Nvrtc::instance();
    if (!compiler.status().found) QSKIP(compiler.status().reason.c_str());
    QVERIFY(!compiler.compile(source, {{9, 0}, false}).cubin.empty());
  }
};

NW_TEST_GUILESS(LargeTensors)

} // namespace nestwright::large_tensors_test

#include "large_tensors.moc"
