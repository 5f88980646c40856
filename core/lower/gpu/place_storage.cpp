#include "core/lower/gpu/place_storage.h"

#include "core/lower/expand_lanes.h"
#include "core/target/kernel_limits.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace nestwright {
namespace {

/// Bytes below which a buffer has memory of its own: what it could save is less than what a reader
/// of the program loses.
constexpr std::int64_t kWorthSharing = 1024;

/// Memory of a block, for one buffer after another.
struct Slot {
  std::vector<Buffer> users;

  bool fits(const Buffer& buffer) const {
    return buffer->bytes() >= kWorthSharing && users[0]->bytes() >= kWorthSharing &&
           users[0]->type == buffer->type;
  }
  Buffer memory() const {
    if (users.size() == 1) return users[0];
    std::int64_t elements = 0;
    std::vector<std::string> names;
    for (const Buffer& user : users) {
      elements = std::max(elements, user->elements());
      names.push_back(user->name);
    }
    return makeBuffer(fmt::format("{}", fmt::join(names, "+")), {elements}, users[0]->type);
  }
};

class BlockMemory {
 public:
  explicit BlockMemory(const Stmt& kernel) { plan(kernel); }

  Stmt place(const Stmt& kernel) {
    std::vector<Buffer> memory;
    for (const Slot& slot : slots_) {
      memory.push_back(slot.memory());
      for (const Buffer& user : slot.users)
        place_[user.get()] = memory.back();
    }
    Stmt placed = statement(kernel);
    for (auto buffer = memory.rbegin(); buffer != memory.rend(); ++buffer)
      placed = makeAllocate(*buffer, MemoryScope::Block, placed);
    return placed;
  }

 private:
  void plan(const Stmt& s) {
    const bool allocates = s->kind == StmtKind::Allocate && s->scope == MemoryScope::Block;
    std::size_t taken = 0;
    if (allocates) {
      auto slot = std::find_if(free_.begin(), free_.end(),
                               [&](std::size_t i) { return slots_[i].fits(s->buffer); });
      if (slot == free_.end()) {
        taken = slots_.size();
        slots_.emplace_back();
      } else {
        taken = *slot;
        free_.erase(slot);
      }
      slots_[taken].users.push_back(s->buffer);
    }
    for (const Stmt& child : s->body)
      plan(child);
    if (allocates) free_.push_back(taken);
  }

  std::vector<Expr> indices(const Buffer& buffer, const std::vector<Expr>& indices) const {
    if (place_.at(buffer.get())->shape == buffer->shape) return indices;
    return {flatIndex(*buffer, indices)};
  }

  Expr expression(const Expr& e) const {
    return rewrite(e, [&](const Expr& node) {
      if (node->kind != ExprKind::Load || !place_.contains(node->buffer.get())) return node;
      return load(place_.at(node->buffer.get()), indices(node->buffer, node->operands));
    });
  }

  Stmt statement(const Stmt& s) {
    if (s->kind == StmtKind::Allocate && place_.contains(s->buffer.get()))
      return statement(s->body[0]);
    Stmt mapped = mapChildren(
        s, [&](const Stmt& child) { return statement(child); },
        [&](const Expr& e) { return expression(e); });
    if (!s->buffer || !place_.contains(s->buffer.get())) return mapped;
    auto node = std::make_shared<StmtNode>(*mapped);
    node->buffer = place_.at(s->buffer.get());
    node->indices = indices(s->buffer, node->indices);
    return node;
  }

  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
  std::unordered_map<const BufferNode*, Buffer> place_;
};

/// The buffers of a thread that cannot be registers, because something else than loops indexes
/// them.
class IndexedByData {
 public:
  explicit IndexedByData(const Stmt& kernel) {
    nestwright::visit(kernel, [&](const Stmt& s) {
      if (s->kind == StmtKind::For && asInt(s->min)) loops_.insert(s->var.get());
    });
    nestwright::visit(kernel, [&](const Stmt& s) {
      if (s->buffer) check(s->buffer, s->indices);
      for (const Expr& e : {s->min, s->value, s->condition})
        loads(e);
      for (const Expr& e : s->indices)
        loads(e);
    });
  }
  bool contains(const Buffer& buffer) const { return found_.contains(buffer.get()); }

 private:
  void loads(const Expr& e) {
    if (!e) return;
    nestwright::visit(e, [&](const Expr& node) {
      if (node->kind == ExprKind::Load) check(node->buffer, node->operands);
      return true;
    });
  }
  void check(const Buffer& buffer, const std::vector<Expr>& indices) {
    for (const Expr& index : indices)
      nestwright::visit(index, [&](const Expr& node) {
        if (node->kind == ExprKind::Load ||
            (node->kind == ExprKind::Var && !loops_.contains(node->var.get())))
          found_.insert(buffer.get());
        return true;
      });
  }

  std::unordered_set<const VarNode*> loops_;
  std::unordered_set<const BufferNode*> found_;
};

Stmt withRegisters(const Stmt& s, const IndexedByData& indexed) {
  Stmt mapped = mapChildren(
      s, [&](const Stmt& child) { return withRegisters(child, indexed); }, nullptr);
  if (s->kind != StmtKind::Allocate || s->scope != MemoryScope::PerThread ||
      s->buffer->elements() > kMostRegisterElements || indexed.contains(s->buffer))
    return mapped;
  return makeAllocate(s->buffer, MemoryScope::Register, mapped->body[0]);
}

} // namespace

Stmt placeStorage(const Stmt& s) {
  if (s->kind != StmtKind::Launch) return mapChildren(s, placeStorage, nullptr);
  const Stmt& kernel = s->body[0];
  return withBody(s, withRegisters(BlockMemory(kernel).place(kernel), IndexedByData(kernel)));
}

} // namespace nestwright
