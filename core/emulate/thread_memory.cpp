#include "core/emulate/thread_memory.h"

#include <fmt/format.h>

#include <bit>

namespace nestwright {

namespace {

constexpr std::uint64_t kPoison = 0x7ff4'dead'dead'beef;
/// Differs in the lowest bit.
constexpr std::uint64_t kUnderWay = kPoison - 1;

} // namespace

double ThreadMemory::poison() {
  return std::bit_cast<double>(kPoison);
}

bool ThreadMemory::isPoison(double value) {
  return (std::bit_cast<std::uint64_t>(value) | 1) == kPoison;
}

bool ThreadMemory::isUnderWay(double value) {
  return std::bit_cast<std::uint64_t>(value) == kUnderWay;
}

void ThreadMemory::beginCopy(std::int64_t element, int thread) {
  write(element, thread, std::bit_cast<double>(kUnderWay));
}

void ThreadMemory::finishCopy(std::int64_t element, int thread, double value) {
  values_[position(element, thread)] = value;
  if (watched_) logWrite(element, thread);
}

void ThreadMemory::clear() {
  const std::int64_t copies = isPerThread() ? moment_->threads() : 1;
  values_.assign(static_cast<std::size_t>(buffer_->elements() * copies), poison());
  if (scope_ == MemoryScope::Block) watch(true);
}

void ThreadMemory::watch(bool watched) {
  watched_ = watched && moment_->races;
  if (watched_) log_.assign(static_cast<std::size_t>(buffer_->elements()), {});
}

/// Blocks of one launch run in any order, threads of a block between barriers, too.
bool ThreadMemory::writtenByOther(const Log& log, int thread) const {
  if (log.writerBlock < moment_->firstBlock) return false;
  if (log.writerBlock != moment_->block) return true;
  return log.writeEpoch == moment_->epoch && log.writer != thread;
}

bool ThreadMemory::readByOther(const Log& log, int thread) const {
  if (log.readerBlock == kSeveral) return true;
  if (log.readerBlock < moment_->firstBlock) return false;
  if (log.readerBlock != moment_->block) return true;
  return log.readEpoch == moment_->epoch && log.reader != thread;
}

void ThreadMemory::logRead(std::int64_t element, int thread) {
  Log& log = log_[static_cast<std::size_t>(element)];
  if (writtenByOther(log, thread)) refuseRace(element, "written and read");
  if (log.readerBlock == kSeveral) return;
  const bool otherBlock = scope_ == MemoryScope::Global && log.readerBlock >= moment_->firstBlock &&
                          log.readerBlock != moment_->block;
  const bool otherThread =
      log.readerBlock == moment_->block && log.readEpoch == moment_->epoch && log.reader != thread;
  log.readerBlock = otherBlock ? kSeveral : moment_->block;
  log.readEpoch = moment_->epoch;
  log.reader = otherThread ? kSeveral : thread;
}

void ThreadMemory::logWrite(std::int64_t element, int thread) {
  Log& log = log_[static_cast<std::size_t>(element)];
  if (writtenByOther(log, thread)) refuseRace(element, "written");
  if (readByOther(log, thread)) refuseRace(element, "read and written");
  log.writerBlock = moment_->block;
  log.writeEpoch = moment_->epoch;
  log.writer = thread;
}

void ThreadMemory::refuseUnfinished(std::int64_t element) const {
  throw Fault{
      EmulationFault::UnfinishedCopy,
      fmt::format("element {} of {} is touched while it is being copied", element, buffer_->name)};
}

void ThreadMemory::refuseRead(std::int64_t element, double value) const {
  if (isUnderWay(value)) refuseUnfinished(element);
  throw Fault{EmulationFault::UninitialisedRead,
              fmt::format("element {} of {} is read before anything was written to it", element,
                          buffer_->name)};
}

void ThreadMemory::refuseRace(std::int64_t element, const char* how) const {
  const bool global = scope_ == MemoryScope::Global;
  throw Fault{global ? EmulationFault::GlobalRace : EmulationFault::BlockRace,
              fmt::format("element {} of {} is {} by two {} in no order", element, buffer_->name,
                          how, global ? "threads of a launch" : "threads of a block")};
}

} // namespace nestwright
