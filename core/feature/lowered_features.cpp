#include "core/feature/lowered_features.h"

#include "core/feature/memory_access.h"
#include "core/lower/dot_product.h"
#include "core/lower/guards.h"
#include "core/lower/simplify_indices.h"
#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace nestwright {

namespace {

constexpr double kPerCycle = 2;                // arithmetic instructions, and loads
constexpr double kLatency = 4;                 // cycles of an arithmetic instruction
constexpr double kMemoryLatency = 8;           // of adding to an element that is kept in memory
constexpr double kCallCost = 20;               // instructions that a mathematical function is worth
constexpr double kPages = 96;                  // whose addresses are at hand
constexpr double kLineCycles[] = {1.5, 5, 12}; // to move a line into each level of cache
constexpr double kPageCycles = 10;

enum FeatureIndex : std::size_t {
  Instructions,
  Loads,
  Stores,
  ScalarInstructions,
  Accumulators,
  PortCycles,
  Iterations,
  CodeSize,
  LinesL1,
  LinesL2,
  LinesL3,
  Pages,
  Conflicts,
  Cycles,
  AllPortCycles,
  AllLinesL1,
  AllLinesL2,
  AllLinesL3,
  AllPages,
  AllCycles,
  kEntries
};
static_assert(kEntries == kLoweredFeatureCount);

using Totals = std::array<double, kLoweredFeatureCount>;

/// One load or store of memory, and what each loop around it lets it touch.
struct Access {
  MemoryAccess memory;
  std::size_t owner; // row
};

/// A loop, what a condition guards, or the whole function, with the statements inside it.
struct Node {
  double extent = 1;
  double share = 1;                  // of the times that it is come to: a condition's
  std::size_t depth = 0;             // loops around it
  std::vector<std::size_t> accesses; // in it, at any depth
  std::vector<Touched> touched;      // by each of them, in one run of the loop
  std::vector<Node> children;
};

/// Executed instructions of one statement, per execution.
struct Work {
  double arithmetic = 0, scalar = 0;
};

void countWork(const Expr& e, Work& add, Work& mul, Work& other) {
  // Indices are worked out beside the loops.
  if (e->kind == ExprKind::Load) return;
  const auto count = [&](Work& work, double instructions) {
    work.arithmetic += instructions;
    if (e->type.isScalar()) work.scalar += instructions;
  };
  switch (e->kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
    count(add, 1);
    break;
  case ExprKind::Mul:
    count(mul, 1);
    break;
  case ExprKind::Call:
    count(other, kCallCost);
    break;
  case ExprKind::Broadcast:
  case ExprKind::FloatImm:
  case ExprKind::IntImm:
  case ExprKind::Var:
    break;
  default:
    count(other, 1);
    break;
  }
  for (const Expr& operand : e->operands)
    countWork(operand, add, mul, other);
}

class Reader {
 public:
  Reader(const std::vector<std::string>& stages, const LoweredFeatureOptions& options,
         const Stmt& body)
      : options_(options), rows_(stages.size()), simplify_(simplifierFor(body)) {
    for (std::size_t i = 0; i < stages.size(); ++i)
      rowOf_.emplace(stages[i], i);
  }

  std::vector<LoweredRow> read(const LoopFunction& function) {
    Node root;
    read(function.body, root, 0);
    for (Node& child : root.children)
      measure(child);
    const double capacities[] = {options_.l1Bytes, options_.l2Bytes, options_.l3Bytes};
    for (std::size_t level = 0; level < 3; ++level)
      for (const Node& child : root.children)
        moveLines(child, 1, capacities[level], LinesL1 + level);
    for (const Node& child : root.children)
      movePages(child, 1);
    return finish();
  }

 private:
  void read(const Stmt& s, Node& parent, std::size_t row);
  void readStore(const Stmt& s, Node& parent, std::size_t row);
  int productsAtOnce(const StmtNode& loop) const;
  static void gatherAccesses(Node& node);
  void addAccess(const Buffer& buffer, const std::vector<Expr>& indices, Node& leaf,
                 std::size_t row);
  std::size_t rowFor(const std::string& buffer, std::size_t otherwise) const;
  double executions(bool unrolled) const;
  double shareOf(const Expr& condition);
  void measure(Node& node);
  bool fits(const Node& node, double bytes) const;
  void moveLines(const Node& node, double times, double bytes, std::size_t entry);
  void movePages(const Node& node, double times);
  template <class F>
  void chargeOnce(const Node& node, double times, std::size_t entry, const F& amount);
  std::vector<LoweredRow> finish();

  const LoweredFeatureOptions& options_;
  std::unordered_map<std::string, std::size_t> rowOf_;
  std::vector<Totals> rows_;
  std::vector<Access> accesses_;
  std::vector<LoopAround> loops_;
  std::unordered_set<const BufferNode*> registers_;
  IndexSimplifier simplify_;
  double parallel_ = 1; // cores that share the loops so far
  int dot_ = 1;         // iterations of the innermost loop that are one instruction
  double share_ = 1;    // of the iterations of the loops so far for which the conditions hold
};

/// The stage that a buffer belongs to: "C" and "C.tile" to C.
std::size_t Reader::rowFor(const std::string& buffer, std::size_t otherwise) const {
  std::string name = buffer;
  while (true) {
    if (const auto found = rowOf_.find(name); found != rowOf_.end()) return found->second;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return otherwise;
    name.resize(dot);
  }
}

void Reader::read(const Stmt& s, Node& parent, std::size_t row) {
  switch (s->kind) {
  case StmtKind::Store:
    return readStore(s, parent, row);
  case StmtKind::Allocate:
    if (s->scope == MemoryScope::Register) registers_.insert(s->buffer.get());
    break;
  case StmtKind::For: {
    Node& node = parent.children.emplace_back();
    node.extent = static_cast<double>(s->extent);
    node.depth = loops_.size();
    loops_.push_back({s->var.get(), node.extent, s->forKind == ForKind::Unrolled});
    const double before = parallel_;
    if (s->forKind == ForKind::Parallel && options_.cores > 1) {
      const double shares = std::ceil(node.extent / options_.cores);
      parallel_ = node.extent / shares;
    }
    dot_ = productsAtOnce(*s);
    for (const Stmt& child : s->body)
      read(child, node, row);
    dot_ = 1;
    parallel_ = before;
    loops_.pop_back();
    gatherAccesses(node);
    return;
  }
  case StmtKind::If: {
    Node& node = parent.children.emplace_back();
    node.depth = loops_.size();
    node.share = shareOf(s->condition);
    const double before = share_;
    share_ *= node.share;
    read(s->body[0], node, row);
    share_ = before;
    gatherAccesses(node);
    return;
  }
  case StmtKind::Sequence:
  case StmtKind::Prefetch:
    break;
  case StmtKind::Launch:
  case StmtKind::Barrier:
  case StmtKind::ReduceThreads:
  case StmtKind::Shuffle:
  case StmtKind::CopyAsync:
  case StmtKind::Commit:
  case StmtKind::Wait:
  case StmtKind::LoadFragment:
  case StmtKind::Mma:
    NW_ASSERT(false, "a statement of a GPU program among those of a CPU program");
  }
  for (const Stmt& child : s->body)
    read(child, parent, row);
}

/// Iterations of the loop that one instruction does.
int Reader::productsAtOnce(const StmtNode& loop) const {
  const DotProducts& dots = options_.lowering.dotProducts;
  if (!dotProduct(loop)) return 1;
  return std::max(1, dots.atOnce(loop.body[0]->value->type.isFloat()));
}

void Reader::gatherAccesses(Node& node) {
  for (const Node& child : node.children)
    node.accesses.insert(node.accesses.end(), child.accesses.begin(), child.accesses.end());
}

/// Of the iterations around for which the condition holds, as if its parts had nothing to do with
/// one another; 1 where that is not known.
double Reader::shareOf(const Expr& condition) {
  if (condition->kind == ExprKind::And) return shareOf((*condition)[0]) * shareOf((*condition)[1]);
  if (condition->kind == ExprKind::Not) {
    const double share = shareOf((*condition)[0]);
    return share < 1 ? 1 - share : 1;
  }
  const std::optional<LinearForm> form = belowZero(condition, simplify_);
  const double share = form ? shareBelowZero(*form, simplify_) : 1;
  return share > 0 ? share : 1;
}

/// How often the innermost place is reached; loops that are unrolled alone, or the others.
double Reader::executions(bool unrolled) const {
  double product = unrolled ? 1 : share_;
  for (const LoopAround& loop : loops_)
    if (loop.unrolled == unrolled) product *= loop.extent;
  return product;
}

void Reader::readStore(const Stmt& s, Node& parent, std::size_t row) {
  row = rowFor(s->buffer->name, rows_.size() - 1);
  Totals& totals = rows_[row];
  Node& leaf = parent.children.emplace_back();
  leaf.depth = loops_.size();

  const double iterations = executions(false), copies = executions(true) / dot_;
  const std::size_t firstAccess = accesses_.size();
  if (!registers_.contains(s->buffer.get())) addAccess(s->buffer, s->indices, leaf, row);
  const bool storesMemory = accesses_.size() > firstAccess;
  bool accumulates = false;
  visit(s->value, [&](const Expr& e) {
    if (e->kind != ExprKind::Load) return true;
    accumulates |= e->buffer == s->buffer;
    if (!registers_.contains(e->buffer.get())) addAccess(e->buffer, e->operands, leaf, row);
    return false; // what an index loads is not worth counting
  });

  Work add, mul, other;
  countWork(s->value, add, mul, other);
  // A product and a sum are one instruction, and so are several of them with their conversions.
  const bool isDot = dot_ > 1;
  const double arithmetic = isDot ? 1 : std::max(add.arithmetic, mul.arithmetic) + other.arithmetic;
  const double scalar = isDot ? 0 : std::max(add.scalar, mul.scalar) + other.scalar;
  double loads = 0;
  for (std::size_t i = firstAccess + (storesMemory ? 1 : 0); i < accesses_.size(); ++i) {
    double once = 1;
    for (std::size_t loop = 0; loop < loops_.size(); ++loop)
      if (loops_[loop].unrolled && accesses_[i].memory.movedBy(loop)) once *= loops_[loop].extent;
    loads += iterations * once / dot_;
  }
  const double stores = storesMemory ? iterations * copies : 0;
  double cycles = std::max(arithmetic * iterations * copies, loads) / kPerCycle;
  cycles = std::max(cycles, stores);
  if (accumulates)
    cycles = std::max(cycles, iterations * (storesMemory ? kMemoryLatency : kLatency));
  totals[Instructions] += arithmetic * iterations * copies;
  totals[ScalarInstructions] += scalar * iterations * copies;
  totals[Loads] += loads;
  totals[Stores] += stores;
  if (accumulates) totals[Accumulators] = std::max(totals[Accumulators], copies);
  totals[Iterations] += iterations / parallel_;
  totals[CodeSize] += copies * (arithmetic + 1);
  totals[PortCycles] += cycles / parallel_;
}

void Reader::addAccess(const Buffer& buffer, const std::vector<Expr>& indices, Node& leaf,
                       std::size_t row) {
  leaf.accesses.push_back(accesses_.size());
  accesses_.push_back({MemoryAccess(buffer, indices, loops_), row});
}

void Reader::measure(Node& node) {
  for (const std::size_t access : node.accesses)
    node.touched.push_back(accesses_[access].memory.touched(node.depth, options_.lineBytes));
  for (Node& child : node.children)
    measure(child);
}

/// Calls `charge` for the access to each buffer that touches most of it.
template <class F>
void Reader::chargeOnce(const Node& node, double times, std::size_t entry, const F& amount) {
  for (std::size_t i = 0; i < node.accesses.size(); ++i) {
    const auto isLarger = [&](std::size_t j) {
      if (accesses_[node.accesses[j]].memory.buffer() !=
          accesses_[node.accesses[i]].memory.buffer())
        return false;
      const double mine = amount(node.touched[i]), other = amount(node.touched[j]);
      return other > mine || (other == mine && j < i);
    };
    bool largest = true;
    for (std::size_t j = 0; j < node.accesses.size() && largest; ++j)
      largest = j == i || !isLarger(j);
    if (largest) rows_[accesses_[node.accesses[i]].owner][entry] += times * amount(node.touched[i]);
  }
}

bool Reader::fits(const Node& node, double bytes) const {
  double lines = 0;
  for (std::size_t i = 0; i < node.accesses.size(); ++i) {
    if (bytes <= options_.l1Bytes && node.touched[i].conflict > 1) return false;
    lines += node.touched[i].lines;
  }
  return lines * options_.lineBytes <= bytes;
}

/// The outermost loops whose data a cache holds bring it in once each time they run.
void Reader::moveLines(const Node& node, double times, double bytes, std::size_t entry) {
  times *= node.share;
  if (node.children.empty() || fits(node, bytes))
    return chargeOnce(node, times, entry, [](const Touched& touched) { return touched.lines; });
  if (entry == LinesL1)
    for (std::size_t i = 0; i < node.accesses.size(); ++i)
      if (node.touched[i].conflict > 1) {
        double& worst = rows_[accesses_[node.accesses[i]].owner][Conflicts];
        worst = std::max(worst, std::min(node.touched[i].conflict, times));
      }
  for (const Node& child : node.children)
    moveLines(child, times * node.extent, bytes, entry);
}

void Reader::movePages(const Node& node, double times) {
  times *= node.share;
  double pages = 0;
  for (const Touched& touched : node.touched)
    pages += touched.pages;
  if (node.children.empty() || pages <= kPages)
    return chargeOnce(node, times, Pages, [](const Touched& touched) { return touched.pages; });
  for (const Node& child : node.children)
    movePages(child, times * node.extent);
}

std::vector<LoweredRow> Reader::finish() {
  Totals all{};
  for (Totals& row : rows_) {
    const double memory = row[LinesL1] * kLineCycles[0] + row[LinesL2] * kLineCycles[1] +
                          row[LinesL3] * kLineCycles[2] + row[Pages] * kPageCycles;
    const double work = row[PortCycles] + row[Iterations];
    row[Cycles] = std::max(work, memory) + 0.25 * std::min(work, memory);
    all[AllPortCycles] += row[PortCycles];
    all[AllLinesL1] += row[LinesL1];
    all[AllLinesL2] += row[LinesL2];
    all[AllLinesL3] += row[LinesL3];
    all[AllPages] += row[Pages];
    all[AllCycles] += row[Cycles];
  }
  std::vector<LoweredRow> result;
  for (Totals& row : rows_) {
    std::copy(all.begin() + AllPortCycles, all.end(), row.begin() + AllPortCycles);
    LoweredRow& scaled = result.emplace_back();
    for (std::size_t i = 0; i < scaled.size(); ++i)
      scaled[i] = static_cast<float>(std::log2(row[i] + 1));
  }
  return result;
}

} // namespace

const std::array<std::string, kLoweredFeatureCount>& loweredFeatureNames() {
  static const std::array<std::string, kLoweredFeatureCount> names = {
      "lowered.instructions", "lowered.loads",        "lowered.stores",
      "lowered.scalar",       "lowered.accumulators", "lowered.port_cycles",
      "lowered.iterations",   "lowered.code_size",    "lowered.lines_l1",
      "lowered.lines_l2",     "lowered.lines_l3",     "lowered.pages",
      "lowered.conflicts",    "lowered.cycles",       "lowered.all_port_cycles",
      "lowered.all_lines_l1", "lowered.all_lines_l2", "lowered.all_lines_l3",
      "lowered.all_pages",    "lowered.all_cycles"};
  return names;
}

const std::array<std::string, kLoweredFeatureCount>& loweredFeatureMeanings() {
  static const std::array<std::string, kLoweredFeatureCount> meanings = {
      "arithmetic instructions executed; a vector counts once, a product with a sum once",
      "loads of memory executed, without those that several unrolled iterations share",
      "stores to memory executed",
      "arithmetic instructions that are no vectors",
      "results that grow in registers side by side",
      "cycles that the execution units need: two instructions, two loads or a store in each, and "
      "the latency of accumulators",
      "iterations of loops that are not unrolled, on the core that has most of them",
      "instructions in the text of the program",
      "cache lines moved into the first-level cache",
      "cache lines moved into the second-level cache",
      "cache lines moved into the last-level cache",
      "memory pages whose addresses must be looked up",
      "lines over the places that a first-level cache has for them, where they do not fit",
      "estimated cycles: of the execution units or of memory, whichever are more, and a quarter of "
      "the others",
      "cycles that the execution units need for all statements of the program together",
      "cache lines moved into the first-level cache by all statements together",
      "cache lines moved into the second-level cache by all statements together",
      "cache lines moved into the last-level cache by all statements together",
      "memory pages looked up by all statements together",
      "estimated cycles of all statements together"};
  return meanings;
}

std::vector<LoweredRow> loweredFeatures(const LoopFunction& function,
                                        const std::vector<std::string>& stages,
                                        const LoweredFeatureOptions& options) {
  if (stages.empty()) return {};
  return Reader(stages, options, function.body).read(function);
}

} // namespace nestwright
