#include "ui/scheduler/plan_form.h"

#include "core/plugin/plugin.h"
#include "core/story/plan.h"
#include "core/support/error.h"
#include "ui/document/policy/own_policy.h"
#include "ui/document/policy/policy_kind.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/scheduler/objective_form.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <climits>
#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

/// Those that search this space.
std::vector<SearchPolicyKind> policiesOf(SearchSpace space) {
  std::vector<SearchPolicyKind> policies = searchPolicies();
  if (std::optional<SearchPolicyKind> own = ownPolicy()) policies.push_back(std::move(*own));
  std::erase_if(policies, [&](const SearchPolicyKind& kind) { return !searches(kind, space); });
  return policies;
}

void fill(QComboBox* box, const auto& kinds) {
  box->clear();
  for (const auto& kind : kinds) {
    box->addItem(qs(kind.name));
    box->setItemData(box->count() - 1, qs(kind.purpose), Qt::ToolTipRole);
  }
}

QComboBox* choice(QWidget* parent, const auto& kinds, const QString& name, const QString& tip) {
  QComboBox* box = choiceBox(parent, {}, name, tip);
  fill(box, kinds);
  return box;
}

/// Also what the list does not have: of a plugin that is not installed here.
void choose(QComboBox* box, const QString& item) {
  if (box->findText(item) < 0) box->addItem(item);
  box->setCurrentText(item);
}

} // namespace

PlanForm::PlanForm(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), objective_(new ObjectiveForm(this)) {
  scheduler_ = choice(this, taskSchedulers(), tr("Scheduler"),
                      tr("Which task gets the next round. gradient: the one whose next round "
                         "promises the largest fall of the objective; round-robin: each in turn, "
                         "times its importance."));
  policy_ = choice(this, policiesOf(SearchSpace::Sketches), tr("Policy"),
                   tr("How candidates are found. The policies are those that search the session's "
                      "space; each entry says what it does."));
  perRound_ = numberBox(this, 1, 4096, 1, tr("Trials per round"),
                        tr("Largest batch of programs given to one task at a time."));
  epsilon_ =
      numberBox<QDoubleSpinBox>(this, 0, 100, 0, tr("Random programs"),
                                tr("Share of a round, or of a plan, that is drawn at random; of "
                                   "policies that ask a cost model. The contextual policy sets "
                                   "its own, by how unsure the cost model is."));
  taskEpsilon_ =
      numberBox<QDoubleSpinBox>(this, 0, 100, 0, tr("Random tasks"),
                                tr("Share of the rounds that goes to a task drawn at random; "
                                   "of the gradient scheduler."));
  for (QDoubleSpinBox* share : {epsilon_, taskEpsilon_}) {
    share->setSuffix(QStringLiteral(" %"));
    share->setDecimals(1);
  }
  population_ = numberBox(this, 2, 1 << 20, 2, tr("Population"),
                          tr("Programs in a generation of the evolutionary policy, at most: small "
                             "rounds breed fewer."));
  generations_ = numberBox(this, 1, 100, 1, tr("Generations"),
                           tr("Generations between two batches of the evolutionary policy."));
  trials_ = numberBox(this, 1, INT_MAX, 1, tr("Trial budget"),
                      tr("Trials of the whole session; it ends when they are made."));
  minutes_ =
      numberBox<QDoubleSpinBox>(this, 0, 1e6, 0, tr("Time budget"),
                                tr("Minutes of tuning, pauses excluded; the session ends with "
                                   "them. 0: none."));
  minutes_->setSuffix(tr(" min"));
  minutes_->setSpecialValueText(tr("no limit"));
  for (QAbstractSpinBox* box : findChildren<QAbstractSpinBox*>(Qt::FindDirectChildrenOnly))
    box->setGroupSeparatorShown(true);
  problem_ = new QLabel(this);
  problem_->setWordWrap(true);
  keepTextColour(problem_, &Colours::failed);
  apply_ = new QPushButton(tr("Apply"), this);
  apply_->setToolTip(tr("From the next choice on, also while the session runs. Can be undone."));
  revert_ = new QPushButton(tr("Revert"), this);
  revert_->setToolTip(tr("Show what is in force now."));

  auto* fields = new FlowLayout(nullptr, 4); // in a narrow panel they take more lines
  for (const auto& [field, name] :
       std::initializer_list<std::pair<QWidget*, QString>>{{policy_, tr("&Policy")},
                                                           {scheduler_, tr("Sched&uler")},
                                                           {trials_, tr("Trial &budget")},
                                                           {minutes_, tr("T&ime budget")},
                                                           {perRound_, tr("Trials per &round")},
                                                           {epsilon_, tr("Random pro&grams")},
                                                           {taskEpsilon_, tr("Random &tasks")},
                                                           {population_, tr("Popu&lation")},
                                                           {generations_, tr("Gener&ations")}})
    fields->addWidget(labelled(field, name));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(apply_);
  buttons->addWidget(revert_);
  buttons->addWidget(problem_, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 6);
  column->setSpacing(6);
  column->addWidget(objective_);
  column->addLayout(fields);
  column->addLayout(buttons);

  connect(apply_, &QPushButton::clicked, this, &PlanForm::apply);
  connect(revert_, &QPushButton::clicked, this, &PlanForm::revert);
  connect(objective_, &ObjectiveForm::changed, this, &PlanForm::check);
  for (QComboBox* box : {scheduler_, policy_})
    connect(box, &QComboBox::currentIndexChanged, this, &PlanForm::check);
  for (QSpinBox* box : {perRound_, trials_, population_, generations_})
    connect(box, &QSpinBox::valueChanged, this, &PlanForm::check);
  for (QDoubleSpinBox* box : {epsilon_, taskEpsilon_, minutes_})
    connect(box, &QDoubleSpinBox::valueChanged, this, &PlanForm::check);
  connect(&document, &Document::stateChanged, this, &PlanForm::revert);
  connect(&document.follower(), &SessionFollower::settingsChanged, this, &PlanForm::follow);
  revert();
}

std::vector<std::string> PlanForm::subjects() const {
  return document_.session().config().subjects;
}

/// Fields that were not touched follow what is in force; half-done editing is left alone.
void PlanForm::follow() {
  if (!edited_) revert();
  check();
}

void PlanForm::revert() {
  filling_ = true;
  shown_ = planOf(document_.session().config());
  objective_->setObjective(shown_.objective, subjects());
  fill(policy_, policiesOf(document_.session().config().space));
  choose(scheduler_, qs(shown_.search.scheduler));
  choose(policy_, qs(shown_.search.policy));
  perRound_->setValue(shown_.search.trialsPerRound);
  epsilon_->setValue(100 * shown_.search.epsilon);
  taskEpsilon_->setValue(100 * shown_.search.taskEpsilon);
  population_->setValue(shown_.search.population);
  generations_->setValue(shown_.search.generations);
  trials_->setValue(static_cast<int>(std::min<std::int64_t>(shown_.trials, INT_MAX)));
  minutes_->setValue(shown_.maxSeconds / 60);
  filling_ = false;
  edited_ = false;
  check();
}

Plan PlanForm::plan() const {
  Plan plan = shown_;
  plan.objective = objective_->objective(subjects());
  plan.search.scheduler = scheduler_->currentText().toStdString();
  plan.search.policy = policy_->currentText().toStdString();
  plan.search.trialsPerRound = perRound_->value();
  // A field shows one tenth of a percent, or one hundredth of a minute; what was not touched stays
  // exact.
  const auto takeShare = [](const QDoubleSpinBox* field, double& share) {
    if (field->textFromValue(field->value()) != field->textFromValue(100 * share))
      share = field->value() / 100;
  };
  takeShare(epsilon_, plan.search.epsilon);
  takeShare(taskEpsilon_, plan.search.taskEpsilon);
  plan.search.population = population_->value();
  plan.search.generations = generations_->value();
  plan.trials = trials_->value();
  if (std::abs(minutes_->value() * 60 - shown_.maxSeconds) > 0.5)
    plan.maxSeconds = minutes_->value() * 60;
  return plan;
}

void PlanForm::check() {
  if (filling_) return;
  const bool ready = document_.state() == DocumentState::Ready;
  const bool follows = followsObjective(scheduler_->currentText().toStdString());
  const auto policy = policyKind(policy_->currentText().toStdString());
  const bool learns = policy && policy->learns;
  const QString absent = document_.whyNotReady();
  const QString turns = follows ? QString() : tr("Taking turns follows no objective.");
  enableUnless(objective_, ready ? turns : absent);
  enableUnless(taskEpsilon_, turns);
  const bool breeds = learns && document_.session().config().space != SearchSpace::Templates;
  const bool ownShare = learns && policy->ownShare;
  enableUnless(epsilon_, ownShare ? tr("This policy sets its own.")
                         : learns ? QString()
                                  : tr("This policy draws all at random."));
  for (QWidget* field : std::initializer_list<QWidget*>{population_, generations_})
    enableUnless(field, breeds ? QString() : tr("Nothing is bred by this search."));
  const QString problem = objective_->problem(subjects());
  edited_ = problem.isEmpty() ? !(plan() == shown_) : true;
  problem_->setText(problem);
  const QString unedited = edited_ ? QString() : tr("Nothing was changed.");
  enableUnless(apply_, !ready ? absent : problem.isEmpty() ? unedited : problem);
  enableUnless(revert_, unedited);
}

void PlanForm::apply() {
  if (!apply_->isEnabled()) return;
  const Plan wanted = plan();
  edited_ = false;
  document_.steering().setPlan(wanted);
  revert();
}

} // namespace nestwright::ui

#include "moc_plan_form.cpp"
