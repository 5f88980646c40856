#include "plugins/cuda/driver/captured_graph.h"

namespace nestwright::cuda {
namespace {

constexpr int kCaptureOfThisThread = 1;

/// What `enqueue` puts on the stream; the caller destroys it.
CuGraph captured(Context& context, const std::function<void()>& enqueue) {
  const DriverApi& api = context.api();
  CuGraph graph = nullptr;
  context.check(api.beginCapture(context.stream(), kCaptureOfThisThread), "begin a graph");
  try {
    enqueue();
  } catch (...) {
    if (api.endCapture(context.stream(), &graph) == 0) (void)api.destroyGraph(graph);
    throw;
  }
  context.check(api.endCapture(context.stream(), &graph), "end a graph");
  return graph;
}

} // namespace

CapturedGraph::CapturedGraph(Context& context, const std::function<void()>& enqueue)
    : context_(context) {
  CuGraph graph = captured(context, enqueue);
  const DriverApi& api = context.api();
  const CuResult result = api.instantiateGraph(&executable_, graph, 0);
  (void)api.destroyGraph(graph);
  context.check(result, "make a graph executable");
}

CapturedGraph::~CapturedGraph() {
  if (context_.mayBeCleaned()) (void)context_.driver().api().destroyGraphExec(executable_);
}

void CapturedGraph::launch() const {
  context_.check(context_.api().launchGraph(executable_, context_.stream()), "launch a graph");
}

} // namespace nestwright::cuda
