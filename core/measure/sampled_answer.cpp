#include "core/measure/sampled_answer.h"

#include "core/support/error.h"
#include "core/support/random.h"
#include "core/tensor/evaluate_at.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr int kElements = 1000;
constexpr double kMostSteps = 2e8; // some seconds; at least one element of each output is compared
constexpr std::uint64_t kSampleSeed = 1;

std::vector<std::int64_t> sampleOf(const Buffer& tensor) {
  std::vector<std::int64_t> sample;
  const std::int64_t elements = tensor->elements();
  if (elements <= kElements) {
    for (std::int64_t n = 0; n < elements; ++n)
      sample.push_back(n);
    return sample;
  }
  Random random = Random::stream(kSampleSeed, tensor->name, 0);
  for (int i = 0; i < kElements; ++i)
    sample.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(elements))));
  return sample;
}

struct Compared {
  std::int64_t n = 0;
  double actual = 0, expected = 0;
};

const Compared* differing(const std::vector<Compared>& elements, const Tolerance& tolerance) {
  const AnswerComparison comparison(
      elements.size(), [&](std::size_t i) { return elements[i].expected; }, tolerance);
  const auto wrong = std::ranges::find_if(elements, [&](const Compared& element) {
    return !comparison.allows(element.actual, element.expected);
  });
  return wrong == elements.end() ? nullptr : &*wrong;
}

} // namespace

std::string sampleError(const ComputeDag& dag, const std::vector<std::vector<std::uint8_t>>& inputs,
                        const std::vector<std::vector<std::uint8_t>>& outputs,
                        const Tolerance& tolerance) {
  const std::vector<Op> given = dag.inputs(), results = dag.outputs();
  NW_ASSERT(inputs.size() == given.size() && outputs.size() == results.size(),
            "tensors are missing");
  ElementEvaluator definition(dag, [&](const Op& op, std::int64_t n) {
    const auto at = static_cast<std::size_t>(std::ranges::find(given, op) - given.begin());
    return elementAt(inputs[at], op->output->type, static_cast<std::size_t>(n));
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Buffer& tensor = results[i]->output;
    std::vector<Compared> elements;
    const double most =
        kMostSteps * static_cast<double>(i + 1) / static_cast<double>(results.size());
    for (const std::int64_t n : sampleOf(tensor)) {
      if (!elements.empty() && definition.steps() > most) break;
      elements.push_back({n, elementAt(outputs[i], tensor->type, static_cast<std::size_t>(n)),
                          definition.element(results[i], n)});
    }
    if (const Compared* wrong = differing(elements, toleranceFor(tensor->type, tolerance)))
      return fmt::format("element {} of {} is {:.9g}, and by its definition {:.9g}", wrong->n,
                         tensor->name, wrong->actual, wrong->expected);
  }
  return {};
}

} // namespace nestwright
