#include "core/session/run/pretrained/model_update.h"

#include "core/support/name_table.h"

namespace nestwright {

namespace {

constexpr NameTable<ModelUpdate, 4> kNames = {{"none", "local", "fine-tune", "retrain"}};
constexpr NameTable<ModelUpdate, 4> kPurposes = {
    {"The trained model stays as it is.",
     "The trained model stays, and a second one learns by how much it is wrong here.",
     "The trained model goes on learning from what is measured here.",
     "A new model learns from scratch, and the trained one keeps a share in the scores."}};

} // namespace

const char* name(ModelUpdate update) {
  return kNames.of(update);
}

std::optional<ModelUpdate> modelUpdateFromName(std::string_view text) {
  return kNames.find(text);
}

std::vector<std::string> modelUpdateNames() {
  return {kNames.names.begin(), kNames.names.end()};
}

const char* purpose(ModelUpdate update) {
  return kPurposes.of(update);
}

} // namespace nestwright
