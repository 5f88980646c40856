#include "core/record/store/store.h"

#include "core/record/file/database_file.h"
#include "core/record/file/schema_check.h"
#include "core/record/sql/interruptible.h"
#include "core/record/store/store_parts.h"

namespace nestwright {

RecordStore::RecordStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordStore::~RecordStore() = default;
RecordStore::RecordStore(RecordStore&&) noexcept = default;
RecordStore& RecordStore::operator=(RecordStore&&) noexcept = default;

RecordStore RecordStore::open(const std::string& path, OpenMode mode) {
  return RecordStore(std::make_unique<Impl>(openDatabaseFile(path, mode)));
}

const std::string& RecordStore::path() const {
  return impl_->db.path();
}

std::string RecordStore::readOnlyReason() const {
  const std::string reason = nestwright::readOnlyReason(impl_->db);
  return reason.empty() ? readOnlyPlace(path()) : reason;
}

NetworkRows& RecordStore::networks() {
  return impl_->networks;
}
const NetworkRows& RecordStore::networks() const {
  return impl_->networks;
}

TargetRows& RecordStore::targets() {
  return impl_->targets;
}
const TargetRows& RecordStore::targets() const {
  return impl_->targets;
}

TaskRows& RecordStore::tasks() {
  return impl_->tasks;
}
const TaskRows& RecordStore::tasks() const {
  return impl_->tasks;
}

SessionRows& RecordStore::sessions() {
  return impl_->sessions;
}
const SessionRows& RecordStore::sessions() const {
  return impl_->sessions;
}

RecordRows& RecordStore::records() {
  return impl_->records;
}
const RecordRows& RecordStore::records() const {
  return impl_->records;
}

const TrialRows& RecordStore::trials() const {
  return impl_->trials;
}

TagRows& RecordStore::tags() {
  return impl_->tags;
}
const TagRows& RecordStore::tags() const {
  return impl_->tags;
}

EventRows& RecordStore::events() {
  return impl_->events;
}
const EventRows& RecordStore::events() const {
  return impl_->events;
}

MarkRows& RecordStore::marks() {
  return impl_->marks;
}
const MarkRows& RecordStore::marks() const {
  return impl_->marks;
}

EvolutionRows& RecordStore::evolutions() {
  return impl_->evolutions;
}
const EvolutionRows& RecordStore::evolutions() const {
  return impl_->evolutions;
}

ModelRows& RecordStore::models() {
  return impl_->models;
}
const ModelRows& RecordStore::models() const {
  return impl_->models;
}

RecombinationRows& RecordStore::recombinations() {
  return impl_->recombinations;
}
const RecombinationRows& RecordStore::recombinations() const {
  return impl_->recombinations;
}

ChoiceRows& RecordStore::choices() {
  return impl_->choices;
}
const ChoiceRows& RecordStore::choices() const {
  return impl_->choices;
}

void RecordStore::commitWithoutFlushing() {
  impl_->db.execute("PRAGMA synchronous = NORMAL");
}

void RecordStore::transaction(const std::function<void()>& body) {
  impl_->db.transaction(body);
}

void RecordStore::interruptible(const std::function<bool()>& goOn,
                                const std::function<void()>& body) const {
  const sqlite::Interruptible guard(impl_->db, goOn);
  body();
}

void RecordStore::atOneMoment(const std::function<void()>& body) const {
  const sqlite::Snapshot moment(impl_->db);
  body();
}

} // namespace nestwright
