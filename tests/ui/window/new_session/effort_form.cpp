/// How much a new session does: three efforts, what each promises, and what it sets, which is what
/// the command line sets by the same words.

#include "ui/window/new_session/effort_form.h"

#include "core/plugin/plugin.h"
#include "core/session/run/finish/effort_choice.h"
#include "core/session/run/search_method.h"
#include "tests/support/test_program.h"
#include "tests/ui/form_fields.h"
#include "tests/ui/own_settings.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/new_session/preview_form.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

namespace nestwright::effort_form_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

QRadioButton& choice(const QWidget& form, const char* words) {
  for (QRadioButton* one : form.findChildren<QRadioButton*>())
    if (one->text().remove(QLatin1Char('&')) == QLatin1String(words)) return *one;
  qFatal("no choice %s", words);
}

constexpr std::pair<const char*, Effort> kWords[] = {
    {"Quick", Effort::Quick}, {"Normal", Effort::Normal}, {"Thorough", Effort::Thorough}};

class EffortFormTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }

  void anEffortSetsWhatTheCommandLineSets() {
    for (const auto& [words, effort] : kWords) {
      EffortForm form;
      QCOMPARE(form.effort(), std::optional(Effort::Normal)); // where nobody chose
      form.setCount({5, 0.5});
      choice(form, words).click();
      QCOMPARE(form.effort(), std::optional(effort));
      QCOMPARE(toJson(form.config()).dump(), toJson(withEffort(SessionConfig(), effort, 5)).dump());
      QCOMPARE(field<QSpinBox>(form, "Polish").value(), form.config().polish);
      QCOMPARE(field<QComboBox>(form, "Draft").currentData().toString().toStdString(),
               form.config().draft);
      QCOMPARE(field<QDoubleSpinBox>(form, "Stop below").value(), 100 * form.config().stopGain);
    }
  }

  /// One effort after another leaves nothing of the one before.
  void effortsTakeNothingOver() {
    EffortForm form;
    form.setCount({3, 0});
    for (const auto& first : kWords)
      for (const auto& second : kWords) {
        choice(form, first.first).click();
        choice(form, second.first).click();
        QCOMPARE(toJson(form.config()).dump(),
                 toJson(withEffort(SessionConfig(), second.second, 3)).dump());
      }
  }

  void aPromiseIsOfTheChosenTasks() {
    EffortForm form;
    form.setCount({10, 0.5});
    QVERIFY(says(form, QStringLiteral("about ") + durationText(10 * 24 * 0.5)));
    QVERIFY(says(form, durationText(1000 * 0.5) + QStringLiteral(" at most")));
    QVERIFY(!says(form, QStringLiteral("assumed")));
    form.setCount({20, 0});
    QVERIFY(says(form, QStringLiteral("about ") + durationText(20 * 24 * kAssumedSecondsPerTrial)));
    QVERIFY(says(form, QStringLiteral("assumed")));
    form.setCount({}); // of another subject, which is not read yet
    QVERIFY(!says(form, QStringLiteral("about ")));
    QVERIFY(form.problem().contains(QStringLiteral("Counting")));
  }

  void aChangedFieldMakesSettingsOfOnesOwn() {
    EffortForm form;
    form.setCount({2, 0});
    choice(form, "Quick").click();
    const int polish = form.config().polish;
    auto& field = effort_form_test::field<QSpinBox>(form, "Polish");
    field.setValue(polish + 1);
    QVERIFY(!form.effort());
    QVERIFY(choice(form, "Own settings").isChecked());
    QCOMPARE(form.config().polish, polish + 1);
    field.setValue(polish);
    QCOMPARE(form.effort(), std::optional(Effort::Quick));
    // Who says that they are their own is believed.
    choice(form, "Own settings").click();
    QVERIFY(!form.effort() && form.detailsButton()->isChecked());
    field.setValue(polish + 1);
    field.setValue(polish);
    QVERIFY(!form.effort());
  }

  void normalFollowsTheTrialsAndQuickHasItsOwn() {
    EffortForm form;
    form.setCount({4, 0});
    form.setTrials(400);
    QCOMPARE(form.effort(), std::optional(Effort::Normal));
    QCOMPARE(form.config().polish, 10);
    choice(form, "Quick").click();
    QCOMPARE(form.config().trials, std::int64_t(96));
    choice(form, "Normal").click();
    QCOMPARE(form.config().trials, std::int64_t(400));
    choice(form, "Quick").click();
    form.setTrials(97);
    QVERIFY(!form.effort());
    QCOMPARE(form.config().trials, std::int64_t(97));
  }

  void whatCannotBeIsSaid() {
    EffortForm form;
    form.setCount({4, 0});
    form.setTrials(40);
    field<QSpinBox>(form, "Polish").setValue(11);
    QVERIFY2(form.problem().contains(QStringLiteral("more than the budget")),
             qPrintable(form.problem()));
    QVERIFY(form.detailsButton()->isChecked());
    SessionConfig templates = withMethod(SessionConfig(), "autotvm");
    form.follow(templates);
    QVERIFY(!form.effort());
    QCOMPARE(form.problem(), QString());
    QVERIFY(whyNot(&field<QSpinBox>(form, "Polish")).contains(QStringLiteral("Templates")));
    choice(form, "Normal").click(); // leads back to our own search
    QCOMPARE(form.config().space, SearchSpace::Sketches);
  }

  void theDialogBeginsWithIt() {
    NewSessionDialog dialog(coreCatalogue());
    dialog.show();
    dialog.setSubject(QStringLiteral("resnet18"));
    QVERIFY(dialog.problem().contains(QStringLiteral("Counting")));
    QTRY_COMPARE(dialog.problem(), QString());
    const std::size_t tasks = dialog.findChild<PreviewForm*>()->preview()->tasks.size();
    QCOMPARE(tasks, countSessionTasks(dialog.config()));
    const auto& trials = field<QSpinBox>(dialog, "Trials");
    for (const auto& [words, effort] : kWords) {
      choice(dialog, words).click();
      SessionConfig wanted;
      wanted.subjects = {"resnet18"};
      wanted.memory = {"this"};
      wanted = withEffort(wanted, effort, tasks);
      SessionConfig config = dialog.config();
      QCOMPARE(toJson(config).dump(), toJson(wanted).dump());
      QCOMPARE(trials.value(), int(wanted.trials));
      QCOMPARE(field<QComboBox>(dialog, "Method").currentText(), QStringLiteral("of the effort"));
    }
    // Another subject, other trials.
    choice(dialog, "Quick").click();
    dialog.setSubject(QStringLiteral("matmul:m=64,n=64,k=64"));
    QTRY_COMPARE(dialog.config().trials, std::int64_t(24));
    // A method is none's, and has the trials that were there before.
    choose(dialog, "Method", "ansor");
    QVERIFY(choice(dialog, "Own settings").isChecked());
    QCOMPARE(dialog.config().polish, 0);
    QCOMPARE(dialog.config().trials, std::int64_t(1000));
  }

  /// As for a session that is to run again.
  void theDialogShowsTheEffortOfASession() {
    SessionConfig config;
    config.subjects = {"resnet18"};
    config = withEffort(config, Effort::Thorough, countSessionTasks(config));
    NewSessionDialog dialog(coreCatalogue());
    dialog.setConfig(config);
    dialog.show();
    QTRY_VERIFY(choice(dialog, "Thorough").isChecked());
    QCOMPARE(toJson(dialog.config()).dump(), toJson(config).dump());
    config.polish = 3;
    NewSessionDialog other(coreCatalogue());
    other.setConfig(config);
    other.show();
    QTRY_VERIFY(other.findChild<PreviewForm*>()->preview());
    QVERIFY(choice(other, "Own settings").isChecked());
    QCOMPARE(toJson(other.config()).dump(), toJson(config).dump());
  }

 private:
  QTemporaryDir settings_;
};

NW_TEST_GUI(EffortFormTest)

} // namespace nestwright::effort_form_test

#include "effort_form.moc"
