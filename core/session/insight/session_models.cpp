#include "core/session/insight/session_models.h"

#include "core/record/store/model_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"

namespace nestwright {

template <class Io>
void fields(Io& io, SessionModel& model) {
  io("session", model.session);
  io("title", model.title);
  io("model", model.model);
  io("features", model.features);
  io("target", model.target);
  io("tasks", model.tasks);
  io("bytes", model.bytes);
  io("problem", model.problem);
}

std::vector<SessionModel> sessionModels(const RecordStore& store) {
  std::vector<SessionModel> models;
  for (const SessionRow& session : store.sessions().all()) {
    if (isImport(session)) continue;
    const SessionConfig config = configOf(session);
    const std::optional<std::string> bytes = store.models().of(session.id, config.model);
    if (!bytes) continue;
    const bool ofTemplates = config.space == SearchSpace::Templates;
    SessionModel model{session.id,    session.title,
                       config.model,  ofTemplates ? config.templateFeatures : config.features,
                       config.target, store.sessions().tasks(session.id).size(),
                       bytes->size(), {}};
    try {
      // Of templates each task has a model of its own in these bytes.
      if (!ofTemplates) savedSessionModel(config, *bytes);
    } catch (const Error& error) {
      model.problem = error.what();
    }
    models.push_back(std::move(model));
  }
  return models;
}

nlohmann::json toJson(const SessionModel& model) {
  return toFields(model);
}

} // namespace nestwright
