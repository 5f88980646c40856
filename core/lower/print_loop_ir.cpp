#include "core/lower/loop_ir.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

namespace nestwright {
namespace {

const char* keyword(ForKind kind) {
  switch (kind) {
  case ForKind::Serial:
    return "for";
  case ForKind::Parallel:
    return "parallel";
  case ForKind::Vectorized:
    return "vectorized";
  case ForKind::Unrolled:
    return "unrolled";
  }
  NW_ASSERT(false, "unknown loop kind {}", static_cast<int>(kind));
  return "";
}

const char* word(MemoryScope scope) {
  switch (scope) {
  case MemoryScope::Shared:
    return "shared";
  case MemoryScope::PerThread:
    return "per thread";
  case MemoryScope::Register:
    return "registers";
  }
  NW_ASSERT(false, "unknown memory scope {}", static_cast<int>(scope));
  return "";
}

std::string indexList(const std::vector<Expr>& indices) {
  std::vector<std::string> texts;
  for (const Expr& e : indices)
    texts.push_back(print(e));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string declaration(const Buffer& b) {
  return fmt::format("{}: {}[{}]", b->name, toString(b->type), fmt::join(b->shape, ", "));
}

std::string forLine(const StmtNode& s) {
  std::string last = print(s.min + Expr(s.extent));
  std::string line =
      fmt::format("{} {} in [{}, {})", keyword(s.forKind), s.var->name, print(s.min), last);
  if (s.unrollMaxStep > 0) line += fmt::format(" auto_unroll: {}", s.unrollMaxStep);
  return line;
}

void print(const Stmt& s, int level, std::string& out) {
  const std::string indent(2 * static_cast<std::size_t>(level), ' ');
  int inner = level + 1;
  switch (s->kind) {
  case StmtKind::For:
    out += fmt::format("{}{}\n", indent, forLine(*s));
    break;
  case StmtKind::Store:
    out += fmt::format("{}{}[{}] = {}\n", indent, s->buffer->name, indexList(s->indices),
                       print(s->value));
    break;
  case StmtKind::Block:
    inner = level;
    break;
  case StmtKind::Allocate:
    out += fmt::format("{}allocate {} in {}\n", indent, declaration(s->buffer), word(s->scope));
    inner = level;
    break;
  case StmtKind::If:
    out += fmt::format("{}if {}\n", indent, print(s->condition));
    break;
  }
  for (const Stmt& child : s->body)
    print(child, inner, out);
}

} // namespace

std::string print(const Stmt& stmt) {
  std::string out;
  print(stmt, 0, out);
  return out;
}

std::string print(const LoopFunction& function) {
  std::vector<std::string> inputs, outputs;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    (static_cast<int>(i) < function.inputCount ? inputs : outputs)
        .push_back(declaration(function.parameters[i]));
  std::string out = fmt::format("{}({}) -> ({})\n", function.name, fmt::join(inputs, ", "),
                                fmt::join(outputs, ", "));
  for (const auto& [buffer, values] : function.constants)
    out += fmt::format("  constant {}\n", declaration(buffer));
  print(function.body, 1, out);
  return out;
}

} // namespace nestwright
