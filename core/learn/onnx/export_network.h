#pragma once
/// \file Trained networks for those who have no Nestwright: as ONNX models, which other libraries
/// run (handbook/cost-models.md 5.7).

#include "core/learn/trained_network.h"

#include <string>

namespace nestwright {

/// Whether such a network can be written: of a tree's one every program has a form of its own.
bool hasOnnxForm(Architecture architecture);

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
/// whatever comes out. `features` says what a row is, as featureChoice() of core/feature takes it;
/// empty: nobody knows. Throws UsageError for a network that has no such form.
std::string toOnnx(const TrainedNetwork& trained, const std::string& features = {});

} // namespace nestwright
