#pragma once
/// \file Trained networks for those who have no Nestwright: as ONNX models, which other libraries
/// run (handbook/cost-models.md 5.7).

#include "core/learn/trained_network.h"

#include <string>

namespace nestwright {

/// The bytes of an ONNX model (opset 13) that gives the network's scores, as scoresOf() has them:
///
/// - input `rows`, float [programs, rows, columns]: each program's feature rows, as they are (what
///   divides them is in the model). A network of steps has a fixed number of rows: programs are
///   cut to it, and filled up with zeros;
/// - input `lengths`, int64 [programs], of networks of statements: how many of the rows are the
///   program's; what is behind them has no effect;
/// - output `scores`, float [programs, heads].
///
/// Initialisers are named and laid out as PyTorch has them. Its text and its properties say all
/// that, and what is known of the training. A program all of whose features are 0 has no score,
/// whatever comes out.
std::string toOnnx(const TrainedNetwork& trained);

} // namespace nestwright
