#pragma once
/// \file Where the parts of a graph drawing are: asked from Graphviz's `dot`, a program of its own,
/// with a time limit; and kept in the document, since the same text always gives the same layout.

#include "core/network/partition/graph_folding.h"

#include <QPolygonF>
#include <QRectF>
#include <QString>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace nestwright::ui {

/// Points, from the top left corner. Same order as in the DrawnGraph.
struct GraphLayout {
  struct Frame {
    int frame = 0; // index into DrawnGraph::frames; one that is parted appears again
    QRectF rect;
  };
  QSizeF size;
  std::vector<QRectF> nodes;
  std::vector<QPolygonF> edges; // from the maker to the reader
  std::vector<Frame> frames;
};

/// Why there is no layout; what() is a text for people: what is wrong and what to do.
class LayoutError : public std::runtime_error {
 public:
  enum class Kind { Missing, TimeLimit, Cancelled, Failed };
  LayoutError(Kind kind, const QString& text)
      : std::runtime_error(text.toStdString()), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// How `dot` is run.
struct DotProcess {
  QString program = QStringLiteral("dot");
  std::chrono::milliseconds limit{20'000};
};

/// Runs dot on the text and gives its answer (JSON). Blocks, so never call it on the GUI thread;
/// ends dot and throws LayoutError when it is not there, fails, takes too long, or `cancelled`
/// becomes true.
std::string runDot(const std::string& text, const DotProcess& process,
                   const std::atomic<bool>& cancelled);

/// Reads what dot answered for layoutInput(). Throws LayoutError when it is not complete.
GraphLayout parseDotJson(const std::string& json, const DrawnGraph& drawn);

/// A compact form to keep (CBOR), and back. Throws LayoutError for bytes that are no such form or
/// belong to another graph.
std::string toBytes(const GraphLayout& layout);
GraphLayout layoutFromBytes(const std::string& bytes, const DrawnGraph& drawn);

} // namespace nestwright::ui
