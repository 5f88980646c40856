#pragma once
/// \file A trained model from which others begin: unchanged beside what is learned in a session, or
/// gone on with.

#include "core/model/cost_model.h"
#include "core/model/sealed_model.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nestwright {

/// A new model that has learned nothing.
using ModelMaker = std::function<std::unique_ptr<CostModel>()>;

struct TrainedBase {
  std::string bytes;                      // CostModel::save()
  std::string hash;                       // of the bytes
  std::shared_ptr<const CostModel> model; // that they are of
};
/// Throws InputError as CostModel::load() does.
TrainedBase trainedBase(const ModelMaker& make, std::string bytes);

/// The bytes of a model of this name that is built on the base, which are not among them: the
/// header has its hash and what else is to be known, `part` is what was learned besides.
std::string savedOnBase(const TrainedBase& base, const std::string& name, nlohmann::json header,
                        std::string_view part);
/// The inverse. Throws InputError as openModel() does, and for what was built on another base.
SealedModel openedOnBase(const TrainedBase& base, const std::string& name, std::string_view bytes);

/// Models by a name, as bytes: a list of names and lengths for a header, and what it is about.
struct NamedModels {
  nlohmann::json list;
  std::string bytes;
  void add(const std::string& name, std::string_view model);
};
/// Calls `take` with each name and model. Throws InputError for a list that does not fit the bytes.
void forEachNamed(const nlohmann::json& list, std::string_view bytes,
                  const std::function<void(const std::string&, std::string_view)>& take);

} // namespace nestwright
