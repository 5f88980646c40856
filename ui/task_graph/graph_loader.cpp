#include "ui/task_graph/graph_loader.h"

#include "core/network/partition/graph_layout_input.h"
#include "core/network/zoo/zoo.h"
#include "core/record/file/document_file.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/tensor/text.h"
#include "ui/kit/text.h"
#include "ui/task_graph/graph_columns.h"

#include <spdlog/spdlog.h>

namespace nestwright::ui {
namespace {

GraphAnswer::Problem problemOf(LayoutError::Kind kind) {
  switch (kind) {
  case LayoutError::Kind::Missing:
    return GraphAnswer::Problem::Missing;
  case LayoutError::Kind::TimeLimit:
    return GraphAnswer::Problem::TimeLimit;
  case LayoutError::Kind::Cancelled:
  case LayoutError::Kind::Failed:
    break;
  }
  return GraphAnswer::Problem::Layout;
}

/// A layout that cannot be kept (a read-only file) is made again next time.
void keepLayout(const RecordStore& store, const std::string& key, const GraphLayout& layout) {
  try {
    nestwright::keep(store.path(), key, toBytes(layout));
  } catch (const std::exception& problem) {
    spdlog::info("{}: the graph's layout was not kept: {}", store.path(), problem.what());
  }
}

std::optional<GraphLayout> keptLayout(const RecordStore& store, const std::string& key,
                                      const DrawnGraph& drawn) {
  try {
    if (const std::optional<std::string> bytes = kept(store.path(), key))
      return layoutFromBytes(*bytes, drawn);
  } catch (const std::exception& problem) {
    spdlog::warn("{}: the kept layout {} is made anew: {}", store.path(), key, problem.what());
  }
  return std::nullopt;
}

} // namespace

FoldableGraphPtr buildGraph(const GraphRequest& request) {
  auto result = std::make_shared<FoldableGraph>();
  result->isNetwork = request.dag.empty();
  if (result->isNetwork) {
    result->graph = taskGraph(optimisedPartition(parseNetworkSpec(request.network)));
    result->repeats = findRepeats(result->graph);
  } else {
    result->graph = taskGraph(request.name, parseDag(request.dag));
  }
  return result;
}

GraphAnswer makePicture(const GraphRequest& request, const RecordStore& store,
                        const DotProcess& process, const std::atomic<bool>& cancelled) {
  GraphAnswer answer;
  try {
    answer.source = request.source ? request.source : buildGraph(request);
    auto picture = std::make_shared<GraphPicture>();
    picture->source = answer.source;
    picture->expanded = request.expanded;
    picture->expanded.resize(answer.source->repeats.size(), false);
    if (request.expandAll) picture->expanded.assign(answer.source->repeats.size(), true);
    picture->drawn = drawnGraph(answer.source->graph, answer.source->repeats, picture->expanded);
    const std::string text = layoutInput(answer.source->graph, picture->drawn);
    const std::string key = "graph/" + hashHex(text);
    std::optional<GraphLayout> layout = keptLayout(store, key, picture->drawn);
    answer.fromDocument = layout.has_value();
    if (!layout) {
      layout = parseDotJson(runDot(text, process, cancelled), picture->drawn);
      keepLayout(store, key, *layout);
    }
    picture->layout = request.aspect > 0 ? inColumns(*layout, picture->drawn, request.aspect)
                                         : std::move(*layout);
    answer.picture = std::move(picture);
  } catch (const LayoutError& problem) {
    answer.problem = problemOf(problem.kind());
    answer.text = qs(problem.what());
  } catch (const Error& problem) {
    answer.problem = GraphAnswer::Problem::Network;
    answer.text = qs(problem.what());
  }
  return answer;
}

GraphLoader::GraphLoader(QObject* parent)
    : QObject(parent), cancelled_(std::make_shared<std::atomic<bool>>(false)) {}

GraphLoader::~GraphLoader() {
  *cancelled_ = true; // the reader's destructor waits for its thread
}

void GraphLoader::cancel() {
  *cancelled_ = true;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
}

void GraphLoader::setPath(const QString& path) {
  cancel();
  reader_.setPath(path);
}

void GraphLoader::ask(const GraphRequest& request, std::function<void(const GraphAnswer&)> done) {
  cancel();
  reader_.ask<GraphAnswer>(
      this, Reader::Channel::Graph,
      [request, process = process_, cancelled = cancelled_](const RecordStore& store) {
        return makePicture(request, store, process, *cancelled);
      },
      [done](const GraphAnswer& answer) { done(answer); },
      [done](const QString& text) {
        done({nullptr, nullptr, GraphAnswer::Problem::Network, text, false});
      });
}

} // namespace nestwright::ui

#include "moc_graph_loader.cpp"
