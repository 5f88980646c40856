/// \file Steps for people: tags, keywords, and one sentence for each step.

#include "core/schedule/state.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fmt/ranges.h>

#include <array>

namespace nestwright {

const char* keyword(Annotation annotation) {
  static constexpr std::array<const char*, 12> kKeywords = {
      "for",         "unroll",     "vectorize",   "parallel",   "vthread",     "blockIdx.x",
      "threadIdx.x", "blockIdx.y", "threadIdx.y", "blockIdx.z", "threadIdx.z", "tensorize"};
  return kKeywords[static_cast<std::size_t>(annotation)];
}

std::optional<std::size_t> blockAxis(Annotation annotation) {
  switch (annotation) {
  case Annotation::BlockX:
    return 0;
  case Annotation::BlockY:
    return 1;
  case Annotation::BlockZ:
    return 2;
  default:
    return std::nullopt;
  }
}

std::optional<std::size_t> threadAxis(Annotation annotation) {
  switch (annotation) {
  case Annotation::ThreadX:
    return 0;
  case Annotation::ThreadY:
    return 1;
  case Annotation::ThreadZ:
    return 2;
  default:
    return std::nullopt;
  }
}

bool isThreadLoop(Annotation annotation) {
  return annotation == Annotation::VThread || blockAxis(annotation) || threadAxis(annotation);
}

std::string sizeText(const TileSize& size) {
  return size ? fmt::format("{}", *size) : "?";
}

int stageOf(const Step& step) {
  return std::visit([](const auto& s) { return s.stage; }, step);
}

namespace {

constexpr auto kTags = std::to_array<const char*>(
    {"AN", "FU", "PR", "RE", "SP", "FSP", "FFSP", "SA", "CA", "CI", "CR", "CHR", "CHW", "RF"});
static_assert(kTags.size() == std::variant_size_v<Step>, "each kind of step has a tag");

} // namespace

const char* tag(const Step& step) {
  return kTags[step.index()];
}

std::span<const char* const> stepTags() {
  return kTags;
}

namespace {

/// How a sentence calls stages and loops: by number, or by name when a state is given.
class Speaker {
 public:
  explicit Speaker(const State* state) : state_(state) {}

  std::string stage(int id) const {
    return knows(id) ? state_->stage(id).name() : fmt::format("stage {}", id);
  }

  std::string loop(int stageId, int iterator) const {
    if (const Iterator* found = find(stageId, iterator)) return found->name;
    return fmt::format("{}", iterator);
  }

  std::string loops(int stageId, const std::vector<int>& iterators) const {
    std::vector<std::string> names;
    for (const int iterator : iterators)
      names.push_back(loop(stageId, iterator));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  TileSize extent(int stageId, int iterator) const {
    const Iterator* found = find(stageId, iterator);
    return found != nullptr ? found->extent : TileSize();
  }

 private:
  bool knows(int id) const { return state_ != nullptr && id >= 0 && id < state_->stageCount(); }
  const Iterator* find(int stageId, int iterator) const {
    if (!knows(stageId)) return nullptr;
    const auto& iterators = state_->stage(stageId).iterators;
    const bool valid = iterator >= 0 && iterator < static_cast<int>(iterators.size());
    return valid ? &iterators[iterator] : nullptr;
  }

  const State* state_;
};

/// All parts, outermost first; the part that takes the rest is computed when everything is known.
std::string partsText(const SplitStep& s, TileSize extent) {
  std::vector<std::string> parts;
  TileSize rest = s.extent ? s.extent : extent;
  for (const TileSize& factor : s.factors) {
    parts.push_back(sizeText(factor));
    rest = rest && factor ? TileSize((*rest + *factor - 1) / *factor) : TileSize();
  }
  parts.insert(s.innerToOuter ? parts.begin() : parts.end(), sizeText(rest));
  return fmt::format("{}", fmt::join(parts, ", "));
}

class StepSentence {
 public:
  explicit StepSentence(const State* state) : say_(state) {}

  std::string operator()(const AnnotationStep& s) const {
    return fmt::format("make loop {} of {} \"{}\"", say_.loop(s.stage, s.iterator),
                       say_.stage(s.stage), keyword(s.annotation));
  }
  std::string operator()(const FuseStep& s) const {
    if (s.iterators.empty()) return fmt::format("give {} a loop of extent 1", say_.stage(s.stage));
    return fmt::format("fuse loops {} of {}", say_.loops(s.stage, s.iterators),
                       say_.stage(s.stage));
  }
  std::string operator()(const PragmaStep& s) const {
    return fmt::format("put pragma {} on loop {} of {}", s.pragma, say_.loop(s.stage, s.iterator),
                       say_.stage(s.stage));
  }
  std::string operator()(const ReorderStep& s) const {
    return fmt::format("reorder the loops of {} to {}", say_.stage(s.stage),
                       say_.loops(s.stage, s.order));
  }
  std::string operator()(const SplitStep& s) const {
    const TileSize extent = s.extent ? s.extent : say_.extent(s.stage, s.iterator);
    return fmt::format("split loop {} of {} ({}) into {}", say_.loop(s.stage, s.iterator),
                       say_.stage(s.stage), sizeText(extent), partsText(s, extent));
  }
  std::string operator()(const FollowSplitStep& s) const {
    return fmt::format("split loop {} of {} into {} parts as step {} did",
                       say_.loop(s.stage, s.iterator), say_.stage(s.stage), s.parts + 1,
                       s.sourceStep);
  }
  std::string operator()(const FollowFusedSplitStep& s) const {
    return fmt::format("split loop {} of {} by the product of factor {} of steps {}",
                       say_.loop(s.stage, s.iterator), say_.stage(s.stage), s.level,
                       fmt::join(s.sourceSteps, ", "));
  }
  std::string operator()(const StorageAlignStep& s) const {
    return fmt::format("align the rows of {} at loop {} to {} with offset {}", say_.stage(s.stage),
                       say_.loop(s.stage, s.iterator), quantity(s.factor, "element"), s.offset);
  }
  std::string operator()(const ComputeAtStep& s) const {
    return fmt::format("compute {} inside loop {} of {}", say_.stage(s.stage),
                       say_.loop(s.targetStage, s.targetIterator), say_.stage(s.targetStage));
  }
  std::string operator()(const ComputeInlineStep& s) const {
    return fmt::format("inline {} into its readers", say_.stage(s.stage));
  }
  std::string operator()(const ComputeRootStep& s) const {
    return fmt::format("compute {} on its own", say_.stage(s.stage));
  }
  std::string operator()(const CacheReadStep& s) const {
    std::vector<std::string> readers;
    for (const int reader : s.readers)
      readers.push_back(say_.stage(reader));
    return fmt::format("read {} through a {} copy in {}", say_.stage(s.stage), s.scope,
                       fmt::join(readers, ", "));
  }
  std::string operator()(const CacheWriteStep& s) const {
    return fmt::format("compute {} in a {} buffer and copy it out", say_.stage(s.stage), s.scope);
  }
  std::string operator()(const RfactorStep& s) const {
    return fmt::format("factor loop {} out of the reduction of {}", say_.loop(s.stage, s.iterator),
                       say_.stage(s.stage));
  }

 private:
  Speaker say_;
};

} // namespace

std::string inWords(const Step& step) {
  return std::visit(StepSentence(nullptr), step);
}

std::string inWords(const Step& step, const State& before) {
  return std::visit(StepSentence(&before), step);
}

} // namespace nestwright
