#pragma once
/// \file A trained model by what a person calls it: a file of its own, or the session of a document
/// that learned it.

#include "core/dataset/model_file.h"
#include "core/support/row_id.h"

#include <optional>
#include <string>

namespace nestwright {

class RecordStore;

/// "a.nwdb#2": session 2 of the document; "a.nwdb": the newest one that has a cost model.
struct SessionName {
  std::string path;
  RowId session = 0; // 0: the newest
};
/// Nothing for the name of another file. Throws InputError where no session is behind the "#".
std::optional<SessionName> sessionNamed(const std::string& text);
/// The file that a name is about, whatever is behind it.
std::string fileNamed(const std::string& text);

/// The session that is meant. Throws InputError for the newest one where none has a cost model.
RowId sessionMeant(const RecordStore& store, const SessionName& name);

/// What a session learned, as a file that others can begin with. Of one that began with a trained
/// model and left it as it was, that model's. Throws InputError where it kept no cost model, and
/// where no single file holds what it learned: a model for each task of templates, or a model that
/// is added to the one that it began with.
ModelFile learnedModel(const RecordStore& store, RowId session);
/// The trained model that a session began with, as its document keeps it; nothing where it began
/// with none. Throws InputError where the document has lost it.
std::optional<ModelFile> modelBegunWith(const RecordStore& store, RowId session);

/// The model of "mlp.nwm", "a.nwdb#2" or "a.nwdb". Throws InputError that names the text.
ModelFile modelNamed(const std::string& text);

} // namespace nestwright
