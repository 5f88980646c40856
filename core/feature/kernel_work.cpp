#include "core/feature/kernel_work.h"

#include "core/feature/fragment_access.h"
#include "core/schedule/tensor_instruction.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace nestwright {

namespace {

/// Instructions of a division that rounds as the standard asks, beside the special one.
constexpr double kDivision = 8;
/// Instructions of an integer division by a number that is no power of two: a product, shifts.
constexpr double kIndexDivision = 4;
/// Bytes of the widest access.
constexpr std::int64_t kWidestAccess = 16;

/// Operations of one execution in one thread.
struct Operations {
  double adds = 0, products = 0, others = 0, special = 0;
};

bool hasUnit(Intrinsic intrinsic) {
  return intrinsic != Intrinsic::Abs && intrinsic != Intrinsic::Floor &&
         intrinsic != Intrinsic::Ceil && intrinsic != Intrinsic::Round;
}

/// Without what works out indices and conditions.
void countOperations(const Expr& e, Operations& count) {
  if (e->kind == ExprKind::Load) return;
  const double lanes = e->type.lanes;
  switch (e->kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
    count.adds += lanes;
    break;
  case ExprKind::Mul:
    count.products += lanes;
    break;
  case ExprKind::Div:
    count.special += lanes;
    count.others += kDivision * lanes;
    break;
  case ExprKind::Call:
    (hasUnit(e->intrinsic) ? count.special : count.others) += lanes;
    break;
  case ExprKind::IfThenElse:
  case ExprKind::Select:
    count.others += lanes;
    countOperations(e[1], count);
    countOperations(e[2], count);
    return;
  case ExprKind::IntImm:
  case ExprKind::FloatImm:
  case ExprKind::Var:
  case ExprKind::Ramp:
  case ExprKind::Broadcast:
    break;
  default:
    count.others += lanes;
    break;
  }
  for (const Expr& operand : e->operands)
    countOperations(operand, count);
}

bool isPowerOfTwo(const Expr& e) {
  const std::int64_t* value = asInt(e);
  return value && *value > 0 && (*value & (*value - 1)) == 0;
}

class KernelReader {
 public:
  KernelReader(const StmtNode& launch, std::size_t rows,
               const std::function<std::size_t(const std::string&)>& rowOf)
      : launch_(*launch.launch), rowOf_(rowOf), warp_(launch_) {
    work_.rows.resize(rows);
    for (std::size_t axis = kBlockLoops; axis-- > 0;)
      enter(launch_.grid[axis]);
    for (std::size_t axis = kBlockLoops; axis-- > 0;)
      enter(launch_.threads[axis]);
    firstLoop_ = loops_.size();
    warps_ = (launch_.threadsPerBlock() + static_cast<std::int64_t>(kWarpLanes) - 1) /
             static_cast<std::int64_t>(kWarpLanes);
  }

  KernelWork read(const Stmt& body) {
    visit(body);
    for (const auto& [loop, wait] : waits_) {
      work_.waits += wait.times;
      work_.bytesAtOnce = std::max(work_.bytesAtOnce, wait.bytes);
    }
    return std::move(work_);
  }

 private:
  /// Loads that are under way together.
  struct Wait {
    double times = 0, bytes = 0;
  };

  /// The loop over tiles of which some are copied while one is computed with.
  struct Pipeline {
    std::size_t serial = 0, firstInside = 0; // its number, and the first loop inside it
    double ahead = 0;                        // tiles on their way; 0 where there is no such loop
  };

  void enter(const LaunchAxis& axis) {
    loops_.push_back({axis.var.get(), static_cast<double>(axis.extent), false});
  }

  void visit(const Stmt& s) {
    switch (s->kind) {
    case StmtKind::Allocate:
      scopes_[s->buffer.get()] = s->scope;
      break;
    case StmtKind::For: {
      const bool unrolled = s->forKind == ForKind::Unrolled;
      const std::size_t outerSerial = serial_;
      if (!unrolled) serial_ = ++serialLoops_;
      loops_.push_back({s->var.get(), static_cast<double>(s->extent), unrolled});
      const Pipeline outerPipeline = pipeline_;
      if (s->pipelineStages > 1) pipeline_ = {serial_, loops_.size(), s->pipelineStages - 1.0};
      visit(s->body[0]);
      pipeline_ = outerPipeline;
      loops_.pop_back();
      serial_ = outerSerial;
      return;
    }
    case StmtKind::If: {
      countIndex(s->condition, lastRow_);
      const double outerShare = share_;
      share_ *= shareOf(s->condition);
      conditions_.push_back(s->condition);
      visit(s->body[0]);
      conditions_.pop_back();
      share_ = outerShare;
      return;
    }
    case StmtKind::Barrier:
      work_.rows[lastRow_].barriers += executions();
      work_.barriers += executions();
      break;
    default:
      if (s->buffer && s->value) statement(*s);
      break;
    }
    for (const Stmt& child : s->body)
      visit(child);
  }

  /// How often a thread comes here, loops that are written out among them.
  double executions() const {
    double product = 1;
    for (std::size_t i = firstLoop_; i < loops_.size(); ++i)
      product *= loops_[i].extent;
    return product;
  }

  double threads() const {
    return static_cast<double>(launch_.blocks()) * static_cast<double>(launch_.threadsPerBlock());
  }

  /// The share of a block's warps in which the condition of threads holds somewhere; 1 for what
  /// depends on anything else.
  double shareOf(const Expr& condition) const {
    if (!isOfThreads(condition)) return 1;
    double active = 0;
    for (std::int64_t number = 0; number < warps_; ++number) {
      const Warp warp(launch_, number);
      const LaneValues holds = warp.valueOf(condition);
      const auto end = holds.begin() + static_cast<std::ptrdiff_t>(warp.lanes());
      active += std::any_of(holds.begin(), end, [](std::int64_t v) { return v != 0; }) ? 1 : 0;
    }
    return active > 0 ? active / static_cast<double>(warps_) : 1;
  }

  bool isOfThreads(const Expr& e) const {
    bool only = true;
    nestwright::visit(e, [&](const Expr& node) {
      if (node->kind == ExprKind::Load) only = false;
      if (node->kind == ExprKind::Var)
        only &= std::ranges::any_of(launch_.threads, [&](const LaunchAxis& axis) {
          return axis.var && axis.var == node->var;
        });
      return only;
    });
    return only;
  }

  void statement(const StmtNode& s) {
    copies_ = s.kind == StmtKind::CopyAsync;
    const std::size_t row = lastRow_ = rowOf_(s.buffer->name);
    const bool isTensor = s.kind == StmtKind::Mma; // the product of two fragments is no operation
    Operations once;
    if (!isTensor) countOperations(s.value, once);
    const double times = threads() * executions() * share_;
    RowWork& work = work_.rows[row];
    if (isTensor) work.tensorInstructions += times / kLanes;
    const double together = std::min(once.adds, once.products);
    const double others = once.adds + once.products - 2 * together + once.others +
                          (s.kind == StmtKind::Shuffle ? 1 : 0);
    work.multiplyAdds += together * times;
    work.otherArithmetic += others * times;
    work.special += once.special * times;
    work_.instructions += (together + others + once.special) * times;
    access(s.buffer, s.indices, row, true);
    countIndices(s.indices, row);
    if (s.kind == StmtKind::LoadFragment) {
      countIndices(s.value->operands, row);
      return loadFragment(s, row);
    }
    nestwright::visit(s.value, [&](const Expr& e) {
      if (e->kind == ExprKind::IfThenElse || e->kind == ExprKind::Select) countIndex(e[0], row);
      if (e->kind != ExprKind::Load) return true;
      access(e->buffer, e->operands, row, false);
      countIndices(e->operands, row);
      return false; // what an index loads is not worth counting
    });
  }

  MemoryScope scopeOf(const Buffer& buffer) const {
    const auto found = scopes_.find(buffer.get());
    return found == scopes_.end() ? MemoryScope::Global : found->second;
  }

  void countIndices(const std::vector<Expr>& indices, std::size_t row) {
    for (const Expr& index : indices)
      countIndex(index, row);
  }

  /// Divisions are worked out once for all iterations of loops that do not occur in them.
  void countIndex(const Expr& e, std::size_t row) {
    nestwright::visit(e, [&](const Expr& node) {
      if (node->kind != ExprKind::FloorDiv && node->kind != ExprKind::FloorMod)
        return node->kind != ExprKind::Load;
      double times = 1;
      for (std::size_t i = firstLoop_; i < loops_.size(); ++i)
        if (usesVariable(node, loops_[i].variable)) times *= loops_[i].extent;
      const double count =
          (isPowerOfTwo(node[1]) ? 1 : kIndexDivision) * times * threads() * share_;
      work_.rows[row].indexArithmetic += count;
      work_.instructions += count;
      return true;
    });
  }

  static bool usesVariable(const Expr& e, const VarNode* variable) {
    bool found = false;
    nestwright::visit(e, [&](const Expr& node) {
      found |= node->kind == ExprKind::Var && node->var.get() == variable;
      return !found;
    });
    return found;
  }

  /// How often a thread makes an access.
  struct Times {
    double once = 1, atOnce = 1;     // in all; those that are written out side by side
    double ofTile = 1;               // for one tile of the pipeline around it
    std::vector<std::int64_t> steps; // of the position, by loop
  };

  Times timesOf(const BufferNode& buffer, const std::vector<Expr>& indices, bool isStore) const {
    Times times;
    times.steps.resize(loops_.size());
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i].variable == nullptr || (i >= kBlockLoops && i < firstLoop_)) continue;
      times.steps[i] = stepOf(buffer, indices, loops_[i].variable);
      if (i < firstLoop_) continue;
      // Loads that several iterations share, written out, are one.
      if (loops_[i].unrolled && times.steps[i] == 0 && !isStore) continue;
      times.once *= loops_[i].extent;
      if (loops_[i].unrolled) times.atOnce *= loops_[i].extent;
      if (i >= pipeline_.firstInside) times.ofTile *= loops_[i].extent;
    }
    return times;
  }

  void access(const Buffer& buffer, const std::vector<Expr>& indices, std::size_t row,
              bool isStore) {
    const MemoryScope scope = scopeOf(buffer);
    if (scope != MemoryScope::Global && scope != MemoryScope::Block) return;
    const LaneValues positions = warp_.positionOf(*buffer, indices);
    int lanes = 1;
    for (const Expr& index : indices)
      lanes = std::max<int>(lanes, index->type.lanes);
    Times times = timesOf(*buffer, indices, isStore);
    if (scope == MemoryScope::Block && lanes == 1) {
      lanes = neighboursTogether(*buffer, positions, times.steps);
      times.once /= lanes;
      times.atOnce /= lanes;
    }
    const int elementBytes = buffer->type.elementBytes();
    const int bytes = lanes * elementBytes;
    WarpRequests& request =
        requestFor(scope, activeAddresses(positions, elementBytes), bytes, times.once, row);
    request.isStore = isStore;
    if (scope != MemoryScope::Global) return;
    request.reach.emplace(buffer, indices, loops_);
    if (!isStore) addWait(times, bytes);
  }

  WarpRequests& requestFor(MemoryScope scope, std::span<const std::int64_t> addresses, int bytes,
                           double once, std::size_t row) {
    WarpRequests& request = work_.requests.emplace_back();
    request.row = row;
    request.scope = scope;
    request.requests = once * share_ * static_cast<double>(warps_ * launch_.blocks());
    request.bytes = static_cast<double>(addresses.size()) * bytes;
    if (scope == MemoryScope::Global)
      request.sectors = sectorsOf(addresses, bytes);
    else
      request.wavefronts = wavefrontsOf(addresses, bytes);
    work_.instructions += request.requests * static_cast<double>(kWarpLanes);
    return request;
  }

  /// A load of Global memory. What is copied while tiles before it are computed with is waited for
  /// as often as all tiles on their way are through; the copies before the loop count with it.
  void addWait(const Times& times, int bytes) {
    if (!copies_) {
      Wait& wait = waits_[serial_];
      wait.times = std::max(wait.times, times.once / times.atOnce);
      wait.bytes += times.atOnce * bytes;
    } else if (pipeline_.ahead > 0) {
      Wait& wait = waits_[pipeline_.serial];
      wait.times = std::max(wait.times, times.once / times.ofTile / pipeline_.ahead);
      wait.bytes += times.ofTile * bytes * pipeline_.ahead;
    }
  }

  /// The lanes of a warp load their shares of a tile: all rows of eight neighbours by one
  /// instruction, or each of a lane's elements by one.
  void loadFragment(const StmtNode& s, std::size_t row) {
    const Buffer& buffer = s.value->buffer;
    const MemoryScope scope = scopeOf(buffer);
    const LaneValues first = warp_.positionOf(*buffer, s.value->operands);
    const Times times = timesOf(*buffer, s.value->operands, false);
    if (s.fragment.whole) {
      requestFor(scope, rowAddresses(s, first[0]), kFragmentRowBytes, times.once, row);
      return;
    }
    const int held = fragmentElements(*s.instruction, s.fragment.operand);
    const int bytes = buffer->type.elementBytes();
    WarpRequests& request =
        requestFor(scope, laneAddresses(s, first, 0), bytes, times.once * held, row);
    double all = 0; // answers to all of them
    for (int number = 0; number < held; ++number) {
      const std::vector<std::int64_t> addresses = laneAddresses(s, first, number);
      all += scope == MemoryScope::Global ? sectorsOf(addresses, bytes)
                                          : wavefrontsOf(addresses, bytes);
    }
    (scope == MemoryScope::Global ? request.sectors : request.wavefronts) = all / held;
    if (scope != MemoryScope::Global) return;
    request.reach = tileAccess(s, loops_);
    addWait(times, held * bytes);
  }

  /// Accesses to Block memory that iterations written out make to neighbours, and that the compiler
  /// makes one of: 1, 2 or 4, as alignment allows.
  int neighboursTogether(const BufferNode& buffer, const LaneValues& positions,
                         const std::vector<std::int64_t>& steps) const {
    std::int64_t lanes = kWidestAccess / buffer.type.elementBytes();
    std::size_t neighbours = loops_.size();
    for (std::size_t i = firstLoop_; i < loops_.size(); ++i)
      if (loops_[i].unrolled && steps[i] == 1) neighbours = i;
    if (neighbours == loops_.size()) return 1;
    const auto isMultiple = [&](std::int64_t position) { return position % lanes == 0; };
    const auto extent = static_cast<std::int64_t>(loops_[neighbours].extent);
    for (; lanes > 1; lanes /= 2) {
      bool aligned = extent % lanes == 0 && std::ranges::all_of(positions, isMultiple);
      for (std::size_t i = 0; i < steps.size() && aligned; ++i)
        aligned = i == neighbours || isMultiple(steps[i]);
      if (aligned) break;
    }
    return static_cast<int>(lanes);
  }

  /// Of the threads for which the conditions around hold; of all where that is not known.
  std::vector<std::int64_t> activeAddresses(const LaneValues& positions, int elementBytes) const {
    LaneValues active;
    active.fill(1);
    for (const Expr& condition : conditions_)
      if (isOfThreads(condition)) {
        const LaneValues holds = warp_.valueOf(condition);
        for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
          active[lane] &= holds[lane];
      }
    const auto end = active.begin() + static_cast<std::ptrdiff_t>(warp_.lanes());
    const bool any = std::any_of(active.begin(), end, [](std::int64_t v) { return v != 0; });
    std::vector<std::int64_t> addresses;
    for (std::size_t lane = 0; lane < warp_.lanes(); ++lane)
      if (!any || active[lane] != 0) addresses.push_back(positions[lane] * elementBytes);
    return addresses;
  }

  const Launch& launch_;
  const std::function<std::size_t(const std::string&)>& rowOf_;
  Warp warp_;
  KernelWork work_;
  std::vector<LoopAround> loops_; // blocks, threads, then those around the present place
  std::size_t firstLoop_ = 0;     // behind blocks and threads
  std::int64_t warps_ = 1;        // of a block
  std::unordered_map<const BufferNode*, MemoryScope> scopes_;
  std::vector<Expr> conditions_; // around the present place
  double share_ = 1;             // of the warps for which they hold
  std::size_t lastRow_ = 0;
  std::size_t serial_ = 0, serialLoops_ = 0; // the innermost loop that stays one, and all so far
  std::map<std::size_t, Wait> waits_;        // by such a loop
  Pipeline pipeline_;                        // around the present place
  bool copies_ = false;                      // the present statement, asynchronously
};

} // namespace

KernelWork kernelWork(const StmtNode& launch, std::size_t rows,
                      const std::function<std::size_t(const std::string& buffer)>& rowOf) {
  return KernelReader(launch, rows, rowOf).read(launch.body[0]);
}

} // namespace nestwright
