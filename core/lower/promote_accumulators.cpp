#include "core/lower/promote_accumulators.h"

#include "core/lower/tile_writer.h"

namespace nestwright {
namespace {

class Pass {
 public:
  Pass(const Stmt& root, const LowerOptions& options) : options_(options) {
    visit(root, [&](const Stmt& s) {
      if (s->kind != StmtKind::For) return;
      Interval start = simplify_.range(s->min);
      simplify_.setRange(s->var, {start.low, start.high + s->extent - 1});
    });
  }

  Stmt operator()(const Stmt& s) {
    if (s->kind == StmtKind::Block) return block(s);
    if (s->kind == StmtKind::For || s->kind == StmtKind::If)
      if (Stmt promoted = promote(s)) return promoted;
    return mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
  }

 private:
  /// An initialisation is the statement before its update.
  Stmt block(const Stmt& s) {
    std::vector<Stmt> statements;
    for (std::size_t i = 0; i < s->body.size(); ++i) {
      Stmt pair =
          i + 1 < s->body.size() ? promote(makeBlock({s->body[i], s->body[i + 1]})) : nullptr;
      statements.push_back(pair ? pair : (*this)(s->body[i]));
      if (pair) ++i;
    }
    return makeBlock(std::move(statements));
  }

  Stmt promote(const Stmt& s) {
    std::vector<Stmt> outside;
    std::optional<ReductionNest> nest = matchReductionNest(s, outside);
    if (!nest) return nullptr;
    joinLoops(*nest, simplify_);
    Stmt tiles = writeTiles(*nest, chooseRegisterTile(*nest, simplify_, options_), simplify_);
    for (std::size_t i = outside.size(); i-- > 0;)
      tiles = withBody(outside[i], tiles);
    return tiles;
  }

  const LowerOptions& options_;
  IndexSimplifier simplify_;
};

} // namespace

Stmt promoteAccumulators(const Stmt& s, const LowerOptions& options) {
  return Pass(s, options)(s);
}

} // namespace nestwright
