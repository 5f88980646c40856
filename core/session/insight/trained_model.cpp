#include "core/session/insight/trained_model.h"

#include "core/dataset/model_file.h"
#include "core/plugin/plugin.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/insight/explain_score.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/tensor/definition.h"

#include <fmt/ranges.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace nestwright {

namespace {

constexpr std::string_view kDocument = ".nwdb";

/// The newest session of the file that kept a cost model.
RowId newestWithModel(const RecordStore& store) {
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

TrainedModel ofSession(const std::string& text, const std::string& path, RowId session) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  if (session == 0) session = newestWithModel(store);
  TrainedModel trained{text, savedModel(store, session).model,
                       configOf(sessionRow(store, session)).features, std::set<std::string>()};
  const SessionConfig config = configOf(sessionRow(store, session));
  if (beginsTrained(config)) // what it began with has learned, too
    trained.learnedFrom =
        modelFileFrom(keptPretrained(*store.models().of(session, config.model)).file).tasks;
  for (const TaskRow& task : store.sessions().tasks(session))
    if (const std::optional<ComputeDag> dag = dagIfKnown(task))
      trained.learnedFrom->insert(definitionHash(*dag));
  return trained;
}

std::string contentsOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("there is no cost model {} that could be read", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

TrainedModel ofFile(const std::string& path) {
  const std::string bytes = contentsOf(path);
  if (isModelFile(bytes)) {
    const ModelFile file = modelFileFrom(bytes);
    TrainedModel trained{path, costModel(file.model), file.features, file.tasks};
    trained.model->load(file.bytes);
    return trained;
  }
  std::vector<std::string> reasons;
  for (const std::string& name : costModelNames()) {
    if (costModelKind(name).ofConfigurations) continue; // of templates: they read other rows
    try {
      TrainedModel trained{path, costModel(name), {}, std::nullopt};
      trained.model->load(bytes);
      return trained;
    } catch (const InputError& error) {
      reasons.emplace_back(error.what());
    }
  }
  throw InputError(
      fmt::format("{} is no cost model that can be read here: {}", path, fmt::join(reasons, "; ")));
}

} // namespace

TrainedModel trainedModel(const std::string& text) {
  const std::size_t mark = text.rfind('#');
  const std::string path = text.substr(0, mark);
  if (!path.ends_with(kDocument)) return ofFile(text);
  RowId session = 0;
  if (mark != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + mark + 1, end, session);
    if (error != std::errc() || rest != end || session <= 0)
      throw InputError(fmt::format("\"{}\" names no session: write it as {}#2", text, path));
  }
  return ofSession(text, path, session);
}

} // namespace nestwright
