#include "core/lower/ir_lines.h"

#include <string_view>

namespace nestwright {

namespace {

/// Loops whose body is there once, however often it runs.
bool repeats(const StmtNode& s) {
  return s.kind == StmtKind::For && s.forKind != ForKind::Unrolled && s.extent > 1;
}

bool holdsLoop(const Stmt& s) {
  for (const Stmt& child : s->body)
    if (repeats(*child) || holdsLoop(child)) return true;
  return false;
}

class LineWalk {
 public:
  explicit LineWalk(const LoopFunction& function) {
    lines_.resize(1 + function.constants.size());
    if (function.body) walk(function.body, -1, -1, 1);
  }
  std::vector<IrLine> take() { return std::move(lines_); }

 private:
  /// As print() does it: every statement but a sequence has a line, parents before children.
  void walk(const Stmt& s, int parent, int loop, double executions) {
    int line = parent;
    if (s->kind != StmtKind::Sequence) {
      line = static_cast<int>(lines_.size());
      if (repeats(*s)) executions *= static_cast<double>(s->extent);
      if (s->kind == StmtKind::Launch)
        executions *= static_cast<double>(s->launch->blocks() * s->launch->threadsPerBlock());
      if (s->kind == StmtKind::For) loop = line;
      lines_.push_back({s, loop, parent, 0, executions, repeats(*s) && !holdsLoop(s)});
    }
    for (const Stmt& child : s->body)
      walk(child, line, loop, executions);
    if (s->kind != StmtKind::Sequence)
      lines_[static_cast<std::size_t>(line)].end = static_cast<int>(lines_.size());
  }

  std::vector<IrLine> lines_;
};

/// mapChildren keeps what does not change; here everything is to be new.
Stmt copyOf(const Stmt& s) {
  auto copy = std::make_shared<StmtNode>(*s);
  for (Stmt& child : copy->body)
    child = copyOf(child);
  return copy;
}

} // namespace

std::vector<IrLine> irLines(const LoopFunction& function) {
  return LineWalk(function).take();
}

LoopFunction withOwnStatements(const LoopFunction& function) {
  LoopFunction result = function;
  if (result.body) result.body = copyOf(result.body);
  return result;
}

std::string scheduleName(const std::string& loopVariable) {
  std::string_view name = loopVariable;
  for (const std::string_view suffix : {".init", ".out", ".first", ".u", ".v", ".e"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return std::string(name);
}

} // namespace nestwright
