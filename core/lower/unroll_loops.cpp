#include "core/lower/unroll_loops.h"

namespace nestwright {
namespace {

constexpr int kMaxUnrolledDepth = 8;
/// Statements after which replication of an explicitly unrolled loop stops: 4096 vector statements
/// are about 32 KiB of code.
constexpr std::int64_t kMaxExplicitStatements = 4096;

/// What is inside of a statement.
struct Contents {
  std::int64_t statements = 0; // after unrolling
  int unrolledDepth = 0;
  bool loops = false; // any that stays a loop
};

Stmt unroll(const Stmt& s, Contents& contents) {
  if (storesElements(s->kind)) contents.statements = 1;
  // A loop around a barrier, or around what is waited for there, gains nothing from being unrolled.
  contents.loops = s->kind == StmtKind::Barrier || s->kind == StmtKind::Commit;
  Stmt mapped = mapChildren(
      s,
      [&](const Stmt& child) {
        Contents inside;
        Stmt result = unroll(child, inside);
        contents.statements += inside.statements;
        contents.unrolledDepth = std::max(contents.unrolledDepth, inside.unrolledDepth);
        contents.loops |= inside.loops;
        return result;
      },
      nullptr);
  if (s->kind != StmtKind::For) return mapped;
  std::int64_t total = contents.statements * s->extent;
  bool literal = asInt(s->min) != nullptr;
  bool unrolls = s->forKind == ForKind::Unrolled && literal && total <= kMaxExplicitStatements;
  unrolls |= s->forKind == ForKind::Serial && literal && !contents.loops &&
             contents.unrolledDepth <= kMaxUnrolledDepth && total <= s->unrollMaxStep;
  ForKind kind = s->forKind;
  if (unrolls)
    kind = ForKind::Unrolled;
  else if (kind == ForKind::Unrolled)
    kind = ForKind::Serial;
  if (unrolls) {
    contents.statements = total;
    ++contents.unrolledDepth;
  } else {
    contents.loops = true;
  }
  if (kind == s->forKind) return mapped;
  auto node = std::make_shared<StmtNode>(*mapped);
  node->forKind = kind;
  return node;
}

} // namespace

Stmt unrollLoops(const Stmt& s) {
  Contents contents;
  return unroll(s, contents);
}

} // namespace nestwright
