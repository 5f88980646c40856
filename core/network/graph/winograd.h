#pragma once
/// \file Winograd's minimal filtering: convolutions of 3x3 with stride 1 in fewer multiplications.
/// F(m x m, 3 x 3) makes tiles of m by m results from tiles of m + 2 by m + 2 elements: both
/// operands are transformed, multiplied element for element, summed over the channels (a matrix
/// product for each of the (m + 2)^2 places), and transformed back (Lavin and Gray 2016). The
/// points are 0, 1, -1 and infinity for F(2), and with them 2 and -2 for F(4).

#include "core/network/graph/array.h"
#include "core/network/graph/window.h"
#include "core/tensor/compute_dag.h"

#include <string>

namespace nestwright {

/// How many results on each side of a tile.
enum class WinogradTile : std::uint8_t { Two = 2, Four = 4 };

/// "winograd F(2,3)", "winograd F(4,3)".
std::string winogradName(WinogradTile tile);

/// Whether a convolution with these channels has such a form: 3x3 on two axes, stride 1, not
/// dilated, one group, channels last.
bool fitsWinograd(const Window& window, std::int64_t groups, TensorLayout layout);

/// The kernel [3, 3, I, O] as the products take it: [m + 2, m + 2, I, O].
Shape winogradKernelShape(const Shape& kernel, WinogradTile tile);
Array winogradKernel(const Array& kernel, WinogradTile tile);

/// The same results as `convolution` of `data` (N, H, W, I) with the kernel that `kernel` is the
/// transform of, up to rounding. Tiles may reach beyond the results. The last operator is
/// conv2d_winograd(nn, yy, xx, ff); `layoutFree` as in `convolution`. Operands are float32.
/// `definition` is the workloadHash of the DAG with `convolution`, of which this one becomes an
/// alternative; empty: of none.
Op winogradConvolution(const Op& data, const Op& kernel, const Window& window, WinogradTile tile,
                       bool layoutFree = true, const std::string& definition = {});

} // namespace nestwright
