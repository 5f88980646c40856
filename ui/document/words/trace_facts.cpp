#include "ui/document/words/trace_facts.h"

#include "core/record/format/imported_log.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "ui/document/words/program_words.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <optional>

namespace nestwright::ui {
namespace {

using Facts = std::vector<TraceFact>;

/// What a template's program is made from.
void addConfig(Facts& facts, const TemplateConfig& config) {
  facts.push_back({tr("Template"),
                   QStringLiteral("%1, %2").arg(qs(config.kind), qs(name(config.version))),
                   tr("The template that made the program, and the version of its space."),
                   {}});
  for (const NamedEntity& knob : config.entities)
    facts.push_back({tr("Knob"),
                     QStringLiteral("%1 = %2").arg(qs(knob.knob), qs(text(knob.entity))),
                     tr("A choice that the template leaves open, and what was chosen."),
                     {},
                     true});
}

/// What a log says of a program that was imported from it.
void addLog(Facts& facts, const Record& record) {
  facts.push_back({tr("Made by"),
                   tr("another program, whose log was imported"),
                   tr("No search of this file proposed it."),
                   {}});
  for (const LogFact& fact : importedFacts(record))
    facts.push_back({tr("Log: %1").arg(qs(fact.name).replace(QLatin1Char('_'), QLatin1Char(' '))),
                     qs(fact.value),
                     tr("As the log says it, beside the program and its times."),
                     {}});
}

void addPrediction(Facts& facts, const Trace& trace) {
  if (trace.predictedScore)
    facts.push_back({tr("Predicted score"),
                     trace.predictedDeviation
                         ? QStringLiteral("%1 ± %2").arg(figureText(*trace.predictedScore),
                                                         figureText(*trace.predictedDeviation))
                         : figureText(*trace.predictedScore),
                     tr("What the cost model thought of it before it was measured: higher is "
                        "better, comparable within the task only."),
                     {}});
  if (!trace.ranking.empty())
    facts.push_back({tr("Predicted by"),
                     qs(trace.ranking),
                     tr("Which parts of the cost model that score is from: the trained one that "
                        "the session began with (base), and what the session taught."),
                     {}});
}

void addSearch(Facts& facts, const Trace& trace) {
  facts.push_back({tr("Made by"),
                   qs(name(trace.origin)),
                   tr("The operation of the search that made this program from its parents."),
                   {}});
  if (!trace.reason.empty())
    facts.push_back({tr("Why"), qs(trace.reason), tr("Why it was given to the search first."), {}});
  if (!trace.decision.empty())
    facts.push_back({tr("Changed"),
                     qs(trace.decision),
                     tr("The one decision in which it differs from the program that was polished."),
                     {}});
  for (const std::string& parent : trace.parents)
    facts.push_back({tr("Parent"), tr("program %1 …").arg(shortName(parent)),
                     tr("The program that it was made from."), parent});
  if (trace.selection != PickReason::None)
    facts.push_back({tr("Chosen as"),
                     qs(name(trace.selection)),
                     tr("Why the search measured it and not another one."),
                     {}});
  if (trace.round > 0)
    facts.push_back({tr("Round"),
                     countText(trace.round),
                     tr("The round of the session that measured it."),
                     {}});
  addPrediction(facts, trace);
  if (trace.config) return addConfig(facts, *trace.config);
  facts.push_back({tr("Sketch"),
                   trace.sketch >= 0 ? countText(trace.sketch + 1) : tr("of none"),
                   tr("Number of the sketch (program structure) that was filled in."),
                   {}});
  facts.push_back({tr("Draw"),
                   QString::number(trace.draw),
                   tr("Number of the random draw; with the session's seed it gives the same "
                      "program again."),
                   {}});
}

} // namespace

std::vector<TraceFact> traceFacts(const Record& record) {
  Facts facts;
  if (record.trace.empty()) return facts;
  try {
    if (record.imported)
      addLog(facts, record);
    else if (const std::optional<Trace> trace = traceOf(record))
      addSearch(facts, *trace);
  } catch (const std::exception&) { // damaged: it is shown as it is
    facts = {{tr("Trace"), qs(record.trace), tr("How the program came to be, as stored."), {}}};
  }
  return facts;
}

} // namespace nestwright::ui
