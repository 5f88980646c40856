#include "ui/window/new_session/subject_form.h"

#include "core/support/error.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::ui {

SubjectForm::SubjectForm(std::vector<Subject> subjects, const QString& kind, QWidget* parent)
    : QWidget(parent), subjects_(std::move(subjects)), list_(new QComboBox(this)),
      description_(new QLabel(this)), parameters_(new QWidget(this)),
      grid_(new QGridLayout(parameters_)), line_(new QLineEdit(this)) {
  for (const Subject& subject : subjects_)
    list_->addItem(qs(subject.name));
  list_->setAccessibleName(kind);
  list_->setMaxVisibleItems(20);
  list_->setToolTip(tr("What to tune; below it is said what that is and what can be set."));
  description_->setWordWrap(true);
  keepTextColour(description_, &Colours::dim);
  grid_->setContentsMargins(0, 4, 0, 4);
  grid_->setHorizontalSpacing(8);
  line_->setAccessibleName(tr("%1 as text").arg(kind));
  line_->setToolTip(tr("The same choice as on the command line; can be edited."));
  line_->setFont(codeFont());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(list_);
  layout->addWidget(description_);
  layout->addWidget(parameters_);
  layout->addWidget(line_);
  layout->addStretch();
  connect(list_, &QComboBox::currentIndexChanged, this, &SubjectForm::choose);
  connect(line_, &QLineEdit::textEdited, this, &SubjectForm::readText);
  choose(list_->currentIndex());
}

QString SubjectForm::text() const {
  return line_->text().trimmed();
}

void SubjectForm::setText(const QString& text) {
  line_->setText(text);
  readText();
}

void SubjectForm::choose(int index) {
  if (index < 0 || index >= static_cast<int>(subjects_.size())) return;
  showParameters(subjects_[index]);
  writeText();
}

void SubjectForm::showParameters(const Subject& subject) {
  description_->setText(qs(subject.description));
  for (QSpinBox* field : fields_)
    delete field;
  fields_.clear();
  qDeleteAll(parameters_->findChildren<QLabel*>(Qt::FindDirectChildrenOnly));
  static constexpr int kPerRow = 3;
  for (std::size_t i = 0; i < subject.parameters.size(); ++i) {
    const ParameterInfo& parameter = subject.parameters[i];
    const int row = static_cast<int>(i) / kPerRow, column = static_cast<int>(i) % kPerRow * 2;
    auto* label = new QLabel(qs(parameter.name), parameters_);
    auto* field = new QSpinBox(parameters_);
    field->setRange(static_cast<int>(parameter.lowest), static_cast<int>(parameter.highest));
    field->setValue(static_cast<int>(parameter.byDefault));
    field->setAccessibleName(qs(parameter.name));
    field->setAccessibleDescription(qs(parameter.meaning));
    for (QWidget* widget : std::initializer_list<QWidget*>{label, field})
      widget->setToolTip(tr("%1: from %2 to %3.")
                             .arg(qs(parameter.meaning), countText(parameter.lowest),
                                  countText(parameter.highest)));
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    label->setBuddy(field);
    grid_->addWidget(label, row, column);
    grid_->addWidget(field, row, column + 1);
    connect(field, &QSpinBox::valueChanged, this, &SubjectForm::writeText);
    fields_.push_back(field);
  }
  for (int column = 0; column < kPerRow; ++column)
    grid_->setColumnStretch(column * 2 + 1, 1);
}

void SubjectForm::writeText() {
  const Subject& subject = subjects_[list_->currentIndex()];
  std::map<std::string, std::int64_t> values;
  for (std::size_t i = 0; i < fields_.size(); ++i)
    values[subject.parameters[i].name] = fields_[i]->value();
  line_->setText(qs(specText(subject.name, subject.parameters, values)));
  Q_EMIT changed();
}

void SubjectForm::readText() {
  try {
    const Spec spec = parseSpec(text().toStdString());
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (subjects_[i].name != spec.name) continue;
      const auto values = resolveParameters(spec, subjects_[i].parameters);
      const QSignalBlocker quiet(list_);
      list_->setCurrentIndex(static_cast<int>(i));
      showParameters(subjects_[i]);
      for (std::size_t k = 0; k < fields_.size(); ++k) {
        const QSignalBlocker alsoQuiet(fields_[k]);
        fields_[k]->setValue(static_cast<int>(values.at(subjects_[i].parameters[k].name)));
      }
    }
  } catch (const Error&) {
    // While it is being typed a text is often wrong; the dialog shows what is wrong with it.
  }
  Q_EMIT changed();
}

} // namespace nestwright::ui

#include "moc_subject_form.cpp"
