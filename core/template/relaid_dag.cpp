#include "core/template/relaid_dag.h"

#include "core/schedule/bounds.h"
#include "core/support/error.h"

#include <algorithm>
#include <optional>
#include <set>

namespace nestwright {

namespace {

const OpNode& at(const ComputeDag& dag, int place) {
  return *dag[static_cast<std::size_t>(place)];
}

/// The axis that the index is, by itself; -1: none.
int axisAlone(const std::vector<Axis>& axes, const Expr& index) {
  if (index->kind != ExprKind::Var) return -1;
  const auto found = std::ranges::find(axes, index->var, &Axis::var);
  return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
}

/// The first axis that the index uses; -1: none.
int axisUsed(const std::vector<Axis>& axes, const Expr& index) {
  const auto found =
      std::ranges::find_if(axes, [&](const Axis& axis) { return uses(index, axis.var); });
  return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
}

std::string nameOf(const PackedLayout& layout, int dimension) {
  return layout.axes[static_cast<std::size_t>(dimension)];
}

/// A name per part.
std::vector<std::string> partNames(const PackedLayout& layout) {
  std::vector<std::string> names;
  std::set<int> begun;
  for (const PackedLayout::Part& part : layout.parts) {
    const auto parts =
        std::ranges::count(layout.parts, part.dimension, &PackedLayout::Part::dimension);
    const bool first = begun.insert(part.dimension).second;
    names.push_back(nameOf(layout, part.dimension) + (parts == 1 ? ""
                                                      : first    ? "_chunk"
                                                                 : "_block"));
  }
  return names;
}

/// Of what an operator computes from a tensor element for element; nothing where it does not.
std::optional<PackedLayout> layoutOfReader(const OpNode& reader, const Expr& load,
                                           const PackedLayout& read) {
  if (load->operands.size() != reader.axes.size()) return std::nullopt;
  std::vector<int> axes;
  for (std::size_t d = 0; d < load->operands.size(); ++d) {
    axes.push_back(axisAlone(reader.axes, load->operands[d]));
    if (axes[d] < 0 || std::ranges::count(axes, axes[d]) > 1 ||
        reader.axes[static_cast<std::size_t>(axes[d])].extent != read.shape[d])
      return std::nullopt;
  }
  PackedLayout layout;
  layout.shape = reader.output->shape;
  layout.axes.resize(axes.size());
  for (std::size_t d = 0; d < axes.size(); ++d)
    layout.axes[static_cast<std::size_t>(axes[d])] = read.axes[d];
  for (PackedLayout::Part part : read.parts) {
    part.dimension = axes[static_cast<std::size_t>(part.dimension)];
    layout.parts.push_back(part);
  }
  return layout;
}

/// Of a tensor, along an operator that reads it: dimensions lie in the order of the axes that index
/// them, and are cut where an index is an axis.
PackedLayout layoutAlong(const OpNode& reader, const PackedLayout& layout, const Expr& load) {
  const std::vector<std::int64_t>& shape = load->buffer->shape;
  PackedLayout along;
  along.shape = shape;
  std::vector<int> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    axes.push_back(axisUsed(reader.axes, load->operands[d]));
    along.axes.push_back(axes[d] < 0 ? fmt::format("one{}", d) : nameOf(layout, axes[d]));
    if (std::ranges::count(along.axes, along.axes[d]) > 1) along.axes[d] += fmt::format("_{}", d);
    if (axes[d] < 0) along.parts.push_back({static_cast<int>(d), shape[d], 1});
  }
  for (const PackedLayout::Part& part : layout.parts)
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (axes[d] != part.dimension) continue;
      const int dimension = static_cast<int>(d);
      if (axisAlone(reader.axes, load->operands[d]) >= 0 &&
          shape[d] == layout.shape[static_cast<std::size_t>(part.dimension)])
        along.parts.push_back({dimension, part.extent, part.size});
      else if (std::ranges::count(along.parts, dimension, &PackedLayout::Part::dimension) == 0)
        along.parts.push_back({dimension, shape[d], 1});
    }
  return along;
}

/// Gives every operator its layout.
class LayoutSearch {
 public:
  LayoutSearch(const ComputeDag& dag, int op, const std::map<int, PackedLayout>& given)
      : dag_(dag), op_(op), found_(dag.size()), isBehind_(dag.size(), false) {
    for (const auto& [place, layout] : given)
      found_[static_cast<std::size_t>(place)] = layout;
  }

  DagLayouts operator()() {
    isBehind_[static_cast<std::size_t>(op_)] = true;
    for (int i = op_ + 1; i < static_cast<int>(dag_.size()); ++i)
      followResult(i);
    for (int i = static_cast<int>(dag_.size()) - 1; i >= 0; --i)
      if (i != op_) followOperands(i);
    DagLayouts layouts;
    layouts.problem = problem_;
    for (std::size_t i = 0; i < found_.size() && layouts.problem.empty(); ++i) {
      if (!found_[i]) layouts.problem = fmt::format("{} has no reader", dag_[i]->name());
      layouts.of.push_back(found_[i].value_or(PackedLayout{}));
    }
    return layouts;
  }

 private:
  void eachLoad(int place, const std::function<void(int, const Expr&)>& f) const {
    if (!at(dag_, place).isCompute()) return;
    visit(at(dag_, place).body, [&](const Expr& e) {
      if (e->kind == ExprKind::Load) f(dag_.indexOf(e->buffer), e);
      return true;
    });
  }

  void settle(int place, std::optional<PackedLayout> layout) {
    std::optional<PackedLayout>& known = found_[static_cast<std::size_t>(place)];
    if (known && !(known->parts == layout->parts))
      problem_ = fmt::format("{} would have to lie in two ways", at(dag_, place).name());
    else if (!known)
      known = std::move(layout);
  }

  void followResult(int place) {
    eachLoad(place, [&](int read, const Expr& load) {
      if (!isBehind_[static_cast<std::size_t>(read)]) return;
      auto layout = layoutOfReader(at(dag_, place), load, *found_[static_cast<std::size_t>(read)]);
      isBehind_[static_cast<std::size_t>(place)] = true;
      if (!layout) {
        problem_ = fmt::format("{} reads {} otherwise than element for element",
                               at(dag_, place).name(), at(dag_, read).name());
        layout = PackedLayout{};
      }
      settle(place, std::move(layout));
    });
  }

  void followOperands(int place) {
    const std::optional<PackedLayout>& layout = found_[static_cast<std::size_t>(place)];
    if (!layout || !problem_.empty()) return;
    eachLoad(place, [&](int read, const Expr& load) {
      if (!isBehind_[static_cast<std::size_t>(read)])
        settle(read, layoutAlong(at(dag_, place), *layout, load));
    });
  }

  const ComputeDag& dag_;
  int op_;
  std::vector<std::optional<PackedLayout>> found_;
  std::vector<bool> isBehind_; // computed from the operator's result
  std::string problem_;
};

/// Rewrites one operator after another.
class Relayer {
 public:
  Relayer(const ComputeDag& dag, const std::vector<PackedLayout>& layouts, int op,
          const std::vector<std::string>& reduceNames)
      : dag_(dag), layouts_(layouts), op_(op), reduceNames_(reduceNames) {}

  ComputeDag operator()() {
    for (std::size_t i = 0; i < dag_.size(); ++i)
      ops_.push_back(relaid(*dag_[i], layouts_[i], static_cast<int>(i) == op_));
    return ComputeDag(ops_);
  }

 private:
  Op relaid(const OpNode& op, const PackedLayout& layout, bool isMain) {
    const std::vector<std::int64_t> shape = layout.packedShape();
    if (op.kind == OpNode::Kind::Placeholder) return placeholder(op.name(), shape, op.output->type);
    if (op.kind == OpNode::Kind::Constant) {
      std::vector<double> values(op.values.size());
      layout.pack(op.values.data(), values.data(), sizeof(double));
      return constant(op.name(), shape, std::move(values), op.output->type);
    }
    extents_.clear();
    const auto body = [&](const std::vector<Expr>& parts, const std::vector<Expr>& reduced) {
      return relaidBody(op, layout, parts, reduced);
    };
    if (!op.reducer)
      return compute(
          op.name(), shape, [&](const std::vector<Expr>& parts) { return body(parts, {}); },
          partNames(layout), op.attributes);
    std::vector<NamedExtent> reduceAxes;
    for (std::size_t i = 0; i < op.reduceAxes.size(); ++i)
      reduceAxes.push_back(
          {isMain ? reduceNames_[i] : op.reduceAxes[i].name(), op.reduceAxes[i].extent});
    return reduce(op.name(), *op.reducer, shape, std::move(reduceAxes), body, partNames(layout),
                  op.attributes);
  }

  Expr relaidBody(const OpNode& op, const PackedLayout& layout, const std::vector<Expr>& parts,
                  const std::vector<Expr>& reduced) {
    std::vector<Expr> axes(op.axes.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const PackedLayout::Part& part = layout.parts[p];
      extents_[parts[p]->var.get()] = part.extent;
      Expr& axis = axes[static_cast<std::size_t>(part.dimension)];
      if (part.extent == 1) continue;
      const Expr digit = part.size == 1 ? parts[p] : parts[p] * Expr(part.size);
      axis = axis ? axis + digit : digit;
    }
    for (std::size_t i = 0; i < reduced.size(); ++i)
      extents_[reduced[i]->var.get()] = op.reduceAxes[i].extent;
    const auto valueOf = [&](const Var& var) {
      for (std::size_t i = 0; i < axes.size(); ++i)
        if (op.axes[i].var == var) return axes[i] ? axes[i] : Expr(0);
      for (std::size_t i = 0; i < reduced.size(); ++i)
        if (op.reduceAxes[i].var == var) return reduced[i];
      return Expr();
    };
    return rewrite(op.body, [&](const Expr& e) {
      if (e->kind == ExprKind::Load) return relaidLoad(e);
      const Expr value = e->kind == ExprKind::Var ? valueOf(e->var) : Expr();
      return value ? value : e;
    });
  }

  /// A load whose indices are over the new axes already.
  Expr relaidLoad(const Expr& load) const {
    const auto place = static_cast<std::size_t>(dag_.indexOf(load->buffer));
    const PackedLayout& layout = layouts_[place];
    const auto extentOf = [&](const Var& var) {
      const auto known = extents_.find(var.get());
      return known == extents_.end() ? 0 : known->second;
    };
    std::vector<Expr> indices;
    for (const PackedLayout::Part& part : layout.parts) {
      const Expr& index = load->operands[static_cast<std::size_t>(part.dimension)];
      if (part.extent == 1) {
        indices.emplace_back(0);
        continue;
      }
      const std::int64_t whole = layout.whole(part);
      const bool isOuter = whole == layout.shape[static_cast<std::size_t>(part.dimension)];
      Expr within = isOuter ? index : floorMod(index, Expr(whole));
      if (part.size != 1) within = floorDiv(within, Expr(part.size));
      indices.push_back(simplifyIndex(within, extentOf));
    }
    return read(ops_[place], std::move(indices));
  }

  const ComputeDag& dag_;
  const std::vector<PackedLayout>& layouts_;
  int op_;
  const std::vector<std::string>& reduceNames_;
  std::vector<Op> ops_;
  std::map<const VarNode*, std::int64_t> extents_; // of the operator's new axes
};

} // namespace

LayoutMaker::LayoutMaker(const std::vector<std::int64_t>& shape) {
  layout_.shape = shape;
  for (std::size_t d = 0; d < shape.size(); ++d)
    layout_.axes.push_back(fmt::format("one{}", d));
}

LayoutMaker& LayoutMaker::whole(int dimension, const std::string& name) {
  const auto d = static_cast<std::size_t>(dimension);
  layout_.axes[d] = name;
  add(dimension, layout_.shape[d], 1);
  return *this;
}

LayoutMaker& LayoutMaker::chunk(int dimension, std::int64_t block, const std::string& name) {
  const auto d = static_cast<std::size_t>(dimension);
  layout_.axes[d] = name;
  add(dimension, layout_.shape[d] / block, block);
  return *this;
}

LayoutMaker& LayoutMaker::block(int dimension, std::int64_t block) {
  add(dimension, block, 1);
  return *this;
}

void LayoutMaker::add(int dimension, std::int64_t extent, std::int64_t size) {
  // A part of one position takes all elements that there are, or else two parts of one size could
  // not be told apart.
  layout_.parts.push_back(
      {dimension, extent, extent == 1 ? layout_.shape[static_cast<std::size_t>(dimension)] : size});
}

DagLayouts layoutsAround(const ComputeDag& dag, int op, const std::map<int, PackedLayout>& given) {
  return LayoutSearch(dag, op, given)();
}

ComputeDag relaid(const ComputeDag& dag, const std::vector<PackedLayout>& layouts, int op,
                  const std::vector<std::string>& reduceNames) {
  return Relayer(dag, layouts, op, reduceNames)();
}

} // namespace nestwright
