#include "plugins/torch/learner/engine.h"

#include "core/support/error.h"
#include "core/support/quantity.h"
#include "plugins/torch/learner/attention.h"
#include "plugins/torch/learner/contributions.h"
#include "plugins/torch/learner/kept_network.h"
#include "plugins/torch/learner/scores.h"
#include "plugins/torch/learner/training.h"

#include <map>
#include <new>
#include <span>
#include <string_view>

namespace nestwright::learner {

namespace {

void requireCount(bool fits, const NetworkShape& shape, std::size_t given) {
  if (!fits)
    throw InputError(fmt::format(
        "the network {} with {} and {} does not have {}", name(shape.architecture),
        quantity(std::int64_t(parameterCount(shape)), "parameter"),
        quantity(std::int64_t(shape.columns), "column"), quantity(std::int64_t(given), "number")));
}

/// The library tells want of memory by words alone.
template <class F>
auto toldAsBadAlloc(const F& f) {
  try {
    return f();
  } catch (const c10::Error& error) {
    if (std::string_view(error.what_without_backtrace()).find("allocate memory") !=
        std::string_view::npos)
      throw std::bad_alloc();
    throw InputError(fmt::format("libtorch: {}", error.what_without_backtrace()));
  }
}

} // namespace

struct Engine::Parts {
  std::map<std::string, KeptNetwork> kept;
  std::unique_ptr<Training> training;

  const KeptNetwork& named(const std::string& name) const {
    const auto found = kept.find(name);
    if (found == kept.end()) throw InputError(fmt::format("the learner keeps no network {}", name));
    return found->second;
  }
};

Engine::Engine() : parts_(std::make_unique<Parts>()) {
  torch::set_num_threads(1); // threads are ours: one a part of the work
}

Engine::~Engine() = default;

void Engine::keep(const KeepWork& work, const std::vector<float>& numbers) {
  requireSensible(work.shape);
  const std::size_t count = parameterCount(work.shape);
  requireCount(numbers.size() == count || numbers.size() == count + work.shape.columns, work.shape,
               numbers.size());
  if (parts_->kept.size() >= kKeptNetworks) parts_->kept.clear();
  toldAsBadAlloc([&] {
    parts_->kept.insert_or_assign(work.name,
                                  KeptNetwork(work.shape, std::span(numbers).first(count),
                                              std::span(numbers).subspan(count), false));
  });
}

std::vector<float> Engine::score(const ScoreWork& work) const {
  const KeptNetwork& network = parts_->named(work.name);
  const MappedTable table(work.table);
  return toldAsBadAlloc(
      [&] { return scoresOf(network, table, 0, table.programs(), work.threads); });
}

std::vector<float> Engine::explain(const ExplainWork& work) const {
  const KeptNetwork& network = parts_->named(work.name);
  const MappedTable table(work.table);
  requireColumns(network.shape, table);
  if (table.programs() != 1 || work.head >= network.shape.heads)
    throw InputError("one output of one program can be explained at once");
  return toldAsBadAlloc([&] { return contributions(network, table, work.head); });
}

std::vector<float> Engine::attention(const AttentionWork& work) const {
  const KeptNetwork& network = parts_->named(work.name);
  const MappedTable table(work.table);
  requireColumns(network.shape, table);
  if (!network.shape.ofSteps())
    throw InputError(fmt::format("a network {} has no attention between rows",
                                 name(network.shape.architecture)));
  if (table.programs() != 1) throw InputError("attention is told of one program at once");
  return toldAsBadAlloc([&] { return learner::attentionOf(network, table); });
}

void Engine::start(const StartWork& work, const std::vector<float>& numbers) {
  requireSensible(work.shape);
  const std::size_t count = trainingNumbers(work.shape);
  requireCount(numbers.size() == count || numbers.size() == count + work.shape.columns, work.shape,
               numbers.size());
  if (work.step.batch == 0 || work.threads < 1)
    throw InputError("a batch has at least one program, and one thread at least works");
  parts_->training.reset();
  toldAsBadAlloc([&] { parts_->training = std::make_unique<Training>(work, numbers); });
}

EpochAnswer Engine::epoch(const EpochWork& work, const std::function<void(std::size_t)>& tell) {
  if (!parts_->training) throw InputError("no training was begun");
  return toldAsBadAlloc([&] { return parts_->training->epoch(work, tell); });
}

std::string Engine::libraryVersion() {
  return TORCH_VERSION;
}

} // namespace nestwright::learner
