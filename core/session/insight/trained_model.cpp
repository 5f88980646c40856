#include "core/session/insight/trained_model.h"

#include "core/plugin/plugin.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/insight/explain_score.h"
#include "core/session/run/pretrained/model_named.h"
#include "core/session/run/pretrained/model_threads.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/tensor/definition.h"

#include <fmt/ranges.h>

#include <fstream>
#include <iterator>
#include <vector>

namespace nestwright {

namespace {

TrainedModel ofSession(const std::string& text, const SessionName& name) {
  const RecordStore store = RecordStore::open(name.path, OpenMode::ReadOnly);
  const RowId session = sessionMeant(store, name);
  TrainedModel trained{text, savedModel(store, session).model,
                       configOf(sessionRow(store, session)).features, std::set<std::string>()};
  if (const std::optional<ModelFile> begun = modelBegunWith(store, session))
    trained.learnedFrom = begun->tasks; // it has learned, too
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
    ModelFile file = modelFileFrom(bytes);
    TrainedModel trained{path, costModel(file.model, withThreads(file.model)), file.features,
                         file.tasks};
    trained.model->load(file.bytes);
    file.bytes = {};
    trained.file = std::move(file);
    return trained;
  }
  std::vector<std::string> reasons;
  for (const std::string& name : costModelNames()) {
    if (costModelKind(name).ofConfigurations) continue; // of templates: they read other rows
    try {
      TrainedModel trained{path, costModel(name, withThreads(name)), {}, std::nullopt};
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
  const std::optional<SessionName> name = sessionNamed(text);
  return name ? ofSession(text, *name) : ofFile(text);
}

} // namespace nestwright
