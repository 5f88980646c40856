#include "core/model/trained_base.h"

#include "core/support/hash.h"

#include <utility>

namespace nestwright {

namespace {

ModelForm form() {
  return ownForm(1);
}

} // namespace

TrainedBase trainedBase(const ModelMaker& make, std::string bytes) {
  std::unique_ptr<CostModel> model = make();
  model->load(bytes);
  std::string hash = hashHex(bytes);
  return {std::move(bytes), std::move(hash), std::move(model)};
}

std::string savedOnBase(const TrainedBase& base, const std::string& name, nlohmann::json header,
                        std::string_view part) {
  header["base"] = base.hash;
  return sealModel(form(), name, std::move(header), part);
}

SealedModel openedOnBase(const TrainedBase& base, const std::string& name, std::string_view bytes) {
  SealedModel saved = openModel(form(), name, bytes);
  if (savedField<std::string>(name, saved.header, "base") != base.hash)
    throw InputError(fmt::format("the saved {} model was built on another trained model than the "
                                 "one that is kept with it",
                                 name));
  return saved;
}

void NamedModels::add(const std::string& name, std::string_view model) {
  if (list.is_null()) list = nlohmann::json::array();
  list.push_back({name, model.size()});
  bytes += model;
}

void forEachNamed(const nlohmann::json& list, std::string_view bytes,
                  const std::function<void(const std::string&, std::string_view)>& take) {
  const auto refuse = [] {
    throw InputError("a list of saved models does not fit them; the file was altered or is "
                     "damaged");
  };
  if (list.is_null() && bytes.empty()) return;
  if (!list.is_array()) refuse();
  for (const nlohmann::json& one : list) {
    if (!one.is_array() || one.size() != 2 || !one[0].is_string() || !one[1].is_number_unsigned() ||
        one[1].get<std::size_t>() > bytes.size())
      refuse();
    const auto length = one[1].get<std::size_t>();
    take(one[0].get<std::string>(), bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  if (!bytes.empty()) refuse();
}

} // namespace nestwright
