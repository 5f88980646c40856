/// \file The draft of GPU programs: what it makes of a kernel's parts, that it tells programs
/// apart, and what is bred and drawn under it while there is no cost model.

#include "core/search/draft/gpu_draft.h"

#include "core/lower/lower.h"
#include "core/schedule/bounds.h"
#include "core/search/draft/draft_score.h"
#include "core/search/draft/drafted_work.h"
#include "core/search/evolutionary_policy.h"
#include "core/search/random_policy.h"
#include "tests/search/search_task.h"
#include "tests/space/gpu_tasks.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <set>

namespace nestwright::gpu_draft_test {

using test::sm90;

/// A task for a GPU without a cost model, whose draft may be asked.
struct DraftedTask : test::SearchTask {
  explicit DraftedTask(ComputeDag of) : SearchTask(std::move(of), 5) {
    context.space = sm90(Draws::Own);
    sketches = generateSketches(dag, context.space);
    context.scorer = nullptr;
    context.draft = draftOf(context.space.target);
    context.draftUse = DraftUse::First;
  }
  double meanDraft(const Proposal& proposal) const {
    double sum = 0;
    for (const Candidate& candidate : proposal.candidates)
      sum += context.draft(withBounds(State::replay(dag, candidate.steps)));
    return sum / double(proposal.candidates.size());
  }
};

std::vector<std::string> idsOf(const Proposal& proposal) {
  std::vector<std::string> ids;
  for (const Candidate& candidate : proposal.candidates)
    ids.push_back(candidate.programId);
  return ids;
}

class GpuDraft : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyPartCounts() {
    KernelTime kernel;
    kernel.warps = 64;
    kernel.memory = 10'000;
    const double before = draftedClocks(kernel);
    QVERIFY(before > kernel.memory && before < 1.5 * kernel.memory); // and a launch
    for (const auto part :
         {&KernelTime::arithmetic, &KernelTime::issue, &KernelTime::special, &KernelTime::tensor,
          &KernelTime::shared, &KernelTime::l2, &KernelTime::latency, &KernelTime::barriers}) {
      KernelTime more = kernel;
      more.*part = 50'000;
      QVERIFY(draftedClocks(more) > 1.5 * before);
    }
    KernelTime few = kernel;
    few.arithmetic = 50'000;
    const double busy = draftedClocks(few);
    few.warps = 1; // which wait for their own results
    QVERIFY(draftedClocks(few) > 4 * busy);
  }

  /// Every operator's programs have a draft, the same each time, and few have the same.
  void programsAreDrafted() {
    for (const auto& [text, dag] : test::gpuTasks()) {
      const DraftedTask task(dag);
      std::set<double> drafts;
      for (std::uint64_t i = 0; i < 10; ++i) {
        const State program = task.sample(i);
        const double draft = draftScore(program, task.context.space.target);
        QVERIFY2(std::isfinite(draft), text.c_str());
        QCOMPARE(draftScore(program, task.context.space.target), draft);
        drafts.insert(draft);
      }
      QVERIFY2(drafts.size() >= 3, text.c_str());
    }
  }

  /// A kernel of the naive kind, a thread for each result, is told from a tiled one.
  void tilesAreBetterThanNone() {
    const DraftedTask task(parseTaskSpec("matmul:m=1024,n=1024,k=1024").dag);
    const LoopFunction naive = lowerNaive(task.dag, task.context.space.target.gpu);
    const std::vector<double> registers{32};
    const std::vector<KernelTime> kernels =
        kernelTimes(naive, registers, *task.context.space.target.gpu);
    QCOMPARE(kernels.size(), std::size_t(1));
    double best = draftedClocks(kernels[0]);
    for (std::uint64_t i = 0; i < 100; ++i)
      best = std::min(best, std::exp2(-task.context.draft(task.sample(i))));
    QVERIFY(best < draftedClocks(kernels[0]) / 4);
  }

  /// What is told of a program's kernels adds up to its draft, the longest part first; seconds are
  /// told where the device's clock is known.
  void workIsTold() {
    DraftedTask task(parseTaskSpec("softmax:m=512,n=1000").dag);
    TargetFacts& target = task.context.space.target;
    for (std::uint64_t i = 0; i < 10; ++i) {
      const State program = task.sample(i);
      const std::vector<DraftedWork> work = draftedWork(program, target);
      double all = 0;
      for (const DraftedWork& kernel : work) {
        all += kernel.clocks;
        QVERIFY(kernel.name.starts_with("T_softmax"));
        QVERIFY(std::ranges::is_sorted(kernel.parts, std::ranges::greater(),
                                       &DraftedWork::Part::clocks));
        QVERIFY(kernel.parts.front().clocks < kernel.clocks);
      }
      QVERIFY(std::fabs(-std::log2(all) - draftScore(program, target)) < 1e-9);
      const double seconds = draftedSeconds(all, target).value();
      const std::string words = inWords(work, target, 2 * seconds);
      QVERIFY2(words.find(", 0.50 of the ") != std::string::npos, words.c_str());
      TargetFacts unknown = target;
      unknown.gpu->clockKilohertz = 0;
      QVERIFY(!draftedSeconds(all, unknown));
      QVERIFY(inWords(work, unknown, 2 * seconds).find(" of the ") == std::string::npos);
      QVERIFY(toJson(work, unknown).at(0).at("seconds").is_null());
    }
  }

  void varietyComesFirst() {
    std::vector<double> scores = {-1, -1.001, -1.002, -2, -2.001, -4};
    putVarietyFirst(scores, [](double score) { return score; });
    QCOMPARE(scores, (std::vector<double>{-1, -2, -4, -1.001, -1.002, -2.001}));
  }

  /// Half of a batch descends from others under the draft, and is better than what is drawn alone;
  /// two stay random. Threads change nothing.
  void theFirstBatchIsBred() {
    DraftedTask task(parseTaskSpec("matmul:m=512,n=512,k=512").dag);
    task.context.threads = 1;
    const Proposal bred = EvolutionaryPolicy().propose(16, task.context);
    task.context.threads = 3;
    QCOMPARE(idsOf(EvolutionaryPolicy().propose(16, task.context)), idsOf(bred));
    const std::vector<std::string> ids = idsOf(bred);
    QCOMPARE(ids.size(), std::size_t(16));
    QCOMPARE(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
    int children = 0, random = 0;
    for (const Candidate& candidate : bred.candidates) {
      children += candidate.trace.parents.empty() ? 0 : 1;
      random += candidate.trace.selection == PickReason::Random ? 1 : 0;
      QVERIFY(random > 0 || candidate.trace.selection == PickReason::Drafted);
      QVERIFY(!candidate.trace.predictedScore);
    }
    QVERIFY(children >= 4);
    QCOMPARE(random, 1);
    const Proposal drawn = RandomPolicy().propose(16, task.context);
    QVERIFY(task.meanDraft(bred) > task.meanDraft(drawn));
    task.context.draftUse = DraftUse::Off;
    const Proposal off = EvolutionaryPolicy().propose(16, task.context);
    QCOMPARE(idsOf(off), idsOf(RandomPolicy().propose(16, task.context)));
    QVERIFY(task.meanDraft(drawn) > task.meanDraft(off) + 1);
  }

  /// What the user wants to be measured first is in the batch, whatever its draft.
  void seedsAreMeasured() {
    DraftedTask task(parseTaskSpec("matmul:m=512,n=512,k=512").dag);
    std::set<std::string> wanted;
    for (std::uint64_t i = 0; i < 12; ++i) {
      task.context.seeds.push_back(task.sample(i).steps());
      wanted.insert(programId(task.dag, task.context.seeds.back()));
    }
    const std::vector<std::string> ids = idsOf(EvolutionaryPolicy().propose(16, task.context));
    for (const std::string& id : wanted)
      QVERIFY(std::ranges::find(ids, id) != ids.end());
  }

  /// A proposal that is not wanted any more ends, and proposes nothing.
  void isStopped() {
    DraftedTask task(parseTaskSpec("matmul:m=512,n=512,k=512").dag);
    const std::atomic<bool> stop = true;
    task.context.stop = &stop;
    const Proposal proposal = EvolutionaryPolicy().propose(16, task.context);
    QVERIFY(proposal.stopped);
    QVERIFY(proposal.candidates.empty());
  }
};

NW_TEST_GUILESS(GpuDraft)

} // namespace nestwright::gpu_draft_test

#include "gpu_draft.moc"
