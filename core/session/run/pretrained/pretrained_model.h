#pragma once
/// \file The trained model that a session begins with (SessionConfig::pretrained): read once, when
/// the session is made, and kept in its own file, so that it decides the same whatever becomes of
/// the model's (C25).

#include "core/dataset/model_file.h"
#include "core/model/cost_model.h"
#include "core/session/run/session.h"
#include "core/target/target.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

/// Throws InputError when no session for this target can begin with the model: it is one of
/// templates' configurations, for another kind of machine, not trained, or reads other features
/// than are made today. Another target of the same kind is none of these. Throws SystemError
/// without its plugin or the learner.
void requireUsable(const ModelFile& file, const TargetFacts& target);

/// Whether the session's cost model began as a trained one: that of a file, or one that its memory
/// taught (memory/taught_model.h).
bool beginsTrained(const SessionConfig& config);

/// What a session keeps of it: the file's bytes, and what the session taught besides.
struct KeptPretrained {
  std::string file;    // modelFileBytes()
  std::string learned; // CostModel::save() of sessionModel(); empty before the first round
};
std::string toBytes(const KeptPretrained& kept);
/// The inverse. Throws InputError.
KeptPretrained keptPretrained(std::string_view bytes);

/// What the session's file keeps of the trained model that the settings name (`saved`, as the file
/// has it); nothing where they name none. Throws InputError where the file has lost it.
std::optional<KeptPretrained> keptOf(const SessionConfig& config,
                                     const std::optional<std::string>& saved);

/// The settings of a session that begins with the model: it names the cost model and its features.
SessionConfig withPretrained(SessionConfig config, const ModelFile& file);

/// The cost model of a session over sketches that has measured nothing yet; without a trained model
/// (`kept` null) an untaught one. `warmup` programs must have run before it learns; a trained one
/// answers at once. Throws as costModel() and CostModel::load() do.
std::unique_ptr<CostModel> sessionModel(const SessionConfig& config, const KeptPretrained* kept,
                                        std::size_t warmup);
/// The same with what the session taught it; `saved` is what the session's file keeps of it. Throws
/// InputError where that has lost the trained model.
std::unique_ptr<CostModel> savedSessionModel(const SessionConfig& config, std::string_view saved);

} // namespace nestwright
