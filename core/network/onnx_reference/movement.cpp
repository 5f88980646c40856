// ONNX operators that move elements, as the standard defines them.

#include "core/network/graph/infer.h"
#include "core/network/onnx_reference/reference_node.h"

#include <algorithm>

namespace nestwright::onnx_reference {

namespace {

/// The same elements in another shape, when it has as many.
Results reshaped(const ReferenceNode& node, Shape shape) {
  if (elementCount(shape) != elementCount(node.shape(0)))
    node.fail(
        fmt::format("{} has not the elements of {}", shapeText(shape), shapeText(node.shape(0))));
  return {withShape(node[0], std::move(shape))};
}

Results reshape(const ReferenceNode& node) {
  Shape shape = node.integersOr("shape", 1);
  const Shape& in = node.shape(0);
  std::int64_t known = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && node.integer("allowzero", 0) == 0) {
      if (d >= in.size()) node.fail("the shape copies a dimension that is not there");
      shape[d] = in[d];
    }
    if (shape[d] != -1) known *= shape[d];
  }
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end()) *open = known == 0 ? 0 : elementCount(in) / known;
  return reshaped(node, std::move(shape));
}

Results flatten(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  const std::int64_t given = node.integer("axis", 1);
  const std::size_t axis =
      given == static_cast<std::int64_t>(in.size()) ? in.size() : node.axis(given, in.size());
  return reshaped(node, {extentBetween(in, 0, axis), extentBetween(in, axis, in.size())});
}

Results squeeze(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  const bool all = !node.attribute("axes") && !node.has(1);
  std::vector<bool> drop(in.size(), false);
  for (const std::int64_t axis : node.integersOr("axes", 1))
    drop[node.axis(axis, in.size())] = true;
  Shape shape;
  for (std::size_t d = 0; d < in.size(); ++d)
    if (all ? in[d] != 1 : !drop[d]) shape.push_back(in[d]);
  return reshaped(node, std::move(shape));
}

Results unsqueeze(const ReferenceNode& node) {
  const Shape axes = node.integersOr("axes", 1);
  const Shape& in = node.shape(0);
  std::vector<bool> added(in.size() + axes.size(), false);
  for (const std::int64_t axis : axes)
    added[node.axis(axis, added.size())] = true;
  if (at(std::count(added.begin(), added.end(), true)) != axes.size())
    node.fail("an axis is given twice");
  Shape shape;
  std::size_t next = 0;
  for (const bool one : added)
    shape.push_back(one ? 1 : in[next++]);
  return reshaped(node, std::move(shape));
}

Results transpose(const ReferenceNode& node) {
  const Array& x = node[0];
  Shape permutation = node.integers("perm");
  if (permutation.empty())
    for (std::size_t d = x.shape.size(); d-- > 0;)
      permutation.push_back(static_cast<std::int64_t>(d));
  const Shape strides = stridesOf(x.shape);
  Shape shape, steps;
  for (const std::int64_t d : permutation) {
    shape.push_back(x.shape[node.axis(d, x.shape.size())]);
    steps.push_back(strides[node.axis(d, x.shape.size())]);
  }
  std::vector<std::int64_t> places;
  forEachIndex(shape, [&](const Shape& index) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
      place += index[d] * steps[d];
    places.push_back(place);
  });
  return {picked(x, shape, [&](std::int64_t i) { return places[at(i)]; })};
}

/// Copies `part` into `to` at an offset on one axis, or the other way round.
template <class F>
void alongAxis(const Shape& part, const Shape& whole, std::size_t axis, std::int64_t start,
               const F& copy) {
  const std::int64_t inner = extentBetween(part, axis + 1, part.size());
  const std::int64_t outer = extentBetween(part, 0, axis);
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < part[axis] * inner; ++i)
      copy(o * part[axis] * inner + i, (o * whole[axis] + start) * inner + i);
}

Results concat(const ReferenceNode& node) {
  const std::size_t axis = node.axis(node.integer("axis", 1), node.shape(0).size());
  Shape shape = node.shape(0);
  for (std::size_t i = 1; i < node.inputCount(); ++i) {
    if (node.shape(i).size() != shape.size()) node.fail("the operands differ in rank");
    shape[axis] += node.shape(i)[axis];
  }
  Array result = zerosLike(node[0], shape);
  std::visit(
      [&](auto& to) {
        std::int64_t start = 0;
        for (std::size_t i = 0; i < node.inputCount(); ++i) {
          const auto& from = std::get<std::decay_t<decltype(to)>>(node[i].data);
          alongAxis(node.shape(i), shape, axis, start,
                    [&](std::int64_t p, std::int64_t w) { to[at(w)] = from[at(p)]; });
          start += node.shape(i)[axis];
        }
      },
      result.data);
  return {result};
}

Results split(const ReferenceNode& node) {
  const Array& x = node[0];
  const std::size_t axis = node.axis(node.integer("axis", 0), x.shape.size());
  Shape parts = node.integersOr("split", 1);
  const auto count = static_cast<std::int64_t>(node.outputCount());
  if (parts.empty()) parts.assign(at(count), x.shape[axis] / count);
  Results results;
  std::int64_t start = 0;
  for (const std::int64_t extent : parts) {
    Shape shape = x.shape;
    shape[axis] = extent;
    if (start + extent > x.shape[axis]) node.fail("the parts do not fit the data");
    std::vector<std::int64_t> places(at(elementCount(shape)));
    alongAxis(shape, x.shape, axis, start,
              [&](std::int64_t p, std::int64_t w) { places[at(p)] = w; });
    results.push_back(picked(x, shape, [&](std::int64_t i) { return places[at(i)]; }));
    start += extent;
  }
  return results;
}

Results slice(const ReferenceNode& node) {
  const Array& x = node[0];
  const Shape starts = node.integersOr("starts", 1), ends = node.integersOr("ends", 2);
  const Shape axes = node.integersOr("axes", 3);
  const Shape steps = node.has(4) ? node.integersOf(4) : Shape(starts.size(), 1);
  if (ends.size() != starts.size() || steps.size() != starts.size() ||
      (!axes.empty() && axes.size() != starts.size()))
    node.fail("starts, ends, axes and steps differ in length");
  // For each dimension the places that stay, found one by one.
  std::vector<Shape> kept(x.shape.size());
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    for (std::int64_t i = 0; i < x.shape[d]; ++i)
      kept[d].push_back(i);
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const std::size_t d = axes.empty() ? s : node.axis(axes[s], x.shape.size());
    const std::int64_t extent = x.shape.at(d);
    if (steps[s] == 0) node.fail("a step of 0");
    // As far as out of the data, and no farther, where the place would overflow.
    const std::int64_t step = std::clamp(steps[s], -extent - 1, extent + 1);
    const auto place = [&](std::int64_t i, std::int64_t low, std::int64_t high) {
      return std::clamp(i < 0 ? (i < -extent ? -1 : i + extent) : std::min(i, extent), low, high);
    };
    kept[d].clear();
    if (step > 0)
      for (std::int64_t i = place(starts[s], 0, extent), end = place(ends[s], 0, extent); i < end;
           i += step)
        kept[d].push_back(i);
    else
      for (std::int64_t i = place(starts[s], -1, extent - 1), end = place(ends[s], -1, extent - 1);
           i > end; i += step)
        kept[d].push_back(i);
  }
  Shape shape;
  for (const Shape& places : kept)
    shape.push_back(static_cast<std::int64_t>(places.size()));
  const Shape strides = stridesOf(x.shape);
  std::vector<std::int64_t> places;
  forEachIndex(shape, [&](const Shape& index) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
      place += kept[d][at(index[d])] * strides[d];
    places.push_back(place);
  });
  return {picked(x, shape, [&](std::int64_t i) { return places[at(i)]; })};
}

Results expand(const ReferenceNode& node) {
  const Shape shape = broadcast(node, node.shape(0), node.integersOf(1));
  const std::vector<std::int64_t> places = positionsIn(node.shape(0), shape);
  return {picked(node[0], shape, [&](std::int64_t i) { return places[at(i)]; })};
}

Results tile(const ReferenceNode& node) {
  const Array& x = node[0];
  const Shape& repeats = node.integersOf(1);
  if (repeats.size() != x.shape.size()) node.fail("there is not one repeat a dimension");
  Shape shape = x.shape;
  for (std::size_t d = 0; d < shape.size(); ++d)
    shape[d] *= repeats[d];
  const Shape strides = stridesOf(x.shape);
  std::vector<std::int64_t> places;
  forEachIndex(shape, [&](const Shape& index) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
      place += index[d] % x.shape[d] * strides[d];
    places.push_back(place);
  });
  return {picked(x, shape, [&](std::int64_t i) { return places[at(i)]; })};
}

Results pad(const ReferenceNode& node) {
  const Array& x = node[0];
  const Shape pads = node.integersOr("pads", 1);
  const std::size_t rank = x.shape.size();
  if (pads.size() != 2 * rank) node.fail("there are not two paddings a dimension");
  const std::string mode = node.text("mode", "constant");
  const double value = node.has(2) ? node.realOf(2) : node.real("value", 0);
  Shape shape = x.shape;
  for (std::size_t d = 0; d < rank; ++d)
    shape[d] += pads[d] + pads[d + rank];
  const Shape strides = stridesOf(x.shape);
  Array result = zerosLike(x, shape);
  std::visit(
      [&](auto& to) {
        using Elements = std::decay_t<decltype(to)>;
        const auto& from = std::get<Elements>(x.data);
        std::size_t next = 0;
        forEachIndex(shape, [&](const Shape& index) {
          std::int64_t place = 0;
          bool outside = false;
          for (std::size_t d = 0; d < rank; ++d) {
            std::int64_t i = index[d] - pads[d];
            const std::int64_t last = x.shape[d] - 1;
            outside = outside || i < 0 || i > last;
            if (mode == "reflect") i = i < 0 ? -i : i > last ? 2 * last - i : i;
            place += std::clamp<std::int64_t>(i, 0, last) * strides[d];
          }
          to[next++] = outside && mode == "constant"
                           ? static_cast<typename Elements::value_type>(value)
                           : from[at(place)];
        });
      },
      result.data);
  return {result};
}

Results triangle(const ReferenceNode& node) {
  Array result = node[0];
  const std::size_t rank = result.shape.size();
  if (rank < 2) node.fail("the data is no matrix");
  const std::int64_t diagonal = node.has(1) ? node.integersOf(1).at(0) : 0;
  const bool upper = node.integer("upper", 1) != 0;
  std::visit(
      [&](auto& elements) {
        std::size_t next = 0;
        forEachIndex(result.shape, [&](const Shape& index) {
          const std::int64_t above = index[rank - 1] - index[rank - 2];
          if (upper ? above < diagonal : above > diagonal) elements[next] = 0;
          ++next;
        });
      },
      result.data);
  return {result};
}

/// The blocks' rows and columns become channels, or channels become them.
Results depthToSpace(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  const std::int64_t b = node.integer("blocksize", 1);
  if (in.size() != 4 || b < 1 || in[1] % (b * b) != 0)
    node.fail("the data does not fit the blocks");
  const std::int64_t channels = in[1] / (b * b);
  const bool columnsFirst = node.text("mode", "DCR") == "CRD";
  const Shape shape{in[0], channels, in[2] * b, in[3] * b}, strides = stridesOf(in);
  std::vector<std::int64_t> places;
  forEachIndex(shape, [&](const Shape& i) {
    const std::int64_t block = i[2] % b * b + i[3] % b;
    const std::int64_t channel = columnsFirst ? i[1] * b * b + block : block * channels + i[1];
    places.push_back(i[0] * strides[0] + channel * strides[1] + i[2] / b * strides[2] +
                     i[3] / b * strides[3]);
  });
  return {picked(node[0], shape, [&](std::int64_t i) { return places[at(i)]; })};
}

Results spaceToDepth(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  const std::int64_t b = node.integer("blocksize", 1);
  if (in.size() != 4 || b < 1 || in[2] % b != 0 || in[3] % b != 0)
    node.fail("the data does not fit the blocks");
  const Shape shape{in[0], in[1] * b * b, in[2] / b, in[3] / b}, strides = stridesOf(in);
  std::vector<std::int64_t> places;
  forEachIndex(shape, [&](const Shape& i) {
    const std::int64_t block = i[1] / in[1];
    places.push_back(i[0] * strides[0] + i[1] % in[1] * strides[1] +
                     (i[2] * b + block / b) * strides[2] + (i[3] * b + block % b) * strides[3]);
  });
  return {picked(node[0], shape, [&](std::int64_t i) { return places[at(i)]; })};
}

} // namespace

const Operators& movementOperators() {
  static const Operators kTable = {
      {"Reshape", reshape},
      {"Flatten", flatten},
      {"Squeeze", squeeze},
      {"Unsqueeze", unsqueeze},
      {"Transpose", transpose},
      {"Concat", concat},
      {"Split", split},
      {"Slice", slice},
      {"Expand", expand},
      {"Tile", tile},
      {"Pad", pad},
      {"Trilu", triangle},
      {"DepthToSpace", depthToSpace},
      {"SpaceToDepth", spaceToDepth},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
