#include "ui/window/new_session/search_fields.h"

#include "core/feature/template_features.h"
#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/support/error.h"
#include "ui/document/policy/own_policy.h"
#include "ui/document/policy/policy_kind.h"
#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/window/new_session/choice_list.h"
#include "ui/window/new_session/history_form.h"
#include "ui/window/new_session/machine_form.h"
#include "ui/window/new_session/pretrained_form.h"
#include "ui/window/new_session/seeds_form.h"
#include "ui/window/new_session/sentences.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

namespace nestwright::ui {
namespace {

/// Those that have no words of ours yet, and what each is for.
void addOthers(QComboBox* list, const auto& kinds) {
  for (const auto& kind : kinds) {
    if (list->findData(qs(kind.name)) < 0) addEntry(list, qs(kind.name), kind.name);
    list->setItemData(list->findData(qs(kind.name)), qs(kind.purpose), Qt::ToolTipRole);
  }
}

} // namespace

SearchFields::SearchFields(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(8);
  buildChoices();
  buildSizes();
  buildMeasuring();
  buildParts();
  for (const int column : {1, 3, 5})
    grid_->setColumnStretch(column, 1);
}

void SearchFields::put(int row, int column, const QString& text, QWidget* field, int span) {
  auto* label = new QLabel(text, this);
  label->setBuddy(field);
  label->setToolTip(field->toolTip());
  // A form has several lines: its name stands beside the first field.
  QWidget* first = field->focusProxy();
  if (first) label->setBuddy(first);
  if (first) label->setMinimumHeight(first->sizeHint().height());
  grid_->addWidget(label, row, column, first ? Qt::AlignTop : Qt::Alignment());
  grid_->addWidget(field, row, column + 1, 1, span);
}

void SearchFields::buildChoices() {
  space_ = narrowChoiceBox(
      this, tr("Space"),
      tr("What is searched. Sketches: structures that rules make of any task. Templates: "
         "the configurations of AutoTVM's templates, where one fits the task."));
  addEntry(space_, tr("sketches"), name(SearchSpace::Sketches));
  addEntry(space_, tr("templates"), name(SearchSpace::Templates));
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
    connect(one, &QComboBox::currentIndexChanged, this, &SearchFields::fieldEdited);
}

void SearchFields::buildSizes() {
  const SessionConfig defaults;
  plan_ = numberBox(this, 1, kMostProgramsAtOnce, defaults.plan, tr("Plan"),
                    tr("Configurations of a template that are chosen at once, and measured in a "
                       "round."));
  chains_ = numberBox(this, 1, kMostProgramsAtOnce, defaults.chains, tr("Chains"),
                      tr("How many walks an annealing has side by side."));
  epsilon_ = numberBox<QDoubleSpinBox>(
      this, 0, 1, defaults.epsilon, tr("Random share"),
      tr("ε: the share of a round, or of a plan, that is drawn at random. The contextual policy "
         "sets its own, by how unsure the cost model is."));
  epsilon_->setSingleStep(0.05);
  diversity_ = numberBox<QDoubleSpinBox>(
      this, 0, 1e6, defaults.diversity, tr("Diversity"),
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
    auto* label = new QLabel(text, this);
    label->setBuddy(field);
    label->setToolTip(field->toolTip());
    sizes->addWidget(label);
    sizes->addWidget(field, 1);
  }
  grid_->addLayout(sizes, 2, 0, 1, 6);
  for (QSpinBox* one : {plan_, chains_})
    connect(one, &QSpinBox::valueChanged, this, &SearchFields::fieldEdited);
  for (QDoubleSpinBox* one : {epsilon_, diversity_})
    connect(one, &QDoubleSpinBox::valueChanged, this, &SearchFields::fieldEdited);
}

void SearchFields::buildMeasuring() {
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
  addEntry(ahead_, tr("one after another"), name(Ahead::Off));
  addEntry(ahead_, tr("proposed ahead"), name(Ahead::On));
  put(3, 4, tr("Rounds"), ahead_);
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
  tf32_ = new QCheckBox(tr("Tensor cores may round to TF32"), this);
  tf32_->setToolTip(tr("Whether a GPU's tensor cores may multiply float32: they round the factors "
                       "to 10 digits behind the point, so answers are compared less strictly. Its "
                       "times are not those of float32, so a network runs such programs only where "
                       "that is asked for."));
  tf32_->setAccessibleName(tf32_->text());
  grid_->addWidget(tf32_, 4, 2, 1, 4);
  connect(tf32_, &QCheckBox::toggled, this, &SearchFields::fieldEdited);
  for (QComboBox* one : {ahead_, alternatives_})
    connect(one, &QComboBox::currentIndexChanged, this, &SearchFields::fieldEdited);
  evaluatorProblem_ = sentenceLabel(this);
  grid_->addWidget(evaluatorProblem_, 5, 1, 1, 5);
  connect(evaluator_, &QComboBox::editTextChanged, this, &SearchFields::fieldEdited);
}

void SearchFields::buildParts() {
  history_ = new HistoryForm(this);
  pretrained_ = new PretrainedForm(this);
  parts_ = {new MachineForm(this), history_, pretrained_, new SeedsForm(this)};
  const QString names[] = {tr("Measured &by"), tr("History"), tr("Trained model"), tr("Seeds")};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    put(static_cast<int>(6 + i), 0, names[i], parts_[i], 5);
    connect(parts_[i], &SearchPart::edited, this, &SearchFields::fieldEdited);
  }
}

void SearchFields::fieldEdited() {
  if (!filling_) Q_EMIT edited();
}

void SearchFields::show(const SessionConfig& config) {
  filling_ = true;
  for (const auto& [list, value] : {std::pair{space_, std::string(name(config.space))},
                                    {policy_, config.policy},
                                    {model_, config.model},
                                    {features_, config.templateFeatures},
                                    {rules_, config.rules},
                                    {scheduler_, config.scheduler},
                                    {ahead_, name(config.ahead)},
                                    {alternatives_, config.alternatives}})
    choose(list, value);
  plan_->setValue(config.plan);
  chains_->setValue(config.chains);
  tf32_->setChecked(config.tf32);
  epsilon_->setValue(config.epsilon);
  diversity_->setValue(config.diversity);
  evaluator_->setEditText(qs(toText(config.measure.evaluator)));
  for (SearchPart* part : parts_)
    part->show(config);
  filling_ = false;
}

void SearchFields::showSettled(const SessionConfig& config) {
  filling_ = true;
  choose(model_, config.model);
  choose(alternatives_, config.alternatives);
  choose(features_, config.templateFeatures);
  filling_ = false;
}

SessionConfig SearchFields::read(SessionConfig config) const {
  config.space = kSearchSpaceNames.find(chosen(space_)).value_or(config.space);
  config.policy = chosen(policy_);
  config.model = chosen(model_);
  config.templateFeatures = chosen(features_);
  config.rules = chosen(rules_);
  config.scheduler = chosen(scheduler_);
  config.ahead = kAheadNames.find(chosen(ahead_)).value_or(config.ahead);
  config.alternatives = chosen(alternatives_);
  config.tf32 = tf32_->isChecked();
  config.plan = plan_->value();
  config.chains = chains_->value();
  // A finer number than the fields show stays while nobody touches it.
  if (std::abs(epsilon_->value() - config.epsilon) > 0.005) config.epsilon = epsilon_->value();
  if (std::abs(diversity_->value() - config.diversity) > 0.0005)
    config.diversity = diversity_->value();
  for (const SearchPart* part : parts_)
    part->read(config);
  if (evaluatorProblem(config).isEmpty())
    config.measure.evaluator = evaluatorFromText(evaluator_->currentText().trimmed().toStdString());
  return config;
}

void SearchFields::offerFor(const SessionConfig& config) {
  const bool templates = config.space == SearchSpace::Templates;
  const std::optional<SearchPolicyKind> policy = policyKind(config);
  const bool learns = policy && policy->learns;
  const QString learnsNot = learns ? QString() : tr("This policy asks no cost model.");
  const QString ofSketches =
      templates ? learnsNot : tr("It belongs to templates, and this session searches sketches.");
  enableUnless(model_, learns && !config.pretrained.empty() ? tr("The trained model says which.")
                                                            : learnsNot);
  enableUnless(features_, ofSketches);
  enableUnless(ahead_, templates ? tr("Rounds of templates follow one another.")
                       : policy && isExecPolicy(config.policy)
                           ? tr("A program of yours is asked when its round begins.")
                           : QString());
  enableUnless(alternatives_, templates ? tr("Templates know an operator by its own definition.")
                              : namesGpu(config.target) ? tr("Alternatives are for processors.")
                                                        : QString());
  enableUnless(tf32_, templates                  ? tr("Templates use no tensor cores.")
                      : !namesGpu(config.target) ? tr("Tensor cores are a GPU's.")
                                                 : QString());
  enableUnless(rules_, templates ? tr("Templates have no sketch rules.") : QString());
  for (QWidget* field : std::initializer_list<QWidget*>{plan_, chains_, diversity_})
    enableUnless(field, ofSketches);
  enableUnless(epsilon_, learns && policy->ownShare ? tr("This policy sets its own.") : learnsNot);
  history_->offer(learns && templates);
  pretrained_->offer(learns && !templates);
}

void SearchFields::setGpu(bool isGpu) {
  rules_->setToolTip(
      isGpu ? tr("Which program structures exist, and how sizes are drawn. Ansor's: the rules and "
                 "draws of the paper for GPUs. Nestwright adds draws of its own: no tiles that "
                 "cannot be legal, wider fetches, more threads.")
            : tr("Which program structures exist. Ansor's: the rules of the paper. Nestwright: "
                 "ours, for packed and vectorised kernels. Both give the largest space."));
}

QString SearchFields::evaluatorProblem(const SessionConfig& config) const {
  try {
    const Evaluator evaluator =
        evaluatorFromText(evaluator_->currentText().trimmed().toStdString());
    if (evaluator.hasBatches() && config.measure.flushCache)
      return tr("This session flushes caches between repeats, and in a micro-batch a run finds "
                "what the one before left there: choose the evaluator fixed.");
  } catch (const Error& problem) {
    return sentenceOf(problem.what());
  }
  return {};
}

void SearchFields::tell(const SessionConfig& config, const std::optional<SearchSurvey>& survey) {
  sayOrHide(evaluatorProblem_, evaluatorProblem(config));
  for (SearchPart* part : parts_)
    part->tell(survey);
}

QString SearchFields::mistake(const SessionConfig& config,
                              const std::optional<SearchSurvey>& survey) const {
  QStringList problems{evaluatorProblem(config)};
  for (const SearchPart* part : parts_)
    problems.append(part->problem(survey));
  problems.removeAll(QString());
  return problems.value(0);
}

void SearchFields::restyle() {
  setTextColour(evaluatorProblem_, colours().failed);
}

} // namespace nestwright::ui

#include "moc_search_fields.cpp"
