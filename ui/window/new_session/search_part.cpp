#include "ui/window/new_session/search_part.h"

#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace nestwright::ui {

SearchPart::SearchPart(QWidget* parent)
    : QWidget(parent), row_(new QHBoxLayout), problem_(sentenceLabel(this)),
      note_(sentenceLabel(this)) {
  row_->setSpacing(8);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(row_);
  column->addWidget(problem_);
  column->addWidget(note_);
  problem_->hide();
  note_->hide();
  connect(&Theme::instance(), &Theme::changed, this, &SearchPart::restyle);
  restyle();
}

void SearchPart::tell(const std::optional<SearchSurvey>& survey) {
  const QString wrong = problem(survey);
  sayOrHide(problem_, wrong);
  sayOrHide(note_, survey && wrong.isEmpty() ? found(*survey) : QString());
}

void SearchPart::restyle() {
  setTextColour(problem_, colours().failed);
  setTextColour(note_, colours().dim);
}

} // namespace nestwright::ui

#include "moc_search_part.cpp"
