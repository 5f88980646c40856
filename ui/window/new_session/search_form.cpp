#include "ui/window/new_session/search_form.h"

#include "core/feature/template_features.h"
#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/session/insight/policy_advice.h"
#include "core/session/run/search_method.h"
#include "core/support/error.h"
#include "ui/document/policy/own_policy.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/shared_threads.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/window/new_session/history_form.h"
#include "ui/window/new_session/machine_form.h"
#include "ui/window/new_session/pretrained_form.h"
#include "ui/window/new_session/seeds_form.h"
#include "ui/window/new_session/sentences.h"

#include <fmt/ranges.h>

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

constexpr int kPauseMilliseconds = 300; // who types on is not yet asked for

/// Puts the entry there, if need be, and chooses it.
void choose(QComboBox* list, const std::string& value) {
  if (list->findData(qs(value)) < 0) list->addItem(qs(value), qs(value));
  list->setCurrentIndex(list->findData(qs(value)));
}

std::string chosen(const QComboBox* list) {
  return list->currentData().toString().toStdString();
}

void addEntry(QComboBox* list, const QString& text, const std::string& value,
              const QString& purpose = {}) {
  list->addItem(text, qs(value));
  if (!purpose.isEmpty()) list->setItemData(list->count() - 1, purpose, Qt::ToolTipRole);
}

/// Those that have no words of ours yet, and what each is for.
void addOthers(QComboBox* list, const auto& kinds) {
  for (const auto& kind : kinds) {
    if (list->findData(qs(kind.name)) < 0) addEntry(list, qs(kind.name), kind.name);
    list->setItemData(list->findData(qs(kind.name)), qs(kind.purpose), Qt::ToolTipRole);
  }
}

std::optional<SearchPolicyKind> policyKind(const SessionConfig& config) {
  try {
    return searchPolicy(config.policy);
  } catch (const Error&) { // checkSpace() says it
    return std::nullopt;
  }
}

/// The template features that go with the cost model.
std::string featuresFor(const SessionConfig& config) {
  try {
    return usualTemplateFeatures(config);
  } catch (const Error&) { // checkSpace() says it
    return config.templateFeatures;
  }
}

} // namespace

SearchForm::SearchForm(QWidget* parent)
    : QGroupBox(tr("Search"), parent), more_(new QToolButton(this)),
      asking_(nullptr, sharedThreads()) {
  purpose_ = sentenceLabel(this);
  buildMethod();
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(tr("&Method"), this);
  label->setBuddy(method_);
  row->addWidget(label);
  row->addWidget(method_);
  row->addWidget(purpose_, 1);
  row->addWidget(more_);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(row);
  searchProblem_ = sentenceLabel(this);
  note_ = sentenceLabel(this);
  fields_ = buildMore();
  layout->addWidget(fields_);
  layout->addWidget(searchProblem_);
  layout->addWidget(note_);
  fields_->hide();
  more_->setText(tr("More"));
  more_->setToolTip(tr("Shows what the method sets: space, policy, cost model, how programs are "
                       "timed and by whom, and the sizes of a plan."));
  more_->setAccessibleDescription(more_->toolTip());
  more_->setCheckable(true);
  more_->setAutoRaise(true);
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  more_->setArrowType(Qt::RightArrow);
  connect(more_, &QToolButton::toggled, this, [this](bool on) {
    more_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    fields_->setVisible(on);
  });
  pause_.setSingleShot(true);
  connect(&pause_, &QTimer::timeout, this, &SearchForm::beginSurvey);
  connect(&Theme::instance(), &Theme::changed, this, &SearchForm::restyle);
  restyle();
  show(config_);
}

void SearchForm::buildMethod() {
  method_ = narrowChoiceBox(this, tr("Method"),
                            tr("Sets what a paper fixes: space, policy, cost model, rules, "
                               "sizes and the evaluator. Nestwright sets our defaults. What is "
                               "changed afterwards makes it settings of your own."));
  const QString words[] = {tr("Nestwright"), tr("Ansor"), tr("AutoTVM"), tr("AdaTune")};
  for (const SearchMethod& method : searchMethods()) {
    const auto at = static_cast<std::size_t>(method_->count());
    addEntry(method_, at < std::size(words) ? words[at] : qs(method.name), method.name,
             qs(method.purpose));
  }
  addEntry(method_, {}, {});
  setByEffort(false);
  connect(method_, &QComboBox::activated, this, &SearchForm::chooseMethod);
}

QWidget* SearchForm::buildMore() {
  auto* box = new QWidget(this);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  const auto put = [&](int row, int column, const QString& text, QWidget* field, int span = 1) {
    auto* label = new QLabel(text, box);
    label->setBuddy(field);
    label->setToolTip(field->toolTip());
    // A form has several lines: its name stands beside the first field.
    QWidget* first = field->focusProxy();
    if (first) label->setBuddy(first);
    if (first) label->setMinimumHeight(first->sizeHint().height());
    grid->addWidget(label, row, column, first ? Qt::AlignTop : Qt::Alignment());
    grid->addWidget(field, row, column + 1, 1, span);
  };
  const auto follow = [this](QComboBox* list) {
    connect(list, &QComboBox::currentIndexChanged, this, &SearchForm::edited);
  };

  space_ = narrowChoiceBox(
      this, tr("Space"),
      tr("What is searched. Sketches: structures that rules make of any task. Templates: "
         "the configurations of AutoTVM's templates, where one fits the task."));
  addEntry(space_, tr("sketches"), "sketches");
  addEntry(space_, tr("templates"), "templates");
  policy_ = narrowChoiceBox(
      this, tr("Search policy"),
      tr("How candidates are found. Each belongs to sketches or to templates; its entry "
         "says what it does."));
  for (const auto& [text, value] :
       {std::pair{tr("random"), "random"}, {tr("evolutionary"), "evolutionary"}})
    addEntry(policy_, text, value);
  addOthers(policy_, searchPolicies());
  if (const std::optional<SearchPolicyKind> own = ownPolicy())
    addOthers(policy_, std::vector{*own});
  model_ = narrowChoiceBox(
      this, tr("Cost model"),
      tr("What predicts a program before it is measured. Each reads programs of sketches, "
         "or configurations of templates; its entry says what it does."));
  for (const std::string& name : costModelNames()) {
    addEntry(model_, qs(name), name);
    try {
      model_->setItemData(model_->count() - 1, qs(costModelKind(name).purpose), Qt::ToolTipRole);
    } catch (const Error& missing) { // its plugin is not there: checkSpace() says so when it counts
      model_->setItemData(model_->count() - 1, qs(missing.what()), Qt::ToolTipRole);
    }
  }
  features_ = narrowChoiceBox(
      this, tr("Template features"),
      tr("What the cost model reads of a configuration. itervar: its loops and what "
         "they access. knob: the values of the knobs. curve: relations along the "
         "loops, alike for all shapes. tree: the loop nest itself, for the cost model "
         "treegru."));
  for (const TemplateFeatureKind kind : {TemplateFeatureKind::Itervar, TemplateFeatureKind::Knob,
                                         TemplateFeatureKind::Curve, TemplateFeatureKind::Tree})
    addEntry(features_, qs(name(kind)), name(kind));
  rules_ = narrowChoiceBox(this, tr("Sketch rules"), {}); // its tip: setGpu()
  addEntry(rules_, tr("Nestwright and Ansor"), "nestwright,paper");
  addEntry(rules_, tr("Ansor only"), "paper");
  scheduler_ =
      narrowChoiceBox(this, tr("Next task"),
                      tr("Which task gets the next round. In turn: every task as often as the "
                         "others, times its importance. By gradient: where the network's latency "
                         "is expected to fall most."));
  addEntry(scheduler_, tr("by gradient"), "gradient");
  addEntry(scheduler_, tr("in turn"), "round-robin");
  addOthers(scheduler_, taskSchedulers());
  put(0, 0, tr("Space"), space_);
  put(0, 2, tr("&Policy"), policy_);
  put(0, 4, tr("&Cost model"), model_);
  put(1, 0, tr("Feat&ures"), features_);
  put(1, 2, tr("&Rules"), rules_);
  put(1, 4, tr("Next tas&k"), scheduler_);
  for (QComboBox* one : {space_, policy_, model_, features_, rules_, scheduler_})
    follow(one);

  const SessionConfig defaults;
  plan_ = numberBox(box, 1, kMostProgramsAtOnce, defaults.plan, tr("Plan"),
                    tr("Configurations of a template that are chosen at once, and measured in a "
                       "round."));
  chains_ = numberBox(box, 1, kMostProgramsAtOnce, defaults.chains, tr("Chains"),
                      tr("How many walks an annealing has side by side."));
  epsilon_ = numberBox<QDoubleSpinBox>(
      box, 0, 1, defaults.epsilon, tr("Random share"),
      tr("ε: the share of a round, or of a plan, that is drawn at random. The contextual policy "
         "sets its own, by how unsure the cost model is."));
  epsilon_->setSingleStep(0.05);
  diversity_ = numberBox<QDoubleSpinBox>(
      box, 0, 1e6, defaults.diversity, tr("Diversity"),
      tr("α: what a value of a knob that the plan does not have yet is worth, beside the scores. "
         "0: scores alone."));
  diversity_->setSingleStep(0.1);
  diversity_->setDecimals(3);
  diversity_->setSpecialValueText(tr("off"));
  auto* sizes = new QHBoxLayout;
  sizes->setSpacing(8);
  for (const auto& [text, field] : {std::pair<QString, QWidget*>{tr("P&lan"), plan_},
                                    {tr("Chains"), chains_},
                                    {tr("Random share ε"), epsilon_},
                                    {tr("Diversity"), diversity_}}) {
    auto* label = new QLabel(text, box);
    label->setBuddy(field);
    label->setToolTip(field->toolTip());
    sizes->addWidget(label);
    sizes->addWidget(field, 1);
  }
  grid->addLayout(sizes, 2, 0, 1, 6);
  for (QSpinBox* one : {plan_, chains_})
    connect(one, &QSpinBox::valueChanged, this, &SearchForm::edited);
  for (QDoubleSpinBox* one : {epsilon_, diversity_})
    connect(one, &QDoubleSpinBox::valueChanged, this, &SearchForm::edited);

  evaluator_ = narrowChoiceBox(
      this, tr("Evaluator"),
      tr("How often a program is run for its time. A micro-batch is a number of runs "
         "that are timed together; an adaptive evaluator stops when their speeds "
         "agree. Choose an example, and change its numbers."));
  evaluator_->setEditable(true);
  evaluator_->setInsertPolicy(QComboBox::NoInsert);
  evaluator_->setCompleter(nullptr); // an example begins as another evaluator does
  evaluator_->lineEdit()->setAccessibleName(evaluator_->accessibleName());
  for (const EvaluatorInfo& info : evaluatorInfos())
    addEntry(evaluator_, QLatin1String(info.example), info.example, QLatin1String(info.purpose));
  put(3, 0, tr("&Evaluator"), evaluator_, 3);
  ahead_ = narrowChoiceBox(
      this, tr("Rounds"),
      tr("One after another: a round is proposed by all that was measured before. Proposed ahead: "
         "while the one before it is built, and on a GPU also while that is timed, by what was "
         "known until then. That saves a GPU's waiting, and little else."));
  addEntry(ahead_, tr("one after another"), "off");
  addEntry(ahead_, tr("proposed ahead"), "on");
  put(3, 4, tr("Rounds"), ahead_);
  follow(ahead_);
  alternatives_ = narrowChoiceBox(
      this, tr("Alternatives"),
      tr("Which other definitions of an operator are searched beside its own, within the same "
         "budget; the fastest runs. Exact: those that sum the same products (today there are "
         "none). All: also Winograd's filtering of 3×3 convolutions, whose results differ by "
         "rounding: of the largest result 2e-6 with F(2,3), 2e-5 with F(4,3)."));
  addEntry(alternatives_, tr("off"), "off");
  addEntry(alternatives_, tr("exact"), "exact");
  addEntry(alternatives_, tr("all"), "all");
  put(4, 0, tr("Alternati&ves"), alternatives_);
  follow(alternatives_);
  evaluatorProblem_ = sentenceLabel(box);
  grid->addWidget(evaluatorProblem_, 5, 1, 1, 5);
  connect(evaluator_, &QComboBox::editTextChanged, this, &SearchForm::edited);

  history_ = new HistoryForm(box);
  pretrained_ = new PretrainedForm(box);
  parts_ = {new MachineForm(box), history_, pretrained_, new SeedsForm(box)};
  const QString names[] = {tr("Measured &by"), tr("History"), tr("Trained model"), tr("Seeds")};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    put(static_cast<int>(6 + i), 0, names[i], parts_[i], 5);
    connect(parts_[i], &SearchPart::edited, this, &SearchForm::edited);
  }
  for (const int column : {1, 3, 5})
    grid->setColumnStretch(column, 1);
  return box;
}

// --- fields and settings

void SearchForm::setConfig(const SessionConfig& config) {
  show(config);
  Q_EMIT changed();
}

void SearchForm::show(const SessionConfig& config) {
  filling_ = true;
  config_ = config;
  for (const auto& [list, value] : {std::pair{space_, config.space},
                                    {policy_, config.policy},
                                    {model_, config.model},
                                    {features_, config.templateFeatures},
                                    {rules_, config.rules},
                                    {scheduler_, config.scheduler},
                                    {ahead_, config.ahead},
                                    {alternatives_, config.alternatives}})
    choose(list, value);
  plan_->setValue(config.plan);
  chains_->setValue(config.chains);
  epsilon_->setValue(config.epsilon);
  diversity_->setValue(config.diversity);
  evaluator_->setEditText(qs(toText(config.measure.evaluator)));
  for (SearchPart* part : parts_)
    part->show(config);
  choose(method_, methodOf(config_));
  filling_ = false;
  refresh();
}

SessionConfig SearchForm::read() const {
  SessionConfig config = config_;
  config.space = chosen(space_);
  config.policy = chosen(policy_);
  config.model = chosen(model_);
  config.templateFeatures = chosen(features_);
  config.rules = chosen(rules_);
  config.scheduler = chosen(scheduler_);
  config.ahead = chosen(ahead_);
  config.alternatives = chosen(alternatives_);
  config.plan = plan_->value();
  config.chains = chains_->value();
  // A finer number than the fields show stays while nobody touches it.
  if (std::abs(epsilon_->value() - config.epsilon) > 0.005) config.epsilon = epsilon_->value();
  if (std::abs(diversity_->value() - config.diversity) > 0.0005)
    config.diversity = diversity_->value();
  for (const SearchPart* part : parts_)
    part->read(config);
  if (evaluatorProblem().isEmpty())
    config.measure.evaluator = evaluatorFromText(evaluator_->currentText().trimmed().toStdString());
  return config;
}

void SearchForm::settle(SessionConfig& config, const SessionConfig& before) {
  const bool templates = config.space == "templates";
  const SessionConfig defaults;
  // A session on a recorded machine confirms nothing: that would say the same again.
  if (config.machine.empty() && !before.machine.empty()) config.confirmBest = defaults.confirmBest;
  if (config.space != before.space) {
    config.trialsPerRound = templates ? config.plan : defaults.trialsPerRound;
    config.warmup = templates ? 0 : defaults.warmup; // its first round, a plan, is random
  } else if (templates && config.plan != before.plan) {
    config.trialsPerRound = config.plan;
  }
  if (templates) config.alternatives = defaults.alternatives; // a template knows of none
  const bool another = config.space != before.space || config.policy != before.policy;
  if (another && policyKind(config) && config.model == before.model &&
      (!policyKind(before) || before.model == usualModel(before)))
    config.model = usualModel(config);
  if (config.model != before.model) config.templateFeatures = featuresFor(config);
}

void SearchForm::edited() {
  if (filling_) return;
  SessionConfig config = read();
  settle(config, config_);
  config_ = std::move(config);
  filling_ = true;
  choose(model_, config_.model);
  choose(alternatives_, config_.alternatives);
  choose(features_, config_.templateFeatures);
  choose(method_, methodOf(config_));
  filling_ = false;
  refresh();
  Q_EMIT changed();
}

void SearchForm::chooseMethod() {
  const std::string method = chosen(method_);
  if (method.empty()) { // a method stays until a field is changed
    more_->setChecked(true);
    choose(method_, methodOf(config_));
    return refresh();
  }
  Q_EMIT methodChosen();
  setConfig(withMethod(config_, method));
}

void SearchForm::setByEffort(bool isByEffort) {
  const int own = method_->findData(QString());
  method_->setItemText(own, isByEffort ? tr("of the effort") : tr("own settings"));
  method_->setItemData(own,
                       isByEffort
                           ? tr("Sketches, bred under a cost model that learns on the way, as all "
                                "efforts search. The fields under More say what.")
                           : tr("The fields under More say what; no method has just these."),
                       Qt::ToolTipRole);
  if (method_->currentIndex() == own) tell();
}

// --- what is known of it

void SearchForm::setSubjects(const std::vector<std::string>& subjects, const std::string& target,
                             int threads) {
  config_.subjects = subjects;
  config_.target = target;
  if (namesGpu(target)) config_.alternatives = SessionConfig().alternatives; // for processors
  filling_ = true;
  choose(alternatives_, config_.alternatives);
  filling_ = false;
  config_.measure.threads = threads;
  refresh();
}

void SearchForm::setGpu(bool isGpu) {
  rules_->setToolTip(
      isGpu ? tr("Which program structures exist, and how sizes are drawn. Ansor's: the rules and "
                 "draws of the paper for GPUs. Nestwright adds draws of its own: no tiles that "
                 "cannot be legal, wider fetches, more threads.")
            : tr("Which program structures exist. Ansor's: the rules of the paper. Nestwright: "
                 "ours, for packed and vectorised kernels. Both give the largest space."));
  refresh();
}

/// Asks what takes longer than a key press, once for each choice that it depends on.
void SearchForm::ask() {
  const bool wanted = config_.space == "templates" || !config_.machine.empty() ||
                      !config_.pretrained.empty() || !config_.seeds.empty();
  const std::string question =
      wanted && !config_.subjects.empty()
          ? fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
                        fmt::join(config_.subjects, "\t"), config_.target, config_.measure.threads,
                        config_.machine, config_.templates, fmt::join(config_.history, "\t"),
                        config_.templateFeatures, config_.pretrained, config_.seeds, config_.space,
                        config_.rules)
          : std::string();
  if (question == asked_) return;
  asked_ = question;
  survey_.reset();
  failure_.clear();
  asking_.cancel();
  if (question.empty())
    pause_.stop();
  else
    pause_.start(kPauseMilliseconds);
}

void SearchForm::beginSurvey() {
  asking_.ask<SearchSurvey>([config = config_](const Job&) { return surveySearch(config); },
                            [this](SearchSurvey survey) {
                              survey_ = std::move(survey);
                              tell();
                              Q_EMIT changed();
                            },
                            [this](const QString& why) {
                              failure_ = why;
                              tell();
                              Q_EMIT changed();
                              asked_.clear(); // the next change asks again
                            });
}

void SearchForm::refresh() {
  offerFields();
  ask();
  tell();
}

/// Fields that the search takes no notice of are not there to be set.
void SearchForm::offerFields() {
  const bool templates = config_.space == "templates";
  const std::optional<SearchPolicyKind> policy = policyKind(config_);
  const bool learns = policy && policy->learns;
  const QString learnsNot = learns ? QString() : tr("This policy asks no cost model.");
  const QString ofSketches =
      templates ? learnsNot : tr("It belongs to templates, and this session searches sketches.");
  enableUnless(model_, learns && !config_.pretrained.empty() ? tr("The trained model says which.")
                                                             : learnsNot);
  enableUnless(features_, ofSketches);
  enableUnless(ahead_, templates ? tr("Rounds of templates follow one another.")
                       : policy && isExecPolicy(config_.policy)
                           ? tr("A program of yours is asked when its round begins.")
                           : QString());
  enableUnless(alternatives_, templates ? tr("Templates know an operator by its own definition.")
                              : namesGpu(config_.target) ? tr("Alternatives are for processors.")
                                                         : QString());
  enableUnless(rules_, templates ? tr("Templates have no sketch rules.") : QString());
  for (QWidget* field : std::initializer_list<QWidget*>{plan_, chains_, diversity_})
    enableUnless(field, ofSketches);
  enableUnless(epsilon_,
               learns && policy->wantsDeviation ? tr("This policy sets its own.") : learnsNot);
  history_->offer(learns && templates);
  pretrained_->offer(learns && !templates);
}

QString SearchForm::searchProblem() const {
  try {
    checkSpace(config_);
  } catch (const Error& problem) {
    return sentenceOf(problem.what());
  }
  if (config_.space != "templates") return {};
  if (survey_ && survey_->tasks > 0 && survey_->fitting() == 0)
    return tr("No task has a template, so there is nothing to search: choose sketches.");
  return {};
}

QString SearchForm::evaluatorProblem() const {
  try {
    const Evaluator evaluator =
        evaluatorFromText(evaluator_->currentText().trimmed().toStdString());
    if (evaluator.hasBatches() && config_.measure.flushCache)
      return tr("This session flushes caches between repeats, and in a micro-batch a run finds "
                "what the one before left there: choose the evaluator fixed.");
  } catch (const Error& problem) {
    return sentenceOf(problem.what());
  }
  return {};
}

/// What the user has to mend.
QString SearchForm::mistake() const {
  QStringList problems{searchProblem(), evaluatorProblem()};
  for (const SearchPart* part : parts_)
    problems.append(part->problem(survey_));
  problems.removeAll(QString());
  return problems.value(0);
}

QString SearchForm::lookingText() const {
  if (!pause_.isActive() && !asking_.isBusy()) return {};
  return config_.space == "templates"  ? tr("Looking which tasks have a template …")
         : !config_.pretrained.empty() ? tr("Looking what the trained model knows …")
         : !config_.seeds.empty()      ? tr("Looking which seeds can be taken …")
                                       : tr("Looking into the recorded file …");
}

QString SearchForm::problem() const {
  const QString mistake = this->mistake();
  return mistake.isEmpty() ? lookingText() : mistake;
}

void SearchForm::tell() {
  const QString remark = qs(policyRemark(config_.policy, config_.space, config_.target));
  purpose_->setText(
      (method_->currentData(Qt::ToolTipRole).toString() + QLatin1Char(' ') + remark).trimmed());
  sayOrHide(searchProblem_, searchProblem());
  sayOrHide(evaluatorProblem_, evaluatorProblem());
  for (SearchPart* part : parts_)
    part->tell(survey_);
  tellOfTasks();
  // What is wrong is not to be looked for.
  if (!more_->isChecked() && !mistake().isEmpty()) more_->setChecked(true);
}

void SearchForm::tellOfTasks() {
  note_->setToolTip({});
  if (const QString looking = lookingText(); !looking.isEmpty()) return sayOrHide(note_, looking);
  if (!failure_.isEmpty())
    return sayOrHide(note_, tr("It could not be found out what can be searched: %1").arg(failure_));
  if (config_.space != "templates" || !survey_) return sayOrHide(note_, {});
  const std::vector<TaskWithoutTemplate>& without = survey_->withoutTemplate;
  QStringList lines;
  lines.append(without.empty() ? tr("Each of %1 tasks has a template.").arg(survey_->tasks)
                               : tr("%1 of %2 tasks have a template; the others take no trials:")
                                     .arg(survey_->fitting())
                                     .arg(survey_->tasks));
  const auto line = [](const TaskWithoutTemplate& task) {
    return QStringLiteral("%1: %2").arg(qs(task.name), qs(task.why));
  };
  QStringList all;
  for (const TaskWithoutTemplate& task : without)
    all.append(line(task));
  lines.append(firstOf(all));
  note_->setToolTip(all.join(QLatin1Char('\n')));
  sayOrHide(note_, lines.join(QLatin1Char('\n')));
}

void SearchForm::restyle() {
  for (QLabel* label : {searchProblem_, evaluatorProblem_})
    setTextColour(label, colours().failed);
  for (QLabel* label : {purpose_, note_})
    setTextColour(label, colours().dim);
}

} // namespace nestwright::ui

#include "moc_search_form.cpp"
