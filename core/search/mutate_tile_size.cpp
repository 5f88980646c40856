#include "core/search/decisions/decision_moves.h"
#include "core/search/mutation.h"
#include "core/space/state_facts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nestwright {

namespace {

std::vector<std::int64_t> divisorsAboveOne(std::int64_t n) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 2; d * d <= n; ++d) {
    if (n % d != 0) continue;
    divisors.push_back(d);
    if (d != n / d) divisors.push_back(n / d);
  }
  if (n > 1) divisors.push_back(n);
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

/// As partLimits() gives them.
using PartLimits = std::vector<std::int64_t>;

/// Threads of our own draws are limited by the block and vectors by the bytes of an access, where
/// the public implementation has the limit of innermost parts for all. An instruction that takes
/// the place of a loop needs just its size.
std::int64_t limitOf(Annotation annotation, std::int64_t known, const Stage& stage,
                     const SpaceOptions& options) {
  const GpuFacts& gpu = *options.target.gpu;
  if (annotation == Annotation::Tensorize) return 0;
  if (options.draws != Draws::Own) return known;
  if (annotation == Annotation::Vectorize)
    return gpu.vectorBytes / stage.op->output->type.elementBytes();
  return threadAxis(annotation) ? gpu.threadsPerBlock : known;
}

/// A fetch for tiles of an instruction: along threadIdx.x are the lanes of a warp.
bool isFetchOfWarps(const State& parent, int stage) {
  const std::optional<AttachPoint> point = parent.attachPoint(stage);
  return point && parent.stage(point->stage).tensorInstruction != nullptr;
}

/// The product is a number, and within the limit.
bool isWithin(std::int64_t a, std::int64_t b, std::int64_t limit) {
  std::int64_t size = 0;
  return !__builtin_mul_overflow(a, b, &size) && size <= limit;
}

std::vector<std::int64_t> primesOf(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p * p <= n; ++p) {
    if (n % p != 0) continue;
    primes.push_back(p);
    while (n % p == 0)
      n /= p;
  }
  if (n > 1) primes.push_back(n);
  return primes;
}

/// Moves one divisor from a part to another, both drawn; false when no pair of parts allows it.
bool moveDivisor(std::vector<std::int64_t>& sizes, const PartLimits& limits, Random& random) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random.engine());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::int64_t& from = sizes[order[i]];
    const std::size_t target = order[(i + 1) % order.size()];
    if (from <= 1 || order[i] == target || limits[order[i]] == 0) continue;
    std::vector<std::int64_t> divisors = divisorsAboveOne(from);
    std::erase_if(divisors,
                  [&](std::int64_t d) { return !isWithin(d, sizes[target], limits[target]); });
    if (divisors.empty()) continue;
    const std::int64_t divisor = random.pick(divisors);
    from /= divisor;
    sizes[target] *= divisor;
    return true;
  }
  return false;
}

} // namespace

/// The public implementation leaves out splits whose innermost part is over the limit already; such
/// come with a seed or with a hand-edited program, and no divisor is ever moved to it.
std::vector<std::int64_t> partSizes(const Steps& steps, std::size_t step) {
  const auto& split = std::get<SplitStep>(steps[step]);
  if (!split.extent || *split.extent <= 1 || cutsAReduction(steps, step)) return {};
  std::vector<std::int64_t> sizes;
  std::int64_t rest = *split.extent;
  for (const TileSize& factor : split.factors) {
    if (!factor) return {};
    rest /= *factor;
    sizes.push_back(*factor);
  }
  sizes.insert(split.innerToOuter ? sizes.begin() : sizes.end(), rest);
  return sizes;
}

bool cutsAReduction(const Steps& steps, std::size_t step) {
  return step + 1 < steps.size() && std::holds_alternative<RfactorStep>(steps[step + 1]) &&
         !std::get<SplitStep>(steps[step]).innerToOuter;
}

SplitStep withPartSizes(SplitStep split, const std::vector<std::int64_t>& sizes) {
  std::copy_n(sizes.begin() + (split.innerToOuter ? 1 : 0), split.factors.size(),
              split.factors.begin());
  return split;
}

std::vector<std::int64_t> partLimits(const State& parent, std::size_t step, std::size_t parts,
                                     const SpaceOptions& options) {
  PartLimits limits(parts, std::numeric_limits<std::int64_t>::max());
  // The limit is that of the last drawn factor: of pieces, their number and not their length.
  const bool isOfPieces = !std::get<SplitStep>(parent.steps()[step]).innerToOuter;
  limits[parts - (isOfPieces ? 2 : 1)] = options.maxInnermostFactor;
  if (!options.target.gpu) return limits;
  const int id = finalStageOf(parent.steps(), step);
  const Stage& stage = parent.stage(id);
  const std::vector<Annotation> annotations = partAnnotations(parent, step);
  for (std::size_t i = 0; i < annotations.size(); ++i)
    limits[i] = annotations[i] == Annotation::ThreadX && isFetchOfWarps(parent, id)
                    ? 0
                    : limitOf(annotations[i], limits[i], stage, options);
  return limits;
}

std::vector<std::vector<std::int64_t>> primeMoves(const std::vector<std::int64_t>& sizes,
                                                  const std::vector<std::int64_t>& limits) {
  std::vector<std::vector<std::int64_t>> moves;
  for (std::size_t from = 0; from < sizes.size(); ++from)
    for (std::size_t to = 0; to < sizes.size(); ++to) {
      if (from == to || limits[from] == 0) continue;
      for (const std::int64_t prime : primesOf(sizes[from])) {
        if (!isWithin(prime, sizes[to], limits[to])) continue;
        std::vector<std::int64_t> moved = sizes;
        moved[from] /= prime;
        moved[to] *= prime;
        moves.push_back(std::move(moved));
      }
    }
  return moves;
}

std::optional<State> mutateTileSize(const State& parent, const SpaceOptions& options,
                                    Random& random) {
  std::vector<std::size_t> eligible;
  for (std::size_t i = 0; i < parent.steps().size(); ++i)
    if (std::holds_alternative<SplitStep>(parent.steps()[i]) &&
        !partSizes(parent.steps(), i).empty())
      eligible.push_back(i);
  if (eligible.empty()) return std::nullopt;
  Steps steps = parent.steps();
  const std::size_t chosen = random.pick(eligible);
  auto& split = std::get<SplitStep>(steps[chosen]);
  std::vector<std::int64_t> sizes = partSizes(steps, chosen);
  const PartLimits limits = partLimits(parent, chosen, sizes.size(), options);
  if (!moveDivisor(sizes, limits, random)) return std::nullopt;
  split = withPartSizes(split, sizes);
  return legalProgram(parent.originalDag(), steps, options);
}

} // namespace nestwright
