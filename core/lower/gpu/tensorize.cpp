#include "core/lower/gpu/tensorize.h"

#include "core/lower/expand_lanes.h"
#include "core/lower/simplify_indices.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <unordered_map>

namespace nestwright {
namespace {

bool isTile(const Stmt& s) {
  return s->kind == StmtKind::For && s->forKind == ForKind::Tensorized;
}

/// The loops of a tile around one store.
struct Tile {
  std::vector<Stmt> loops;
  Stmt store;

  const TensorInstruction& instruction() const { return *loops[0]->instruction; }
};

/// The sums of a kernel as lanes hold them.
struct Sums {
  const TensorInstruction* instruction = nullptr;
  std::size_t rows = 0, columns = 0; // which dimension of the buffer they are
  Buffer fragments;                  // tiles in place of elements, and last the elements of a lane
};

/// One factor of the product: its load, and how far apart its rows and columns are.
struct Operand {
  Expr load; // of the tile's first element
  FragmentLoad access;
};

class Tensorizer {
 public:
  explicit Tensorizer(const Stmt& launch)
      : launch_(*launch->launch), simplify_(simplifierFor(launch)) {
    visit(launch, [&](const Stmt& s) {
      if (s->kind == StmtKind::Allocate) scopes_[s->buffer.get()] = s->scope;
    });
    findSums(launch->body[0]);
  }

  Stmt run(const Stmt& launch) {
    if (sums_.empty()) return launch;
    const LaunchAxis& lanes = launch_.threads[0];
    if (!lanes.var || lanes.extent != kLanes)
      refuse(fmt::format("it has {} along x, where the lanes of a warp are wanted",
                         quantity(lanes.extent, "thread")));
    return withBody(launch, statement(launch->body[0]));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw IllegalSchedule(
        fmt::format("the kernel {} cannot use a tensor instruction: {}", launch_.kernel, why));
  }

  Tile tileAt(Stmt s) const {
    Tile tile;
    for (; isTile(s); s = s->body[0])
      tile.loops.push_back(s);
    if (s->kind != StmtKind::Store)
      refuse("its tile holds more than one statement, or reaches over an edge");
    tile.store = s;
    return tile;
  }

  // Which buffers hold sums.

  void findSums(const Stmt& s) {
    if (!isTile(s)) {
      for (const Stmt& child : s->body)
        findSums(child);
      return;
    }
    const Tile tile = tileAt(s);
    if (tile.loops.size() != 3) return; // they start at zero, elsewhere they are added to
    const StmtNode& store = *tile.store;
    const TensorInstruction& instruction = tile.instruction();
    Sums sums;
    sums.instruction = &instruction;
    sums.rows = dimensionOf(store, loopOf(tile, instruction, TensorOperand::A)->var);
    sums.columns = dimensionOf(store, loopOf(tile, instruction, TensorOperand::B)->var);
    requireTile(tile, instruction, sums);
    std::vector<std::int64_t> shape = store.buffer->shape;
    if (shape[sums.rows] % instruction.m != 0 || shape[sums.columns] % instruction.n != 0 ||
        store.buffer->type != kFloat32)
      refuse(fmt::format("{} is no number of tiles of sums in float32", store.buffer->name));
    shape[sums.rows] /= instruction.m;
    shape[sums.columns] /= instruction.n;
    shape.push_back(fragmentElements(instruction, TensorOperand::Sums));
    sums.fragments = makeBuffer(store.buffer->name, std::move(shape), kFloat32);
    sums_[store.buffer.get()] = std::move(sums);
  }

  /// The loop along the rows of the sums (A) or along their columns (B). Which of the tile's loops
  /// that is, their lengths tell.
  const Stmt& loopOf(const Tile& tile, const TensorInstruction& instruction,
                     TensorOperand side) const {
    const int length = side == TensorOperand::A ? instruction.m : instruction.n;
    const auto found = std::find_if(tile.loops.begin(), tile.loops.end(), [&](const Stmt& loop) {
      return !loop->reduction && loop->extent == length;
    });
    if (found == tile.loops.end())
      refuse(fmt::format("no loop of its tile has the {} iterations that {} takes", length,
                         instruction.name));
    return *found;
  }

  const Stmt& summedLoop(const Tile& tile) const {
    const auto found = std::find_if(tile.loops.begin(), tile.loops.end(),
                                    [](const Stmt& loop) { return loop->reduction; });
    if (found == tile.loops.end() || (*found)->extent != tile.instruction().k)
      refuse(fmt::format("no loop of its tile sums over the {} elements that {} takes",
                         tile.instruction().k, tile.instruction().name));
    return *found;
  }

  /// The only dimension that the variable indexes.
  std::size_t dimensionOf(const StmtNode& store, const Var& var) const {
    const auto isIt = [&](const Expr& index) { return uses(index, var); };
    const auto found = std::find_if(store.indices.begin(), store.indices.end(), isIt);
    if (store.indices.size() != store.buffer->shape.size() || found == store.indices.end() ||
        std::find_if(found + 1, store.indices.end(), isIt) != store.indices.end())
      refuse(fmt::format("its tile is none of {}", store.buffer->name));
    return static_cast<std::size_t>(found - store.indices.begin());
  }

  /// Lanes hold the elements of whole tiles, which begin at multiples of their size.
  void requireTile(const Tile& tile, const TensorInstruction& instruction, const Sums& sums) {
    requireNeighbours(*tile.store, sums.rows, loopOf(tile, instruction, TensorOperand::A)->var,
                      instruction.m);
    requireNeighbours(*tile.store, sums.columns, loopOf(tile, instruction, TensorOperand::B)->var,
                      instruction.n);
  }

  /// The variable runs over `size` neighbours, from a multiple of it on.
  void requireNeighbours(const StmtNode& store, std::size_t dimension, const Var& var, int size) {
    const LinearForm form = simplify_.linear(store.indices[dimension]);
    const bool fits =
        dimensionOf(store, var) == dimension && coefficientOf(form, var) == 1 &&
        form.constant % size == 0 &&
        std::all_of(form.terms.begin(), form.terms.end(), [&](const LinearForm::Term& term) {
          return term.coefficient % size == 0 ||
                 (term.atom->kind == ExprKind::Var && term.atom->var == var);
        });
    if (!fits)
      refuse(fmt::format("a tile of {} is not {} neighbours from a multiple of {} on",
                         store.buffer->name, size, size));
  }

  // Statements.

  bool dependsOnThread(const Expr& e) const {
    return readsMemory(e) || std::ranges::any_of(launch_.threads, [&](const LaunchAxis& threads) {
             return threads.var && uses(e, threads.var);
           });
  }

  static bool holdsTile(const Stmt& s) {
    bool found = false;
    visit(s, [&](const Stmt& inner) { found |= isTile(inner); });
    return found;
  }

  Stmt statement(const Stmt& s) {
    switch (s->kind) {
    case StmtKind::For: {
      const Stmt inner = innermost(s);
      if (!isTile(inner)) break;
      const Tile tile = tileAt(inner);
      if (tile.loops.size() == 2) return aroundTile(s, inner, zeros(tile));
      return products(s, inner, tile);
    }
    case StmtKind::If:
      // Whole warps meet at an instruction, and all warps of a block at the barriers of what it
      // reads.
      if (dependsOnThread(s->condition) && holdsTile(s))
        refuse("some of its threads have no part in a tile");
      break;
    case StmtKind::Allocate: {
      const auto found = sums_.find(s->buffer.get());
      if (found == sums_.end()) break;
      return makeAllocate(found->second.fragments, MemoryScope::PerThread, statement(s->body[0]));
    }
    case StmtKind::Store:
      if (sums_.contains(s->buffer.get()))
        refuse(fmt::format("{} is also stored to by what is no tile", s->buffer->name));
      break;
    default:
      break;
    }
    return mapChildren(
        s, [&](const Stmt& child) { return statement(child); },
        [&](const Expr& e) { return ofOwnShare(e); });
  }

  /// What is inside of loops around nothing else.
  static Stmt innermost(Stmt s) {
    while (s->kind == StmtKind::For && !isTile(s))
      s = s->body[0];
    return s;
  }

  /// The loops from `s` to the tile, around something in its place.
  static Stmt aroundTile(const Stmt& s, const Stmt& tile, const Stmt& instead) {
    return s == tile ? instead : withBody(s, aroundTile(s->body[0], tile, instead));
  }

  /// The expression where the tile's loops are at their first iteration.
  Expr atStart(const Expr& e, const Tile& tile) {
    return simplify_(substitute(e, [&](const Var& v) {
      const bool isOne = std::any_of(tile.loops.begin(), tile.loops.end(),
                                     [&](const Stmt& loop) { return loop->var == v; });
      return isOne ? Expr(0) : Expr();
    }));
  }

  /// Where the lane that holds an element of the sums has it.
  std::vector<Expr> shareIndices(const Sums& sums, std::vector<Expr> indices) {
    const Expr row = indices[sums.rows], column = indices[sums.columns];
    indices[sums.rows] = floorDiv(row, sums.instruction->m);
    indices[sums.columns] = floorDiv(column, sums.instruction->n);
    indices.push_back(floorDiv(floorMod(row, sums.instruction->m), 8) * 2 + floorMod(column, 2));
    for (Expr& index : indices)
      index = simplify_(index);
    return indices;
  }

  Stmt zeros(const Tile& tile) {
    const StmtNode& store = *tile.store;
    const auto found = sums_.find(store.buffer.get());
    if (found == sums_.end() || readsMemory(store.value))
      refuse(fmt::format("a tile of {} does not start at a literal", store.buffer->name));
    const TensorInstruction& instruction = *found->second.instruction;
    requireTile(tile, instruction, found->second);
    std::vector<Expr> indices = store.indices;
    for (Expr& index : indices)
      index = atStart(index, tile);
    indices = shareIndices(found->second, std::move(indices));
    const int held = fragmentElements(instruction, TensorOperand::Sums);
    const Var element = makeVar("element");
    indices.back() = Expr(element);
    return makeFor(element, 0, held, ForKind::Unrolled,
                   makeStore(found->second.fragments, std::move(indices), store.value));
  }

  /// A load that the instruction may widen: float32(A[...]).
  Expr loadOf(const Expr& factor, const TensorInstruction& instruction) const {
    const bool widens = factor->kind == ExprKind::Cast && factor->type == kFloat32;
    const Expr& load = widens ? (*factor)[0] : factor;
    if (load->kind != ExprKind::Load || load->type != instruction.input)
      refuse(fmt::format("{} multiplies elements of {} just as they lie in memory",
                         instruction.name, toString(instruction.input)));
    if (sums_.contains(load->buffer.get()))
      refuse(fmt::format("the sums in {} are factors of others", load->buffer->name));
    return load;
  }

  /// How the tile of an operand lies in memory; `rows` and `columns` are the loops along them.
  Operand operandOf(const Expr& load, const Tile& tile, TensorOperand side, const Var& rows,
                    const Var& columns) {
    const LinearForm form = simplify_.linear(flatIndex(*load->buffer, load->operands));
    const std::optional<std::int64_t> rowStride = coefficientOf(form, rows);
    const std::optional<std::int64_t> columnStride = coefficientOf(form, columns);
    if (!rowStride || !columnStride || *rowStride <= 0 || *columnStride <= 0)
      refuse(fmt::format("the rows and columns of {} are not evenly apart", load->buffer->name));
    std::vector<Expr> first;
    for (const Expr& index : load->operands)
      first.push_back(atStart(index, tile));
    Operand operand{loadAt(load->buffer, first), {side, *rowStride, *columnStride, false}};
    operand.access.whole = isInWholeRows(operand, form, rows, columns);
    return operand;
  }

  /// Whether eight neighbours along one axis are 16 aligned bytes of shared memory.
  bool isInWholeRows(const Operand& operand, const LinearForm& form, const Var& rows,
                     const Var& columns) const {
    const Buffer& buffer = operand.load->buffer;
    const auto scope = scopes_.find(buffer.get());
    if (scope == scopes_.end() || scope->second != MemoryScope::Block ||
        buffer->type.elementBytes() != 2)
      return false;
    const auto [rowStride, columnStride] =
        std::pair(operand.access.rowStride, operand.access.columnStride);
    if (std::min(rowStride, columnStride) != 1 || std::max(rowStride, columnStride) % 8 != 0)
      return false;
    return form.constant % 8 == 0 &&
           std::all_of(form.terms.begin(), form.terms.end(), [&](const LinearForm::Term& term) {
             const bool ofTile = term.atom->kind == ExprKind::Var &&
                                 (term.atom->var == rows || term.atom->var == columns);
             return ofTile || term.coefficient % 8 == 0;
           });
  }

  /// The products of the tiles of a warp: the loops from `s` to the tile. Those around the
  /// reduction, and those along which both operands change, stay as they are; inside, each tile of
  /// an operand is loaded once.
  Stmt products(const Stmt& s, const Stmt& inner, const Tile& tile) {
    const TensorInstruction& instruction = tile.instruction();
    const StmtNode& store = *tile.store;
    const auto sums = sums_.find(store.buffer.get());
    if (tile.loops.size() != 3)
      refuse(fmt::format("{} cannot be a tile of {}", quantity(std::ssize(tile.loops), "loop"),
                         instruction.name));
    const bool adds = store.value->kind == ExprKind::Add &&
                      (*store.value)[1]->kind == ExprKind::Mul &&
                      equalStructure((*store.value)[0], load(store.buffer, store.indices));
    if (sums == sums_.end() || !adds)
      refuse(fmt::format("{} does not add products to its tile", store.buffer->name));
    const Var rows = loopOf(tile, instruction, TensorOperand::A)->var;
    const Var columns = loopOf(tile, instruction, TensorOperand::B)->var;
    const Var summed = summedLoop(tile)->var;
    Expr left = loadOf((*(*store.value)[1])[0], instruction);
    Expr right = loadOf((*(*store.value)[1])[1], instruction);
    if (uses(right, rows)) std::swap(left, right);
    if (uses(left, columns) || uses(right, rows))
      refuse("both factors change along the rows, or along the columns, of its tile");
    const Operand a = operandOf(left, tile, TensorOperand::A, rows, summed);
    const Operand b = operandOf(right, tile, TensorOperand::B, summed, columns);

    std::vector<Expr> indices = store.indices;
    for (Expr& index : indices)
      index = atStart(index, tile);
    indices = shareIndices(sums->second, std::move(indices));

    // From the inside: loops over tiles of the warp.
    std::vector<Stmt> around, ofWarp;
    for (Stmt loop = s; loop != inner; loop = loop->body[0])
      around.push_back(loop);
    while (!around.empty() && !around.back()->reduction &&
           uses(a.load, around.back()->var) != uses(b.load, around.back()->var)) {
      ofWarp.insert(ofWarp.begin(), around.back());
      around.pop_back();
    }
    Fragments fragmentsA = fragmentsOf(a, ofWarp, instruction);
    Fragments fragmentsB = fragmentsOf(b, ofWarp, instruction);
    Stmt multiply = makeMma(instruction, sums->second.fragments, std::move(indices),
                            load(fragmentsA.buffer, fragmentsA.indices),
                            load(fragmentsB.buffer, fragmentsB.indices));
    Stmt body = makeSequence(
        {fragmentsA.loads, fragmentsB.loads, aroundLoops(ofWarp, std::move(multiply))});
    body = makeAllocate(fragmentsA.buffer, MemoryScope::PerThread,
                        makeAllocate(fragmentsB.buffer, MemoryScope::PerThread, std::move(body)));
    return aroundLoops(around, std::move(body));
  }

  static Stmt aroundLoops(const std::vector<Stmt>& loops, Stmt body) {
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
      body = withBody(*loop, std::move(body));
    return body;
  }

  /// What a lane holds of an operand, for all tiles of the warp.
  struct Fragments {
    Buffer buffer;
    std::vector<Expr> indices; // of the first element that belongs to the tile at hand
    Stmt loads;
  };

  static Fragments fragmentsOf(const Operand& operand, const std::vector<Stmt>& ofWarp,
                               const TensorInstruction& instruction) {
    Fragments fragments;
    std::vector<std::int64_t> shape;
    std::vector<Stmt> loops;
    std::unordered_map<const VarNode*, Var> own;
    std::vector<Expr> ownIndices;
    for (const Stmt& loop : ofWarp) {
      if (!uses(operand.load, loop->var)) continue;
      shape.push_back(loop->extent);
      fragments.indices.emplace_back(loop->var);
      auto copy = std::make_shared<StmtNode>(*loop);
      copy->var = own[loop->var.get()] = makeVar(loop->var->name, loop->var->type);
      ownIndices.emplace_back(copy->var);
      loops.push_back(std::move(copy));
    }
    shape.push_back(fragmentElements(instruction, operand.access.operand));
    fragments.indices.emplace_back(0);
    ownIndices.emplace_back(0);
    fragments.buffer = makeBuffer(fmt::format("{}.fragment", operand.load->buffer->name),
                                  std::move(shape), instruction.input);
    const Expr first = substitute(operand.load, [&](const Var& v) {
      const auto found = own.find(v.get());
      return found == own.end() ? Expr() : Expr(found->second);
    });
    fragments.loads = aroundLoops(
        loops, makeLoadFragment(instruction, fragments.buffer, ownIndices, first, operand.access));
    return fragments;
  }

  /// Reads of sums, as reads of the share of the lane that runs.
  Expr ofOwnShare(const Expr& e) {
    return rewrite(e, [&](const Expr& node) -> Expr {
      if (node->kind != ExprKind::Load) return node;
      const auto found = sums_.find(node->buffer.get());
      if (found == sums_.end()) return node;
      const Expr row = floorMod((*node)[found->second.rows], 8);
      const Expr column = floorMod((*node)[found->second.columns], 8);
      const Expr holder = row * 4 + floorDiv(column, 2);
      if (!simplify_.proves(equal(holder, Expr(launch_.threads[0].var))))
        refuse(
            fmt::format("a lane reads elements of {} that another one holds", node->buffer->name));
      return load(found->second.fragments, shareIndices(found->second, node->operands));
    });
  }

  const Launch& launch_;
  IndexSimplifier simplify_;
  std::unordered_map<const BufferNode*, MemoryScope> scopes_;
  std::unordered_map<const BufferNode*, Sums> sums_;
};

} // namespace

Stmt tensorize(const Stmt& s) {
  if (s->kind == StmtKind::Launch) return Tensorizer(s).run(s);
  return mapChildren(s, tensorize, nullptr);
}

} // namespace nestwright
