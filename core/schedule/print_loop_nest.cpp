/// \file The loop nest as text (handbook/ansor.md 12).

#include "core/schedule/state.h"
#include "core/tensor/text.h"

namespace nestwright {

namespace {

class LoopNestPrinter {
 public:
  LoopNestPrinter(const State& state, bool trivialLoops)
      : state_(state), trivialLoops_(trivialLoops) {}

  std::string print() {
    placeholders();
    for (int id = 0; id < state_.stageCount(); ++id) {
      const Stage& stage = state_.stage(id);
      if (!stage.isPlaceholder() && stage.location == ComputeLocation::Root) printStage(id, 0);
    }
    return std::move(text_);
  }

 private:
  void placeholders() {
    text_ += "Placeholder: ";
    const char* separator = "";
    for (int id = 0; id < state_.stageCount(); ++id) {
      if (!state_.stage(id).isPlaceholder()) continue;
      text_ += separator;
      text_ += state_.stage(id).name();
      separator = ", ";
    }
    text_ += '\n';
  }

  void printStage(int id, int indent) {
    const Stage& stage = state_.stage(id);
    printAttribute(stage, "auto_unroll", stage.autoUnrollMaxStep.value_or(0), indent);
    printAttribute(stage, "pipeline_stages", stage.pipelineStages > 1 ? stage.pipelineStages : 0,
                   indent);
    printAttribute(stage, "raster", stage.rasterRows > 1 ? stage.rasterRows : 0, indent);
    printAttribute(stage, "min_blocks", stage.minBlocks > 1 ? stage.minBlocks : 0, indent);
    printAttribute(stage, "storage_offset", stage.storageOffset, indent);
    for (std::size_t i = 0; i < stage.iterators.size(); ++i) {
      const Iterator& iterator = stage.iterators[i];
      if (trivialLoops_ || iterator.extent != TileSize(1)) {
        printLoop(iterator, indent);
        indent += 2;
      }
      for (const int attached : state_.attachedAt({id, static_cast<int>(i)}))
        printStage(attached, indent);
    }
    text_.append(indent, ' ');
    text_ += stage.name();
    text_ += " = ...\n";
  }

  void printAttribute(const Stage& stage, const char* name, std::int64_t value, int indent) {
    if (value == 0) return;
    text_.append(indent, ' ');
    text_ += stage.name();
    text_ += ' ';
    text_ += name;
    text_ += ": ";
    text_ += std::to_string(value);
    text_ += '\n';
  }

  void printLoop(const Iterator& iterator, int indent) {
    text_.append(indent, ' ');
    text_ += keyword(iterator.annotation);
    text_ += ' ';
    text_ += iterator.name;
    if (iterator.extent) {
      text_ += " (";
      text_ += iterator.min ? nestwright::print(iterator.min, DagText::Tvm) : "0";
      text_ += ',';
      text_ += std::to_string(*iterator.extent);
      text_ += ")\n";
    } else {
      text_ += " (None)\n";
    }
  }

  const State& state_;
  bool trivialLoops_;
  std::string text_;
};

} // namespace

std::string printLoopNest(const State& state, bool trivialLoops) {
  return LoopNestPrinter(state, trivialLoops).print();
}

} // namespace nestwright
