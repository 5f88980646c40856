#include "core/lower/gpu/pipeline_shared.h"

#include "core/lower/simplify_indices.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace nestwright {
namespace {

/// Elements that a thread keeps between loading and storing them, at most.
constexpr std::int64_t kMostStaged = 64;

/// Loops and conditions, outermost first, around one store to a buffer of the block.
struct Fetch {
  Buffer buffer;
  std::vector<Stmt> around;
  Stmt store;
  Expr copied; // as a CopyAsync has it; null where the value is more than a copy

  std::int64_t elements() const {
    std::int64_t count = 1;
    for (const Stmt& s : around)
      if (s->kind == StmtKind::For) count *= s->extent;
    return count;
  }
};

/// Loops right inside one another, all to be pipelined, as one loop over all tiles.
struct TileLoop {
  std::vector<Stmt> loops; // outermost first
  std::int64_t tiles = 1;
  std::int64_t stages = 1;

  const Stmt& body() const { return loops.back()->body[0]; }

  /// What each loop's variable is in tile number `tile`.
  std::unordered_map<const VarNode*, Expr> variablesAt(const Expr& tile) const {
    std::unordered_map<const VarNode*, Expr> values;
    std::int64_t inner = 1;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      const std::int64_t extent = (*loop)->extent;
      const Expr quotient = inner == 1 ? tile : floorDiv(tile, Expr(inner));
      values[(*loop)->var.get()] = inner * extent == tiles ? quotient : floorMod(quotient, extent);
      inner *= extent;
    }
    return values;
  }
  std::string name() const {
    if (loops.size() == 1) return loops[0]->var->name;
    std::string joined;
    for (const Stmt& loop : loops)
      joined += loop->var->name + "@";
    return joined;
  }
};

Stmt withVariables(const Stmt& s, const std::unordered_map<const VarNode*, Expr>& values) {
  return mapExprs(s, [&](const Expr& e) {
    return substitute(e, [&](const Var& v) {
      const auto found = values.find(v.get());
      return found == values.end() ? Expr() : found->second;
    });
  });
}

/// The loops and conditions around a statement, with variables of their own.
Stmt nestOf(const std::vector<Stmt>& around, Stmt body) {
  std::unordered_map<const VarNode*, Expr> fresh;
  for (auto s = around.rbegin(); s != around.rend(); ++s) {
    if ((*s)->kind == StmtKind::If) {
      body = makeIf((*s)->condition, std::move(body));
      continue;
    }
    auto loop = std::make_shared<StmtNode>(*withBody(*s, std::move(body)));
    loop->var = makeVar((*s)->var->name);
    fresh[(*s)->var.get()] = Expr(loop->var);
    body = loop;
  }
  return withVariables(body, fresh);
}

class Pipeliner {
 public:
  Pipeliner(const Stmt& launch, const GpuFacts& gpu)
      : simplify_(simplifierFor(launch)), copiesAsync_(gpu.architecture.major >= 8) {
    visit(launch, [&](const Stmt& s) {
      if (s->kind == StmtKind::Allocate)
        scopes_[s->buffer.get()] = s->scope;
      else if (s->buffer)
        written_.insert(s->buffer.get());
    });
  }

  Stmt operator()(const Stmt& s) {
    if (s->kind == StmtKind::For && s->pipelineStages > 1) return pipelined(s);
    return mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
  }

 private:
  static TileLoop tileLoop(Stmt s) {
    TileLoop result;
    for (; s->kind == StmtKind::For && s->pipelineStages > 1 && isConst(s->min, 0);
         s = s->body[0]) {
      result.loops.push_back(s);
      result.tiles *= s->extent;
      result.stages = s->pipelineStages;
    }
    result.stages = std::min(result.stages, result.tiles);
    return result;
  }

  /// Loops around others that are no plain nest stay loops, and so do those that fetch nothing.
  Stmt plain(const Stmt& s) {
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    auto node = std::make_shared<StmtNode>(*mapped);
    node->pipelineStages = 1;
    return node;
  }

  Stmt pipelined(const Stmt& s) {
    const TileLoop loop = tileLoop(s);
    if (loop.stages < 2) return plain(s);
    std::vector<Fetch> fetches;
    const Stmt work = takeFetches(loop.body(), fetches);
    if (fetches.empty()) return plain(s);
    return assembled(loop, fetches, work);
  }

  /// What is left of a loop's body when what it fetches first is taken out, with the memory for it.
  Stmt takeFetches(const Stmt& s, std::vector<Fetch>& fetches) {
    const bool fills = s->kind == StmtKind::Allocate && s->scope == MemoryScope::Block &&
                       s->body[0]->kind == StmtKind::Sequence;
    if (!fills) return s;
    std::vector<Stmt> rest = s->body[0]->body;
    std::optional<Fetch> fetch = asFetch(rest.front(), s->buffer);
    rest.erase(rest.begin());
    if (!fetch || std::ranges::any_of(rest, [&](const Stmt& r) { return writes(r, s->buffer); }))
      return s;
    fetches.push_back(std::move(*fetch));
    return takeFetches(makeSequence(std::move(rest)), fetches);
  }

  static bool usesTensorCores(const Stmt& s) {
    bool found = false;
    visit(s, [&](const Stmt& inner) { found |= inner->kind == StmtKind::Mma; });
    return found;
  }

  static bool writes(const Stmt& s, const Buffer& buffer) {
    bool found = false;
    visit(s, [&](const Stmt& inner) {
      found |= inner->kind != StmtKind::Allocate && inner->buffer == buffer;
    });
    return found;
  }

  std::optional<Fetch> asFetch(Stmt s, const Buffer& buffer) const {
    Fetch fetch;
    fetch.buffer = buffer;
    for (; s->kind == StmtKind::For || s->kind == StmtKind::If; s = s->body[0])
      fetch.around.push_back(s);
    if (s->kind != StmtKind::Store || s->buffer != buffer) return std::nullopt;
    fetch.store = s;
    bool known = readsOnlyInputs(s->value);
    for (const Stmt& around : fetch.around)
      for (const Expr& e : {around->min, around->condition})
        known &= e.get() == nullptr || readsOnlyInputs(e);
    if (!known) return std::nullopt;
    fetch.copied = asCopy(s->value);
    return fetch;
  }

  /// Nothing that the kernel writes: it can as well be read earlier.
  bool readsOnlyInputs(const Expr& e) const {
    bool only = true;
    nestwright::visit(e, [&](const Expr& node) {
      only &= node->kind != ExprKind::Load || isInput(node->buffer);
      return only;
    });
    return only;
  }
  bool isInput(const Buffer& buffer) const {
    return !scopes_.contains(buffer.get()) && !written_.contains(buffer.get());
  }

  /// A load, or one where a condition holds and zero elsewhere; null for all else.
  static Expr asCopy(const Expr& value) {
    if (value->kind == ExprKind::Load) return value;
    if (value->kind != ExprKind::IfThenElse && value->kind != ExprKind::Select) return {};
    const Expr& condition = (*value)[0];
    const Expr then = asCopy((*value)[1]);
    if (then.get() == nullptr || readsMemory(condition) || !isZero((*value)[2])) return {};
    return then->kind == ExprKind::Load
               ? ifThenElse(condition, then, (*value)[2])
               : ifThenElse(condition && (*then)[0], (*then)[1], (*value)[2]);
  }
  /// All bits of it.
  static bool isZero(const Expr& e) {
    return (e->kind == ExprKind::IntImm && e->integer == 0) ||
           (e->kind == ExprKind::FloatImm && e->real == 0 && !std::signbit(e->real));
  }

  bool isAsync(const Fetch& fetch) const { return copiesAsync_ && fetch.copied.get() != nullptr; }

  Stmt assembled(const TileLoop& loop, const std::vector<Fetch>& fetches, const Stmt& work) {
    const std::int64_t ahead = loop.stages - 1;
    for (const Fetch& fetch : fetches)
      wide_[fetch.buffer.get()] = widened(fetch.buffer, loop.stages);
    const bool copies = std::ranges::any_of(fetches, [&](const Fetch& f) { return isAsync(f); });

    const Var tile = makeVar(loop.name());
    simplify_.setRange(tile, {0, loop.tiles - 1});
    const Expr next = Expr(tile) + Expr(ahead);
    const Expr slot = floorMod(Expr(tile), loop.stages), nextSlot = floorMod(next, loop.stages);
    std::vector<Stmt> begun, ended;
    std::vector<Buffer> staged;
    for (const Fetch& fetch : fetches)
      begin(loop, fetch, next, nextSlot, begun, ended, staged);
    const Expr isThere = next < Expr(loop.tiles);
    std::vector<Stmt> body;
    if (copies) body.push_back(makeWait(static_cast<int>(loop.stages - 2)));
    body.push_back(makeBarrier());
    std::vector<Stmt> fetching{makeIf(isThere, makeSequence(std::move(begun)))};
    if (copies) fetching.push_back(makeCommit());
    // Tensor cores work while a thread says what to copy, but not the other way round: copies that
    // have a whole tile's time after this one are said behind the work.
    const bool isLate = loop.stages > 2 && ended.empty() && usesTensorCores(work);
    body.push_back(inSlot(withVariables(work, loop.variablesAt(Expr(tile))), slot));
    body.insert(isLate ? body.end() : body.end() - 1, fetching.begin(), fetching.end());
    if (!ended.empty()) body.push_back(makeIf(isThere, makeSequence(std::move(ended))));
    Stmt iteration = makeSequence(std::move(body));
    for (const Buffer& buffer : staged)
      iteration = makeAllocate(buffer, MemoryScope::PerThread, iteration);

    auto tiles = std::make_shared<StmtNode>(*loop.loops.back());
    tiles->var = tile;
    tiles->extent = loop.tiles;
    tiles->pipelineStages = static_cast<int>(loop.stages);
    tiles->body = {iteration};
    Stmt all = makeSequence({firstTiles(loop, fetches, copies), tiles});
    for (auto fetch = fetches.rbegin(); fetch != fetches.rend(); ++fetch)
      all = makeAllocate(wide_.at(fetch->buffer.get()), MemoryScope::Block, all);
    return all;
  }

  static Buffer widened(const Buffer& buffer, std::int64_t stages) {
    std::vector<std::int64_t> shape = buffer->shape;
    shape.insert(shape.begin(), stages);
    return makeBuffer(buffer->name, std::move(shape), buffer->type);
  }

  /// Those that are fetched before the loop, each a group.
  Stmt firstTiles(const TileLoop& loop, const std::vector<Fetch>& fetches, bool copies) {
    const std::int64_t count = loop.stages - 1;
    const Var first = makeVar(loop.name() + ".first");
    simplify_.setRange(first, {0, count - 1});
    const Expr tile = count == 1 ? Expr(0) : Expr(first);
    std::vector<Stmt> group;
    for (const Fetch& fetch : fetches)
      group.push_back(stored(loop, fetch, tile, tile, isAsync(fetch)));
    if (copies) group.push_back(makeCommit());
    Stmt all = makeSequence(std::move(group));
    return count == 1 ? all : makeFor(first, 0, count, ForKind::Serial, std::move(all));
  }

  /// A tile's fetch: what begins before the work, and what is left to do behind it.
  void begin(const TileLoop& loop, const Fetch& fetch, const Expr& tile, const Expr& slot,
             std::vector<Stmt>& begun, std::vector<Stmt>& ended, std::vector<Buffer>& staged) {
    if (isAsync(fetch) || fetch.elements() > kMostStaged) {
      begun.push_back(stored(loop, fetch, tile, slot, isAsync(fetch)));
      return;
    }
    std::vector<std::int64_t> shape;
    std::vector<Expr> indices;
    for (const Stmt& s : fetch.around)
      if (s->kind == StmtKind::For) {
        shape.push_back(s->extent);
        indices.push_back(Expr(s->var) - s->min);
      }
    const Buffer held = makeBuffer(fetch.buffer->name + ".next", shape, fetch.buffer->type);
    staged.push_back(held);
    Fetch loading = fetch, storing = fetch;
    loading.store = makeStore(held, indices, fetch.store->value);
    storing.store = makeStore(fetch.buffer, fetch.store->indices, load(held, indices));
    begun.push_back(at(loop, loading, tile));
    ended.push_back(inSlot(at(loop, storing, tile), slot));
  }

  Stmt stored(const TileLoop& loop, const Fetch& fetch, const Expr& tile, const Expr& slot,
              bool isAsync) {
    Fetch storing = fetch;
    if (isAsync) storing.store = makeCopyAsync(fetch.buffer, fetch.store->indices, fetch.copied);
    return inSlot(at(loop, storing, tile), slot);
  }

  /// The fetch of another tile.
  Stmt at(const TileLoop& loop, const Fetch& fetch, const Expr& tile) {
    const Stmt nest = withVariables(nestOf(fetch.around, fetch.store), loop.variablesAt(tile));
    visit(nest, [&](const Stmt& s) {
      if (s->kind == StmtKind::For) simplify_.setRange(s->var, rangeOf(*s, simplify_));
    });
    return withoutIdleConditions(mapExprs(nest, [&](const Expr& e) { return simplify_(e); }));
  }
  /// A tile may be all inside, or all outside, of what a condition asks for.
  static Stmt withoutIdleConditions(const Stmt& s) {
    if (s->kind == StmtKind::If && isConst(s->condition, 1))
      return withoutIdleConditions(s->body[0]);
    if (s->kind == StmtKind::If && isConst(s->condition, 0)) return makeSequence({});
    // What lies wholly in the padding has nothing to copy.
    if (s->kind == StmtKind::CopyAsync && !readsMemory(s->value))
      return makeStore(s->buffer, s->indices, s->value);
    return mapChildren(s, withoutIdleConditions, nullptr);
  }

  /// The statement with what was fetched in one of the places for tiles.
  Stmt inSlot(const Stmt& s, const Expr& slot) {
    const auto placed = [&](std::vector<Expr> indices) {
      indices.insert(indices.begin(), slot);
      return indices;
    };
    Stmt mapped = mapChildren(
        s, [&](const Stmt& child) { return inSlot(child, slot); },
        [&](const Expr& e) {
          return rewrite(e, [&](const Expr& node) -> Expr {
            if (node->kind != ExprKind::Load) return node;
            const auto wide = wide_.find(node->buffer.get());
            return wide == wide_.end() ? node : load(wide->second, placed(node->operands));
          });
        });
    const auto wide = s->buffer ? wide_.find(s->buffer.get()) : wide_.end();
    if (wide == wide_.end()) return mapped;
    auto node = std::make_shared<StmtNode>(*mapped);
    node->buffer = wide->second;
    node->indices = placed(node->indices);
    return node;
  }

  IndexSimplifier simplify_;
  bool copiesAsync_;
  std::unordered_map<const BufferNode*, MemoryScope> scopes_; // of what the kernel allocates
  std::unordered_set<const BufferNode*> written_;
  std::unordered_map<const BufferNode*, Buffer> wide_;
};

} // namespace

Stmt pipelineShared(const Stmt& s, const GpuFacts& gpu) {
  if (s->kind == StmtKind::Launch) return Pipeliner(s, gpu)(s);
  return mapChildren(
      s, [&](const Stmt& child) { return pipelineShared(child, gpu); }, nullptr);
}

} // namespace nestwright
