#include "core/network/graph/winograd.h"

#include "core/network/graph/operators.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

using Matrix = std::vector<std::vector<double>>;

/// With d a tile of the data, g the kernel: result = A (G g G^T * B d B^T) A^T.
struct Transforms {
  Matrix data, kernel, result; // B, G, A
};

const Transforms& transforms(WinogradTile tile) {
  static const Transforms kTwo = {
      {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
      {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
      {{1, 1, 1, 0}, {0, 1, -1, -1}},
  };
  static const Transforms kFour = {
      {{4, 0, -5, 0, 1, 0},
       {0, -4, -4, 1, 1, 0},
       {0, 4, -4, -1, 1, 0},
       {0, -2, -1, 2, 1, 0},
       {0, 2, -1, -2, 1, 0},
       {0, 4, 0, -5, 0, 1}},
      {{1.0 / 4, 0, 0},
       {-1.0 / 6, -1.0 / 6, -1.0 / 6},
       {-1.0 / 6, 1.0 / 6, -1.0 / 6},
       {1.0 / 24, 1.0 / 12, 1.0 / 6},
       {1.0 / 24, -1.0 / 12, 1.0 / 6},
       {0, 0, 1}},
      {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}},
  };
  return tile == WinogradTile::Two ? kTwo : kFour;
}

std::int64_t results(WinogradTile tile) {
  return static_cast<std::int64_t>(tile);
}

/// Elements on a side of what a tile is made from.
std::int64_t places(WinogradTile tile) {
  return results(tile) + 2;
}

/// The combination of elements that a row of a matrix asks for, without products with 0 and 1.
Expr combination(const std::vector<double>& row, const std::function<Expr(std::int64_t)>& element) {
  Expr sum;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] == 0) continue;
    const Expr value = element(static_cast<std::int64_t>(j));
    const double size = std::abs(row[j]);
    const Expr term = size == 1 ? value : value * floatImm(size, value->type);
    if (!sum)
      sum = row[j] > 0 ? term : value * floatImm(row[j], value->type);
    else
      sum = row[j] > 0 ? sum + term : sum - term;
  }
  return sum;
}

/// The combination of the row at `index`. Its loop is unrolled, which leaves one of them.
Expr chosenRow(const Matrix& matrix, const Expr& index,
               const std::function<Expr(std::int64_t)>& element) {
  Expr chosen = combination(matrix.back(), element);
  for (std::size_t row = matrix.size() - 1; row-- > 0;)
    chosen = select(equal(index, Expr(static_cast<std::int64_t>(row))),
                    combination(matrix[row], element), chosen);
  return chosen;
}

/// The two sides of a transform, one after the other: first along the first axis of the tile.
struct TransformNames {
  std::string first, second;     // of the operators
  std::string row, column, last; // of the axes
};

using Place = std::function<Expr(const Expr& row, const Expr& column, const std::vector<Expr>& at)>;

/// matrix * x * matrix^T of each tile x [given, given, ...], which `from` reads.
Op transformed(const Matrix& matrix, std::int64_t given, const Shape& rest, const Place& from,
               const TransformNames& names) {
  const auto made = static_cast<std::int64_t>(matrix.size());
  const auto shape = [&](std::int64_t rows, std::int64_t columns) {
    Shape all{rows, columns};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  OpAttributes attributes;
  attributes.simplifyConstIndices = {names.row, names.column};
  const std::vector<std::string> axes{names.row, names.column, "p", names.last};
  const Op first = compute(
      names.first, shape(made, given),
      [&](const std::vector<Expr>& i) {
        return chosenRow(matrix, i[0], [&](std::int64_t row) { return from(Expr(row), i[1], i); });
      },
      axes, attributes);
  return compute(
      names.second, shape(made, made),
      [&](const std::vector<Expr>& i) {
        return chosenRow(matrix, i[1], [&](std::int64_t column) {
          return read(first, {i[0], Expr(column), i[2], i[3]});
        });
      },
      axes, attributes);
}

/// The tiles of an image, row by row, one image behind the other.
struct Tiles {
  std::int64_t images, rows, columns, side;

  Tiles(const Shape& data, const Window& window, WinogradTile tile)
      : images(data[0]), rows((window.outputs(0, data[1]) + results(tile) - 1) / results(tile)),
        columns((window.outputs(1, data[2]) + results(tile) - 1) / results(tile)),
        side(results(tile)) {}

  std::int64_t count() const { return images * rows * columns; }
  Expr image(const Expr& p) const {
    return images == 1 ? Expr(0) : floorDiv(p, Expr(rows * columns));
  }
  /// Of the first result.
  Expr row(const Expr& p) const {
    const Expr all = floorDiv(p, Expr(columns));
    return (images == 1 ? all : floorMod(all, Expr(rows))) * Expr(side);
  }
  Expr column(const Expr& p) const { return floorMod(p, Expr(columns)) * Expr(side); }
  Expr holding(const Expr& image, const Expr& row, const Expr& column) const {
    const Expr within = floorDiv(row, Expr(side)) * Expr(columns) + floorDiv(column, Expr(side));
    return images == 1 ? within : image * Expr(rows * columns) + within;
  }
};

} // namespace

std::string winogradName(WinogradTile tile) {
  return fmt::format("winograd F({},3)", results(tile));
}

bool fitsWinograd(const Window& window, std::int64_t groups, TensorLayout layout) {
  return layout == TensorLayout::ChannelsLast && groups == 1 && window.kernel == Shape{3, 3} &&
         window.strides == Shape{1, 1} && window.dilations == Shape{1, 1};
}

Shape winogradKernelShape(const Shape& kernel, WinogradTile tile) {
  return {places(tile), places(tile), kernel[2], kernel[3]};
}

Array winogradKernel(const Array& kernel, WinogradTile tile) {
  NW_ASSERT(kernel.shape.size() == 4 && kernel.shape[0] == 3 && kernel.shape[1] == 3,
            "a kernel for Winograd's filtering is 3x3, with channels last");
  const Matrix& g = transforms(tile).kernel;
  const std::int64_t channels = kernel.shape[2] * kernel.shape[3];
  const std::vector<float>& from = kernel.floats();
  std::vector<float> values;
  values.reserve(g.size() * g.size() * static_cast<std::size_t>(channels));
  for (const std::vector<double>& row : g)
    for (const std::vector<double>& column : g)
      for (std::int64_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (std::int64_t y = 0; y < 3; ++y)
          for (std::int64_t x = 0; x < 3; ++x)
            sum += row[static_cast<std::size_t>(y)] * column[static_cast<std::size_t>(x)] *
                   from[static_cast<std::size_t>((y * 3 + x) * channels + c)];
        values.push_back(static_cast<float>(sum));
      }
  return {winogradKernelShape(kernel.shape, tile), std::move(values)};
}

Op winogradConvolution(const Op& data, const Op& kernel, const Window& window, WinogradTile tile,
                       bool layoutFree, const std::string& definition) {
  const Transforms& matrices = transforms(tile);
  const Shape& in = data->output->shape;
  const Tiles tiles(in, window, tile);
  const std::int64_t alpha = places(tile), channels = in[3], outs = kernel->output->shape[3];
  NW_ASSERT(kernel->output->shape == winogradKernelShape({3, 3, channels, outs}, tile),
            "{} is no transformed kernel", kernel->name());
  const auto behind = [&](std::size_t axis, std::int64_t count) {
    return std::max<std::int64_t>(0,
                                  count * tiles.side + 2 - in[axis + 1] - window.padsBefore[axis]);
  };
  const Op padded =
      pad(data, {0, window.padsBefore[0], window.padsBefore[1], 0},
          {0, behind(0, tiles.rows), behind(1, tiles.columns), 0}, zeroOf(data->output->type));
  const Op pack = transformed(matrices.data, alpha, {tiles.count(), channels},
                              [&](const Expr& row, const Expr& column, const std::vector<Expr>& i) {
                                return read(padded, {tiles.image(i[2]), tiles.row(i[2]) + row,
                                                     tiles.column(i[2]) + column, i[3]});
                              },
                              {"data_columns", "data_pack", "eps", "nu", "ci"});
  OpAttributes attributes;
  if (layoutFree) attributes.layoutFreeInputs = {kernel->name()};
  const Op product = reduce(
      "bgemm", Reducer::Sum, {alpha, alpha, tiles.count(), outs}, {{"ci", channels}},
      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
        return read(pack, {i[0], i[1], i[2], r[0]}) * read(kernel, {i[0], i[1], r[0], i[3]});
      },
      {"eps", "nu", "p", "co"}, attributes);
  const Op inverse =
      transformed(matrices.result, alpha, {tiles.count(), outs},
                  [&](const Expr& row, const Expr& column, const std::vector<Expr>& i) {
                    return read(product, {row, column, i[2], i[3]});
                  },
                  {"inverse_columns", "inverse", "vh", "vw", "co"});
  OpAttributes mark;
  if (!definition.empty()) mark.alternative = AlternativeOf{winogradName(tile), definition};
  return compute(
      "conv2d_winograd", {in[0], window.outputs(0, in[1]), window.outputs(1, in[2]), outs},
      [&](const std::vector<Expr>& i) {
        return read(inverse, {floorMod(i[1], Expr(tiles.side)), floorMod(i[2], Expr(tiles.side)),
                              tiles.holding(i[0], i[1], i[2]), i[3]});
      },
      {"nn", "yy", "xx", "ff"}, mark);
}

} // namespace nestwright
