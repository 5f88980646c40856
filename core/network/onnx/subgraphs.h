#pragma once
/// \file What can be tuned of an ONNX model that cannot be imported as a whole: its subgraphs, as
/// models of their own.

#include "core/network/onnx/onnx_import.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace nestwright {

/// A subgraph that can be imported. No way leads out of it and into it again, so that one operator
/// can stand in its place. What it computes from constants alone, and shapes that are known, it has
/// as constants.
struct OnnxSubgraph {
  /// The bytes of an ONNX file, which says where it comes from (subgraph_origin.h).
  std::string model;
  std::vector<std::string> inputs, outputs; // tensors of the whole, by name
  std::size_t nodes = 0;                    // that are computed in it alone
  std::int64_t macs = 0;                    // multiply-accumulates of one run
};

enum class WhyLeft : std::uint8_t {
  Not,          // it is in a subgraph
  Operator,     // it is not supported
  UnknownShape, // of a tensor on the border, which only shows when the model runs
  Empty,        // a tensor on the border has no elements
  ElementType,  // a tensor on the border has one that no input can have
  Refused,      // by the importer
  LittleWork,   // in all that could be cut out with it
};

/// A node that is in no subgraph.
struct NodeLeftOut {
  std::string node; // by its name, or by its first result where it has none
  std::string op;
  WhyLeft why;
  std::string detail; // the tensor, or the importer's sentence
};
/// "the shape of 'x' is not known before the model runs"
std::string reasonText(const NodeLeftOut& one);

struct OnnxSubgraphs {
  std::vector<OnnxSubgraph> subgraphs; // in an order in which they can run
  std::vector<NodeLeftOut> left;       // in the order of the file
};

/// Cuts out all nodes that can be imported, in as few subgraphs as there can be of nodes that are
/// connected and of the same stage: the number of nodes that have to be left out on the way to
/// them. Those with less than one percent of the multiply-accumulates of all are left, too: calling
/// an operator for them gains nothing. `options` has the values of symbolic dimensions. Throws
/// InputError where the file is no ONNX model, has a dimension without a value, or an opset that is
/// not supported.
OnnxSubgraphs onnxSubgraphs(const std::filesystem::path& file, const ImportOptions& options = {});

/// The folder MODEL_subgraphs beside the model; with a number where that is taken.
std::filesystem::path subgraphFolder(const std::filesystem::path& model);

/// Writes each subgraph as NAME_1.onnx and so on, by the model's name, into a folder that is not
/// there yet, and gives their paths. Throws InputError where it is there, and SystemError, and
/// nothing of it remains.
std::vector<std::string> writeSubgraphs(const OnnxSubgraphs& found,
                                        const std::filesystem::path& model,
                                        const std::filesystem::path& folder);

} // namespace nestwright
