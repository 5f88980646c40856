#include "ui/scheduler/objective_form.h"

#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStackedWidget>

namespace nestwright::ui {
namespace {

/// "resnet18=10ms bert_base=40ms" as seconds per network. Throws UsageError.
std::vector<double> readSeconds(const QString& text, const std::vector<std::string>& networks) {
  static const QRegularExpression spaces(QStringLiteral("\\s+"));
  std::vector<double> seconds;
  for (const QString& part : text.split(spaces, Qt::SkipEmptyParts)) {
    const SubjectSeconds given = parseSubjectSeconds(networks, part.toStdString());
    seconds.resize(std::max(seconds.size(), given.subject + 1), 0);
    seconds[given.subject] = given.seconds;
  }
  return seconds;
}

} // namespace

ObjectiveForm::ObjectiveForm(QWidget* parent)
    : QWidget(parent), kind_(new QComboBox(this)), parameters_(new QStackedWidget(this)),
      latencies_(new QLineEdit(this)), references_(new QLineEdit(this)),
      rounds_(numberBox(this, 1, 1000, Objective{}.stopAfterRounds,
                        tr("Rounds without improvement"),
                        tr("A task that has not improved for so many of its rounds in a row is "
                           "left alone. Fewer end the search of a task earlier."))) {
  kind_->addItem(tr("total latency (f1)"));
  kind_->addItem(tr("required latencies (f2)"));
  kind_->addItem(tr("mean speed-up (f3)"));
  kind_->addItem(tr("total latency, stopping early (f4)"));
  kind_->setAccessibleName(tr("Objective"));
  kind_->setToolTip(tr("What the choice of the next task by gradient makes as low as it can: the "
                       "latency of all networks together; the same, but a network that meets its "
                       "requirement counts as done; the mean speed-up against reference "
                       "latencies; or the total, leaving alone what no longer improves."));
  latencies_->setPlaceholderText(tr("required: resnet18=10ms bert_base=40ms"));
  latencies_->setAccessibleName(tr("Required latencies"));
  latencies_->setToolTip(tr("The latency that each network must reach; those that are not named "
                            "count as in f1. The session ends when all are met."));
  references_->setPlaceholderText(tr("reference: the naive programs"));
  references_->setAccessibleName(tr("Reference latencies"));
  references_->setToolTip(
      tr("What each network's speed-up is measured against, as in bert_base=40ms. "
         "Default: its naive programs."));
  rounds_->setSuffix(tr(" rounds without improvement"));
  parameters_->addWidget(new QWidget(this));
  parameters_->addWidget(latencies_);
  parameters_->addWidget(references_);
  parameters_->addWidget(rounds_);
  auto* label = new QLabel(tr("Ob&jective"), this);
  label->setBuddy(kind_);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(label);
  row->addWidget(kind_);
  row->addWidget(parameters_, 1);
  connect(kind_, &QComboBox::currentIndexChanged, this, &ObjectiveForm::showParameter);
  for (const QLineEdit* line : {latencies_, references_})
    connect(line, &QLineEdit::textChanged, this, &ObjectiveForm::changed);
  connect(rounds_, &QSpinBox::valueChanged, this, &ObjectiveForm::changed);
}

void ObjectiveForm::showParameter() {
  parameters_->setCurrentIndex(kind_->currentIndex());
  Q_EMIT changed();
}

Objective ObjectiveForm::objective(const std::vector<std::string>& networks) const {
  Objective objective;
  if (!isEnabled()) return objective;
  objective.kind = static_cast<ObjectiveKind>(kind_->currentIndex());
  if (objective.kind == ObjectiveKind::LatencyRequirement)
    objective.networkSeconds = readSeconds(latencies_->text(), networks);
  if (objective.kind == ObjectiveKind::SpeedUp)
    objective.networkSeconds = readSeconds(references_->text(), networks);
  objective.stopAfterRounds = rounds_->value();
  return objective;
}

void ObjectiveForm::setObjective(const Objective& objective,
                                 const std::vector<std::string>& networks) {
  QStringList seconds;
  for (std::size_t i = 0; i < networks.size(); ++i)
    if (const double given = objective.secondsOf(i); given > 0)
      seconds.append(QStringLiteral("%1=%2s").arg(qs(networks[i])).arg(given, 0, 'g', 9));
  kind_->setCurrentIndex(int(objective.kind));
  const QString text = seconds.join(QLatin1Char(' '));
  latencies_->setText(objective.kind == ObjectiveKind::LatencyRequirement ? text : QString());
  references_->setText(objective.kind == ObjectiveKind::SpeedUp ? text : QString());
  rounds_->setValue(objective.stopAfterRounds);
}

QString ObjectiveForm::problem(const std::vector<std::string>& networks) const {
  try {
    const Objective chosen = objective(networks);
    if (chosen.kind == ObjectiveKind::LatencyRequirement && chosen.networkSeconds.empty())
      return tr("Give the latency that a network must reach, as in resnet18=10ms.");
  } catch (const Error& problem) {
    return qs(problem.what());
  }
  return {};
}

} // namespace nestwright::ui

#include "moc_objective_form.cpp"
