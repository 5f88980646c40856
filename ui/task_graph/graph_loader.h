#pragma once
/// \file Making the drawing of a network away from the GUI thread: the network is rebuilt from its
/// text, cut into its tasks, folded, and laid out, or the layout is taken from the document.

#include "core/record/store/store.h"
#include "ui/document/reading/reader.h"
#include "ui/task_graph/graph_layout.h"

#include <QObject>

#include <functional>
#include <memory>

namespace nestwright::ui {

/// A network as a graph, and where it repeats. Immutable and shared.
struct FoldableGraph {
  TaskGraph graph;
  std::vector<Repeat> repeats;
  bool isNetwork = true; // false: the stages of one operator
};
using FoldableGraphPtr = std::shared_ptr<const FoldableGraph>;

/// A drawing. Immutable and shared.
struct GraphPicture {
  FoldableGraphPtr source;
  std::vector<bool> expanded; // per repeat
  DrawnGraph drawn;
  GraphLayout layout; // in columns
};
using GraphPicturePtr = std::shared_ptr<const GraphPicture>;

struct GraphRequest {
  std::string network;        // text that gives it: "resnet50:batch=1"; or
  std::string name, dag;      // of an operator
  FoldableGraphPtr source;    // what it gave before, if it is known
  std::vector<bool> expanded; // repeats beyond the list are folded
  bool expandAll = false;
  double aspect = 0; // width / height that the drawing should have; 0: one column
};

/// What came of a request.
struct GraphAnswer {
  enum class Problem { None, Network, Missing, TimeLimit, Layout };
  FoldableGraphPtr source; // null with Problem::Network
  GraphPicturePtr picture; // null with any problem
  Problem problem = Problem::None;
  QString text;              // of the problem: what is wrong and what to do
  bool fromDocument = false; // the layout was kept there
};

/// The graph of the request. Throws InputError when the network cannot be rebuilt.
FoldableGraphPtr buildGraph(const GraphRequest& request);

/// The whole way; blocks. The layout is looked for in the store, and kept there when it is new.
GraphAnswer makePicture(const GraphRequest& request, const RecordStore& store,
                        const DotProcess& process, const std::atomic<bool>& cancelled);

/// Asks on a thread of its own, so that neither the window nor its other views wait.
class GraphLoader : public QObject {
  Q_OBJECT
 public:
  explicit GraphLoader(QObject* parent = nullptr);
  ~GraphLoader() override;

  /// Following requests are about this file; what is under way is dropped.
  void setPath(const QString& path);
  /// A newer request takes the place of one under way.
  void ask(const GraphRequest& request, std::function<void(const GraphAnswer&)> done);
  bool busy() const { return reader_.busy(Reader::Channel::Graph); }
  /// For tests.
  void setProcess(const DotProcess& process) { process_ = process; }

 private:
  void cancel();

  Reader reader_;
  DotProcess process_;
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

} // namespace nestwright::ui
