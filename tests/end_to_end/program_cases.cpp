#include "tests/end_to_end/program_cases.h"

#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/search/evolutionary_policy.h"
#include "core/search/random_policy.h"
#include "core/session/run/session.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "tests/search/stage_scorer.h"

#include <algorithm>
#include <array>

using namespace nestwright;

namespace {

/// The naive program has to run, too.
constexpr double kMaxFlops = 60e6;
constexpr std::int64_t kSmallCacheBytes = 8 << 10;

constexpr std::array kOperators = {
    "matmul:m=33,n=35,k=27",
    "matmul:m=64,n=48,k=32,bias=1,relu=1",
    "matmul:m=1,n=70,k=64,bias=1",
    "matmul:m=127,n=61,k=96",
    "matmul:m=8,n=8,k=512",
    "matmul:m=128,n=256,k=192",
    "batch_matmul:b=3,m=14,n=18,k=22",
    "batch_matmul:b=4,m=32,n=48,k=64,nt=1",
    "batch_matmul:b=1,m=37,n=96,k=80",
    "batch_matmul:b=2,m=64,n=128,k=192",
    "batch_matmul:b=1,m=48,n=33,k=50,nt=1",
    "batch_matmul:b=2,m=23,n=80,k=61,nt=1",
    "conv1d:l=30,ci=6,co=10,k=3,s=2,p=1,bias=1,relu=1",
    "conv1d:l=64,ci=16,co=32,k=5,s=1,p=2",
    "conv2d:n=1,h=9,w=11,ci=3,co=7,k=3,s=1,p=1",
    "conv2d:n=2,h=8,w=8,ci=8,co=16,k=3,s=2,p=1,bias=1,relu=1",
    "conv2d:n=1,h=7,w=7,ci=64,co=64,k=3,s=1,p=1,bias=1,relu=1",
    "conv2d:n=1,h=14,w=14,ci=32,co=64,k=1,s=1,p=0,bias=1,relu=1",
    "conv2d:n=1,h=28,w=28,ci=3,co=16,k=7,s=2,p=3,relu=1",
    "conv3d:n=1,d=4,h=6,w=5,ci=3,co=6,k=3,s=1,p=1,relu=1",
    "depthwise_conv2d:n=1,h=10,w=10,c=12,k=3,s=1,p=1,bias=1,relu=1",
    "depthwise_conv2d:n=1,h=28,w=28,c=32,k=3,s=2,p=1",
    "grouped_conv2d:n=1,h=8,w=8,ci=8,co=12,k=3,s=1,p=1,g=4,bias=1",
    "dilated_conv2d:n=1,h=10,w=10,ci=6,co=8,k=3,s=1,p=2,dil=2,relu=1",
    "transposed_conv2d:n=1,h=5,w=5,ci=6,co=8,k=4,s=2,p=1,bias=1",
    "softmax:m=13,n=37",
    "softmax:m=64,n=128",
    "norm:b=3,m=24,n=30",
    "norm:b=1,m=64,n=64",
};

constexpr std::array kNetworks = {
    "resnet18:image=64",
    "mobilenet_v2:image=64",
    "bert_tiny:sequence=16",
    "mobilenet_v3:image=64",
    "squeezenet1_1:image=64",
    "resnet18_tvm:image=64",
    "r3d_18:depth=8,height=32,width=32",
};

constexpr std::array<std::int64_t, 18> kExtents = {1,  2,  3,  5,  8,  13, 16,  17,  27,
                                                   31, 32, 33, 48, 64, 96, 100, 127, 128};
constexpr std::array<std::int64_t, 12> kSpatial = {1, 3, 5, 7, 8, 9, 11, 13, 14, 16, 17, 28};
constexpr std::array<std::int64_t, 10> kChannels = {1, 3, 4, 8, 12, 16, 17, 31, 32, 64};
constexpr std::array<std::int64_t, 6> kKernels = {1, 2, 3, 3, 5, 7};
constexpr std::array<std::int64_t, 4> kStrides = {1, 1, 2, 3};

std::int64_t drawParameter(const std::string& name, bool window, std::int64_t groups,
                           Random& random) {
  if (name == "bias" || name == "relu" || name == "nt")
    return static_cast<std::int64_t>(random.below(2));
  if (!window)
    return name == "b" ? 1 + static_cast<std::int64_t>(random.below(5)) : random.pick(kExtents);
  if (name == "n") return 1 + static_cast<std::int64_t>(random.below(2));
  if (name == "k") return random.pick(kKernels);
  if (name == "s") return random.pick(kStrides);
  if (name == "p") return static_cast<std::int64_t>(random.below(4));
  if (name == "dil") return 1 + static_cast<std::int64_t>(random.below(3));
  if (name == "g") return groups;
  if (name == "ci" || name == "co" || name == "c") return groups * random.pick(kChannels);
  return random.pick(kSpatial);
}

/// The operator with a random shape; empty when the shape fits nothing or takes too long.
std::optional<Workload> drawWorkload(const WorkloadInfo& info, Random& random) {
  bool window = false, grouped = false;
  for (const ParameterInfo& parameter : info.parameters) {
    window |= parameter.name == "s";
    grouped |= parameter.name == "g";
  }
  const auto groups = grouped ? 2 + static_cast<std::int64_t>(random.below(3)) : std::int64_t{1};
  std::map<std::string, std::int64_t> values;
  for (const ParameterInfo& parameter : info.parameters) {
    const bool isType = parameter.name == "bf16" || parameter.name == "fp16"; // float32 here
    values[parameter.name] = isType ? 0 : drawParameter(parameter.name, window, groups, random);
  }
  try {
    Workload workload = parseTaskSpec(specText(info.name, info.parameters, values));
    if (flops(workload.dag) <= kMaxFlops) return workload;
  } catch (const InputError&) { // a kernel larger than its input, for example
  }
  return std::nullopt;
}

const std::vector<SubjectTask>& networkTasks() {
  static const std::vector<SubjectTask> kTasks = [] {
    std::vector<SubjectTask> tasks;
    for (const char* network : kNetworks) {
      const Subject subject = resolveSubject(network);
      for (std::size_t i = 0; i < subject.tasks.size(); ++i) {
        if (flops(subject.tasks[i].dag) > kMaxFlops) continue;
        tasks.push_back(subject.tasks[i]);
        tasks.back().name = fmt::format("{}#{} ({})", network, i, subject.tasks[i].name);
      }
    }
    return tasks;
  }();
  return kTasks;
}

/// Scores by a hash of the program: as good as random, and always the same.
class HashScorer final : public test::StageScorer {
 public:
  explicit HashScorer(std::uint64_t seed) : seed_(seed) {}
  std::map<std::string, double> stageScores(const State& program) const override {
    const std::uint64_t hash = hash64(programId(program.dag(), program.steps()), seed_);
    std::map<std::string, double> scores;
    for (int i = 0; i < program.stageCount(); ++i) {
      const std::string& name = program.stage(i).name();
      scores[name] = static_cast<double>(hash64(name, hash) % 1000) / 1000;
    }
    return scores;
  }

 private:
  std::uint64_t seed_;
};

} // namespace

ProgramCase drawCase(std::uint64_t seed, std::uint64_t index) {
  Random random = Random::stream(seed, "case", index);
  ProgramCase drawn{seed, index, {}, {}, {}, random.below(2) == 1, 1 + int(random.below(2))};
  drawn.rules = random.below(2) == 1 ? "paper" : SessionConfig().rules;
  std::optional<Workload> workload;
  const auto batchMatmul =
      std::find_if(workloads().begin(), workloads().end(),
                   [](const auto& info) { return info.name == "batch_matmul"; });
  switch (index % 4) {
  case 0:
    workload = parseTaskSpec(random.pick(kOperators));
    break;
  case 1:
    while (!workload)
      workload = drawWorkload(random.pick(workloads()), random);
    break;
  case 2: // no constant operand: what is not laid out beforehand is packed in the program
    while (!workload)
      workload = drawWorkload(*batchMatmul, random);
    break;
  default: {
    const SubjectTask& task = random.pick(networkTasks());
    workload = Workload{task.name, task.dag};
  }
  }
  drawn.task = workload->text;
  drawn.dag = workload->dag;
  return drawn;
}

std::vector<Candidate> proposePrograms(const ProgramCase& programCase, int count) {
  SearchContext context;
  context.space.target = backend("llvm").target(programCase.threads);
  // Rules for operands that leave the caches have to see some that do; the naive program is slow.
  if (programCase.index % 8 < 6) context.space.target.l2Bytes = kSmallCacheBytes;
  const std::vector<Sketch> sketches =
      generateSketches(programCase.dag, context.space, sketchRules(programCase.rules));
  context.dag = &programCase.dag;
  context.taskKey = workloadKey(programCase.dag);
  context.sketches = &sketches;
  context.seed = hash64(context.taskKey, programCase.seed + programCase.index);
  if (!programCase.evolved) return RandomPolicy().propose(count, context).candidates;
  const HashScorer scorer(context.seed);
  context.scorer = &scorer;
  EvolutionaryPolicyOptions options;
  options.samplesPerProposal = options.evolution.population = 8 * count;
  options.evolution.generations = 3;
  options.evolution.crossoverProbability = 0.2;
  options.evolution.mutationWeights = {0.4, 0.2, 0.2, 0.2};
  return EvolutionaryPolicy(options).propose(count, context).candidates;
}
