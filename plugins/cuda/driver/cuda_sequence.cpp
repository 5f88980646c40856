#include "plugins/cuda/driver/cuda_sequence.h"

#include "core/support/quantity.h"

namespace nestwright::cuda {
namespace {

SequenceSeconds secondsBetween(const std::vector<std::unique_ptr<TimeMark>>& marks) {
  SequenceSeconds seconds;
  for (std::size_t i = 1; i < marks.size(); ++i)
    seconds.calls.push_back(TimeMark::between(*marks[i - 1], *marks[i]));
  seconds.total = TimeMark::between(*marks.front(), *marks.back());
  return seconds;
}

} // namespace

CudaSequence::CudaSequence(Context& context, std::vector<KernelCall> calls, double mostSeconds)
    : context_(context), calls_(std::move(calls)), mostSeconds_(mostSeconds) {
  NW_ASSERT(!calls_.empty(), "a sequence has calls");
  for (const KernelCall& call : calls_) {
    kernels_.push_back(dynamic_cast<const CudaKernel*>(&call.kernel));
    NW_ASSERT(kernels_.back(), "the kernel was not loaded by this device");
  }
  what_ = fmt::format("finish {} in a row, {} to {}", quantity(std::ssize(calls_), "kernel"),
                      kernels_.front()->names(), kernels_.back()->names());
}

CudaSequence::TimeMarks CudaSequence::newMarks() const {
  TimeMarks marks;
  for (std::size_t i = 0; i <= calls_.size(); ++i)
    marks.push_back(std::make_unique<TimeMark>(context_));
  return marks;
}

void CudaSequence::runOneByOne() {
  for (const KernelCall& call : calls_)
    call.kernel.run(call.buffers, call.workspace, call.threads);
  hasRun_ = true;
}

const CapturedGraph& CudaSequence::graph() {
  if (!graph_)
    graph_ = std::make_unique<CapturedGraph>(context_, [this] {
      for (std::size_t i = 0; i < calls_.size(); ++i)
        kernels_[i]->enqueue(calls_[i].buffers, calls_[i].workspace);
    });
  return *graph_;
}

void CudaSequence::launchAndWait(const CapturedGraph& graph) const {
  graph.launch();
  context_.wait(mostSeconds_, what_);
}

void CudaSequence::run() {
  if (hasRun_)
    launchAndWait(graph());
  else
    runOneByOne();
}

double CudaSequence::time() {
  if (!hasRun_) runOneByOne();
  const CapturedGraph& captured = graph();
  TimeMark begin(context_), end(context_);
  // An idle device would begin before the host has started the graph: it gets one before.
  captured.launch();
  begin.record();
  captured.launch();
  end.record();
  context_.wait(mostSeconds_, what_);
  return TimeMark::between(begin, end);
}

SequenceSeconds CudaSequence::timeEach() {
  if (!hasRun_) runOneByOne();
  if (!markedGraph_) {
    marks_ = newMarks();
    markedGraph_ = std::make_unique<CapturedGraph>(context_, [this] {
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        marks_[i]->recordInGraph();
        kernels_[i]->enqueue(calls_[i].buffers, calls_[i].workspace);
      }
      marks_.back()->recordInGraph();
    });
  }
  launchAndWait(*markedGraph_);
  return secondsBetween(marks_);
}

} // namespace nestwright::cuda
