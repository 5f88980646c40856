#include "core/template/task_operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

/// An index as a sum of multiples of axes.
struct Linear {
  struct Term {
    const VarNode* var;
    std::int64_t factor;
  };
  std::vector<Term> terms;
  std::int64_t constant = 0;
};

bool addLinear(const Expr& e, std::int64_t factor, Linear& sum) {
  if (const std::int64_t* value = asInt(e)) {
    std::int64_t scaled = 0;
    return !__builtin_mul_overflow(*value, factor, &scaled) &&
           !__builtin_add_overflow(sum.constant, scaled, &sum.constant);
  }
  switch (e->kind) {
  case ExprKind::Var: {
    const auto known = std::ranges::find(sum.terms, e->var.get(), &Linear::Term::var);
    if (known == sum.terms.end())
      sum.terms.push_back({e->var.get(), factor});
    else if (__builtin_add_overflow(known->factor, factor, &known->factor))
      return false;
    return true;
  }
  case ExprKind::Add:
    return addLinear((*e)[0], factor, sum) && addLinear((*e)[1], factor, sum);
  case ExprKind::Sub:
    return addLinear((*e)[0], factor, sum) && addLinear((*e)[1], -factor, sum);
  case ExprKind::Mul: {
    const std::int64_t* second = asInt((*e)[1]);
    const std::int64_t* number = second != nullptr ? second : asInt((*e)[0]);
    std::int64_t scaled = 0;
    return number != nullptr && !__builtin_mul_overflow(*number, factor, &scaled) &&
           addLinear((*e)[second != nullptr ? 0 : 1], scaled, sum);
  }
  default:
    return false;
  }
}

std::optional<Linear> linear(const Expr& index) {
  Linear sum;
  if (!addLinear(index, 1, sum)) return std::nullopt;
  return sum;
}

/// What one index of an operand is: an axis, a window sliding along an axis, or the only element.
struct IndexForm {
  int axis = -1;    // spatial axis of the reduction
  int reduced = -1; // reduction axis
  std::int64_t stride = 1, dilation = 1;
  bool slides() const { return axis >= 0 && reduced >= 0; }
};

struct OperandForm {
  int op = 0;
  std::vector<IndexForm> indices;
  bool reads(int axis) const {
    return std::ranges::any_of(indices, [&](const IndexForm& i) { return i.axis == axis; });
  }
  int dimensionOfAxis(int axis) const { return dimension(&IndexForm::axis, axis); }
  int dimensionOfReduced(int axis) const { return dimension(&IndexForm::reduced, axis); }
  bool slides() const { return std::ranges::any_of(indices, &IndexForm::slides); }

 private:
  int dimension(int IndexForm::*which, int axis) const {
    const auto found = std::ranges::find(indices, axis, which);
    return found == indices.end() ? -1 : static_cast<int>(found - indices.begin());
  }
};

int axisOf(const std::vector<Axis>& axes, const VarNode* var) {
  const auto found =
      std::ranges::find_if(axes, [&](const Axis& axis) { return axis.var.get() == var; });
  return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
}

class Recogniser {
 public:
  explicit Recogniser(const ComputeDag& task) : task_(task) {}

  RecognisedTask operator()() {
    if (!takeReduction() || !takeProduct()) return {{}, std::move(why_)};
    const bool fits = data_.slides() ? takeConvolution() : takeMatrices();
    if (!fits || !takeNeighbours()) return {{}, std::move(why_)};
    return {std::move(found_), {}};
  }

 private:
  template <class... Args>
  bool refuse(fmt::format_string<Args...> format, Args&&... args) {
    why_ = fmt::format(format, std::forward<Args>(args)...);
    return false;
  }

  const OpNode& op() const { return *task_[static_cast<std::size_t>(found_.op)]; }

  bool takeReduction() {
    std::vector<std::string> reductions;
    for (std::size_t i = 0; i < task_.size(); ++i)
      if (!task_[i]->reduceAxes.empty()) {
        reductions.push_back(task_[i]->name());
        found_.op = static_cast<int>(i);
      }
    if (reductions.empty()) return refuse("it has no reduction");
    if (reductions.size() > 1)
      return refuse("it has {} reductions ({}), and a template computes one", reductions.size(),
                    fmt::join(reductions, ", "));
    const std::vector<Op> results = task_.outputs();
    if (results.size() != 1)
      return refuse("it has {} results, and a template computes one", results.size());
    found_.result = task_.indexOf(results[0]->output);
    if (!op().attributes.simplifyConstIndices.empty())
      return refuse("{} is part of a Winograd convolution", op().name());
    return true;
  }

  bool takeProduct() {
    const Expr& body = op().body;
    if (op().reducer != Reducer::Sum || body->kind != ExprKind::Mul)
      return refuse("{} is no sum of products", op().name());
    return takeOperand((*body)[0], data_) && takeOperand((*body)[1], weights_) && settleOrder();
  }

  bool takeOperand(const Expr& factor, OperandForm& operand) {
    const Expr& load = factor->kind == ExprKind::Cast ? (*factor)[0] : factor;
    if (load->kind == ExprKind::IfThenElse || load->kind == ExprKind::Select)
      return refuse("{} multiplies elements that are there on a condition, as transposed "
                    "convolutions do",
                    op().name());
    if (load->kind != ExprKind::Load)
      return refuse("{} multiplies something else than two tensors", op().name());
    operand.op = task_.indexOf(load->buffer);
    for (const Expr& index : load->operands) {
      const std::optional<IndexForm> form = formOf(index);
      if (!form)
        return refuse("{} reads {} at places that are neither an axis nor a window's, as grouped "
                      "convolutions do",
                      op().name(), load->buffer->name);
      operand.indices.push_back(*form);
    }
    return true;
  }

  std::optional<IndexForm> formOf(const Expr& index) const {
    const std::optional<Linear> sum = linear(index);
    if (!sum || sum->constant != 0 || sum->terms.size() > 2) return std::nullopt;
    IndexForm form;
    for (const Linear::Term& term : sum->terms) {
      const int axis = axisOf(op().axes, term.var), reduced = axisOf(op().reduceAxes, term.var);
      if (term.factor < 1 || (axis >= 0 ? form.axis : form.reduced) >= 0) return std::nullopt;
      if (axis >= 0)
        form.axis = axis, form.stride = term.factor;
      else if (reduced >= 0)
        form.reduced = reduced, form.dilation = term.factor;
      else
        return std::nullopt;
    }
    const bool isPlain = form.stride == 1 && form.dilation == 1;
    return form.slides() || isPlain ? std::optional(form) : std::nullopt;
  }

  /// Of the operands that with the window is the data; of a product's that whose rows come first.
  bool settleOrder() {
    if (data_.op == weights_.op)
      return refuse("{} multiplies {} by itself", op().name(), nameOf(data_.op));
    if (data_.slides() && weights_.slides())
      return refuse("{} slides along both its operands", op().name());
    bool exchange = weights_.slides();
    if (!data_.slides() && !weights_.slides())
      for (int axis = 0; axis < std::ssize(op().axes); ++axis)
        if (data_.reads(axis) != weights_.reads(axis)) {
          exchange = weights_.reads(axis);
          break;
        }
    if (exchange) std::swap(data_, weights_);
    found_.data = found_.input = data_.op;
    found_.weights = weights_.op;
    return true;
  }

  bool takeMatrices() {
    if (op().reduceAxes.size() != 1)
      return refuse("{} sums over {} axes; a product of matrices has one, a convolution slides",
                    op().name(), op().reduceAxes.size());
    for (int axis = 0; axis < std::ssize(op().axes); ++axis)
      if (!takeMatrixAxis(axis)) return false;
    DimensionRoles &data = found_.dataRoles, &weights = found_.weightRoles;
    data.in = data_.dimensionOfReduced(0);
    weights.in = weights_.dimensionOfReduced(0);
    found_.summedRoles.in = 0;
    if (data.in < 0 || weights.in < 0)
      return refuse("{} sums over an axis of one operand alone", op().name());
    if (data.spatial.size() != 1 || weights.out < 0)
      return refuse("{} has {} axes of rows and {} of columns, and a product of matrices one each",
                    op().name(), data.spatial.size(), weights.out < 0 ? 0 : 1);
    found_.kind = data.batch.empty() ? OperatorKind::Dense : OperatorKind::BatchMatmul;
    return areAllPlaced();
  }

  bool takeMatrixAxis(int axis) {
    const int ofData = data_.dimensionOfAxis(axis), ofWeights = weights_.dimensionOfAxis(axis);
    if (ofData < 0 && ofWeights < 0)
      return refuse("{} repeats its result along {}", op().name(), axisName(axis));
    DimensionRoles& result = found_.resultRoles;
    if (ofData >= 0 && ofWeights >= 0) {
      result.batch.push_back(axis);
      found_.dataRoles.batch.push_back(ofData);
      found_.weightRoles.batch.push_back(ofWeights);
    } else if (ofData >= 0) {
      result.spatial.push_back(axis);
      found_.dataRoles.spatial.push_back(ofData);
    } else {
      if (result.out >= 0)
        return refuse("{} has two axes of columns, {} and {}", op().name(), axisName(result.out),
                      axisName(axis));
      result.out = axis;
      found_.weightRoles.out = ofWeights;
    }
    return true;
  }

  bool takeConvolution() {
    for (int d = 0; d < std::ssize(data_.indices); ++d)
      if (!takeDataDimension(d)) return false;
    const std::size_t axes = found_.resultRoles.spatial.size();
    if (found_.resultRoles.batch.size() != 1)
      return refuse("{} has {} axes of images", op().name(), found_.resultRoles.batch.size());
    if (found_.resultRoles.out < 0) takeOutputChannel();
    if (found_.resultRoles.out < 0 || found_.weightRoles.out < 0 || !areAllPlaced())
      return why_.empty() ? refuse("{} has no axis of output channels", op().name()) : false;
    const bool isDepthwise = found_.summedRoles.in < 0;
    if (axes == 3 && !isDepthwise)
      found_.kind = OperatorKind::Conv3d;
    else if (axes == 2)
      found_.kind = isDepthwise ? OperatorKind::DepthwiseConv2d : OperatorKind::Conv2d;
    else
      return refuse("there is no template for {}convolutions over {} ax{}",
                    isDepthwise ? "depthwise " : "", axes, axes == 1 ? "is" : "es");
    return true;
  }

  bool takeDataDimension(int d) {
    const IndexForm& index = data_.indices[static_cast<std::size_t>(d)];
    DimensionRoles &data = found_.dataRoles, &result = found_.resultRoles;
    if (index.slides()) {
      const int ofWeights = weights_.dimensionOfReduced(index.reduced);
      if (ofWeights < 0)
        return refuse("{} slides over {} without weights", op().name(), nameOf(data_.op));
      data.spatial.push_back(d);
      result.spatial.push_back(index.axis);
      found_.weightRoles.spatial.push_back(ofWeights);
      found_.summedRoles.spatial.push_back(index.reduced);
      found_.window.strides.push_back(index.stride);
      found_.window.dilations.push_back(index.dilation);
    } else if (index.reduced >= 0) {
      if (data.in >= 0) return refuse("{} sums over two axes of channels", op().name());
      data.in = d;
      found_.summedRoles.in = index.reduced;
      found_.weightRoles.in = weights_.dimensionOfReduced(index.reduced);
      if (found_.weightRoles.in < 0)
        return refuse("{} sums over channels without weights", op().name());
    } else if (index.axis >= 0 && weights_.reads(index.axis)) {
      if (data.in >= 0) return refuse("{} has two axes of channels", op().name());
      data.in = d; // of a depthwise convolution, where channels stay apart
      result.out = index.axis;
      found_.weightRoles.out = weights_.dimensionOfAxis(index.axis);
    } else if (index.axis >= 0) {
      data.batch.push_back(d);
      result.batch.push_back(index.axis);
    }
    return true;
  }

  void takeOutputChannel() {
    for (int axis = 0; axis < std::ssize(op().axes); ++axis)
      if (!data_.reads(axis) && weights_.reads(axis)) {
        found_.resultRoles.out = axis;
        found_.weightRoles.out = weights_.dimensionOfAxis(axis);
        return;
      }
  }

  /// Every dimension of the result, the operands and the reduction has its part, or is a single
  /// element of an operand.
  bool areAllPlaced() {
    return areAllPlaced(found_.resultRoles, op().axes.size(), -1) &&
           areAllPlaced(found_.dataRoles, data_.indices.size(), data_.op) &&
           areAllPlaced(found_.weightRoles, weights_.indices.size(), weights_.op) &&
           areAllPlaced(found_.summedRoles, op().reduceAxes.size(), -1);
  }

  bool areAllPlaced(DimensionRoles& roles, std::size_t dimensions, int operand) {
    std::vector<int> placed = roles.batch;
    placed.insert(placed.end(), roles.spatial.begin(), roles.spatial.end());
    placed.push_back(roles.in);
    placed.push_back(roles.out);
    for (int d = 0; d < static_cast<int>(dimensions); ++d) {
      const auto times = std::ranges::count(placed, d);
      if (times == 0 && operand >= 0 && extentOf(task_, operand, d) == 1)
        roles.unit.push_back(d);
      else if (times != 1)
        return refuse("{} has axes that neither products nor convolutions have", op().name());
    }
    return true;
  }

  /// What comes before and behind the reduction.
  bool takeNeighbours() {
    if (data_.slides()) takePadding();
    const std::set<int> ofData = ancestors(found_.data), ofWeights = ancestors(found_.weights);
    for (std::size_t i = 0; i < task_.size(); ++i) {
      const int place = static_cast<int>(i);
      const bool shared = (ofData.contains(place) && ofWeights.contains(place)) ||
                          ((ofData.contains(place) || ofWeights.contains(place)) &&
                           isReadBehind(place, ofData, ofWeights));
      if (shared)
        return refuse("{} is read in two places, which may ask for two layouts", nameOf(place));
    }
    return true;
  }

  /// Padding with zeros or anything else that reads the input at shifted places, under a condition.
  void takePadding() {
    const OpNode& padded = *task_[static_cast<std::size_t>(found_.data)];
    const std::size_t axes = found_.dataRoles.spatial.size();
    found_.window.padsBefore.assign(axes, 0);
    found_.window.padsAfter.assign(axes, 0);
    if (!padded.isCompute() || padded.body->kind != ExprKind::IfThenElse ||
        (*padded.body)[1]->kind != ExprKind::Load || readsMemory((*padded.body)[2]))
      return;
    const Expr& load = (*padded.body)[1];
    if (load->operands.size() != padded.axes.size()) return;
    std::vector<std::int64_t> shifts;
    for (std::size_t d = 0; d < load->operands.size(); ++d) {
      const std::optional<Linear> sum = linear(load->operands[d]);
      if (!sum || sum->terms.size() != 1 || sum->terms[0].factor != 1 ||
          sum->terms[0].var != padded.axes[d].var.get())
        return;
      shifts.push_back(-sum->constant);
    }
    const int input = task_.indexOf(load->buffer);
    std::vector<std::int64_t> before, after;
    for (std::size_t a = 0; a < axes; ++a) {
      const auto d = static_cast<std::size_t>(found_.dataRoles.spatial[a]);
      before.push_back(shifts[d]);
      after.push_back(padded.axes[d].extent - extentOf(task_, input, int(d)) - shifts[d]);
      shifts[d] = 0;
    }
    const auto isBelow = [](std::int64_t n) { return n < 0; };
    const auto isShift = [](std::int64_t n) { return n != 0; };
    if (std::ranges::any_of(before, isBelow) || std::ranges::any_of(after, isBelow) ||
        std::ranges::any_of(shifts, isShift))
      return;
    found_.input = input;
    found_.window.padsBefore = before;
    found_.window.padsAfter = after;
  }

  /// Itself, and what it is computed from.
  std::set<int> ancestors(int place) const {
    std::set<int> all{place};
    for (int i = place; i >= 0; --i)
      if (all.contains(i))
        for (const int producer : producers(i))
          all.insert(producer);
    return all;
  }

  std::set<int> producers(int place) const {
    std::set<int> all;
    const OpNode& reader = *task_[static_cast<std::size_t>(place)];
    if (!reader.isCompute()) return all;
    visit(reader.body, [&](const Expr& e) {
      if (e->kind == ExprKind::Load) all.insert(task_.indexOf(e->buffer));
      return true;
    });
    return all;
  }

  bool isReadBehind(int place, const std::set<int>& ofData, const std::set<int>& ofWeights) const {
    for (int reader = 0; reader < static_cast<int>(task_.size()); ++reader)
      if (reader != found_.op && !ofData.contains(reader) && !ofWeights.contains(reader) &&
          producers(reader).contains(place))
        return true;
    return false;
  }

  const std::string& nameOf(int place) const {
    return task_[static_cast<std::size_t>(place)]->name();
  }
  const std::string& axisName(int axis) const {
    return op().axes[static_cast<std::size_t>(axis)].name();
  }

  const ComputeDag& task_;
  OperandForm data_, weights_;
  TaskOperator found_;
  std::string why_;
};

} // namespace

RecognisedTask recognise(const ComputeDag& task) {
  return Recogniser(task)();
}

std::int64_t extentOf(const ComputeDag& task, int op, int dimension) {
  return task[static_cast<std::size_t>(op)]->output->shape[static_cast<std::size_t>(dimension)];
}

} // namespace nestwright
