#pragma once
/// \file Whose configurations and plans are shown, and of which kind they are: what was chosen of
/// one task says nothing of another.

#include "ui/document/document.h"
#include "ui/document/document_file.h"

namespace nestwright::ui {

struct KnobSubject {
  QString file;
  RowId session = 0, task = 0;
  friend bool operator==(const KnobSubject&, const KnobSubject&) = default;
};
inline KnobSubject knobSubject(const Document& document, RowId task) {
  return {document.file().path(), document.session().row().id, task};
}

/// The session searches the spaces of templates; else sketches.
inline bool isOnTemplates(const Document& document) {
  return document.state() == DocumentState::Ready &&
         document.session().config().space == SearchSpace::Templates;
}

} // namespace nestwright::ui
