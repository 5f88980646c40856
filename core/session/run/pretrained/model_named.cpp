#include "core/session/run/pretrained/model_named.h"

#include "core/model/tuned_base.h"
#include "core/record/format/target_facts.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/session/run/pretrained/model_update.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/tensor/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace nestwright {

namespace {

constexpr std::string_view kDocument = ".nwdb";

/// "session 2 of a.nwdb"
std::string inWords(const RecordStore& store, RowId session) {
  return fmt::format("session {} of {}", session, store.path());
}

/// What the session keeps of its cost model. Throws InputError.
std::string savedBytes(const RecordStore& store, RowId session) {
  const SessionRow row = sessionRow(store, session);
  std::optional<std::string> bytes;
  if (!isImport(row)) bytes = store.models().of(session, configOf(row).model);
  if (!bytes) throw InputError(fmt::format("{} has no cost model", inWords(store, session)));
  return *bytes;
}

/// Adds the session's tasks, and whose records they are.
void addCourse(ModelFile& file, const RecordStore& store, const SessionRow& row) {
  for (const TaskRow& task : store.sessions().tasks(row.id)) {
    for (const TargetRow& target : store.targets().all())
      if (target.id == task.target) {
        file.target = machineIdOf(target);
        file.targetText = target.text;
      }
    const std::optional<ComputeDag> dag = dagIfKnown(task);
    if (!dag) continue;
    file.tasks.insert(definitionHash(*dag));
    file.kinds.insert(kindHash(*dag));
  }
  file.choice.files = {std::filesystem::absolute(store.path()).string()};
  file.choice.filter = fmt::format("session:{}", row.id);
  file.choice.features = file.features;
  file.product = row.product;
  file.trained = row.updatedAt;
}

} // namespace

std::optional<SessionName> sessionNamed(const std::string& text) {
  const std::string path = fileNamed(text);
  if (!path.ends_with(kDocument)) return std::nullopt;
  SessionName name{path};
  if (path.size() == text.size()) return name;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + path.size() + 1, end, name.session);
  if (error != std::errc() || rest != end || name.session <= 0)
    throw InputError(fmt::format("\"{}\" names no session: write it as {}#2", text, path));
  return name;
}

std::string fileNamed(const std::string& text) {
  const std::string path = text.substr(0, text.rfind('#'));
  return path.ends_with(kDocument) ? path : text;
}

RowId sessionMeant(const RecordStore& store, const SessionName& name) {
  if (name.session != 0) return name.session;
  RowId newest = 0;
  for (const SessionRow& session : store.sessions().all())
    if (!isImport(session) && store.models().of(session.id, configOf(session).model))
      newest = std::max(newest, session.id);
  if (newest == 0)
    throw InputError(fmt::format("no session of {} has a cost model; `nestwright tune --policy "
                                 "evolutionary` learns one",
                                 store.path()));
  return newest;
}

ModelFile learnedModel(const RecordStore& store, RowId session) {
  const std::string bytes = savedBytes(store, session);
  const SessionRow row = sessionRow(store, session);
  const SessionConfig config = configOf(row);
  if (config.space == SearchSpace::Templates)
    throw InputError(fmt::format("{} searched templates and has a cost model for each of its "
                                 "tasks, which no single file holds",
                                 inWords(store, session)));
  ModelFile file;
  file.model = config.model;
  file.features = config.features;
  file.bytes = bytes;
  if (const std::optional<ModelFile> begun = modelBegunWith(store, session)) {
    if (config.update == name(ModelUpdate::None)) return *begun;
    const std::unique_ptr<CostModel> model = savedSessionModel(config, bytes);
    const auto* tuned = dynamic_cast<const TunedBase*>(model.get());
    if (!tuned)
      throw InputError(fmt::format("{} adds what it learned to the trained model that it began "
                                   "with (--update {}), and no single file holds both; a session "
                                   "with --update fine-tune ends in one model",
                                   inWords(store, session), config.update));
    if (!tuned->isTuned()) return *begun;
    file.bytes = tuned->now().save();
    file.tasks = begun->tasks;
    file.kinds = begun->kinds;
    file.startFrom = hashHex(begun->bytes);
  }
  addCourse(file, store, row);
  return file;
}

std::optional<ModelFile> modelBegunWith(const RecordStore& store, RowId session) {
  const SessionRow row = sessionRow(store, session);
  if (isImport(row)) return std::nullopt;
  const SessionConfig config = configOf(row);
  const std::optional<KeptPretrained> kept =
      keptOf(config, store.models().of(session, config.model));
  if (!kept) return std::nullopt;
  return modelFileFrom(kept->file);
}

ModelFile modelNamed(const std::string& text) {
  const std::optional<SessionName> name = sessionNamed(text);
  if (!name) return readModelFile(text);
  const RecordStore store = RecordStore::open(name->path, OpenMode::ReadOnly);
  return learnedModel(store, sessionMeant(store, *name));
}

} // namespace nestwright
