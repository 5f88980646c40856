#include "app/cli/show/show_diff.h"

#include "app/cli/output.h"
#include "core/backend/linked_code.h"
#include "core/execute/latency_comparison.h"
#include "core/lower/lower.h"
#include "core/plugin/plugin.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/record_task.h"
#include "core/record/store/store.h"
#include "core/schedule/program_diff.h"
#include "core/story/footprints.h"
#include "core/support/error.h"
#include "core/support/text.h"
#include "core/support/units.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace nestwright::cli {

namespace {

struct Program {
  Record record;
  TaskRow task;
  TargetFacts target;
  State state;
};

Program read(const std::string& file, RowId id) {
  const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
  Record record = requiredRecord(store, id);
  TaskRow task = taskOf(store, record);
  State state = recordState(parseDag(task.dag), record);
  TargetFacts target = targetOrHost(store, task.id);
  return {std::move(record), std::move(task), std::move(target), std::move(state)};
}

/// One part of both programs, line by line.
struct Part {
  std::string title, what;
  std::vector<std::string> left, right;
  std::vector<DiffRow> rows;
};

Part stepPart(const Program& a, const Program& b) {
  const auto left = namedSteps(a.state.originalDag(), a.record.steps);
  const auto right = namedSteps(b.state.originalDag(), b.record.steps);
  Part part{"steps", "step", {}, {}, diffSteps(left, right)};
  for (const NamedStep& step : left)
    part.left.push_back(step.words);
  for (const NamedStep& step : right)
    part.right.push_back(step.words);
  return part;
}

Part loopPart(const Program& a, const Program& b) {
  const LoopTree left = loopTree(a.state), right = loopTree(b.state);
  Part part{"loops", "line", {}, {}, {}};
  for (const LoopDiffRow& row : diffLoopTrees(left, right))
    part.rows.push_back(row.row);
  const auto lines = [](const LoopTree& tree, std::vector<std::string>& out) {
    for (const LoopNode& node : tree.nodes)
      out.push_back(std::string(2 * static_cast<std::size_t>(node.depth), ' ') + node.line());
  };
  lines(left, part.left);
  lines(right, part.right);
  return part;
}

Part textPart(const std::string& title, const std::string& left, const std::string& right) {
  Part part{title, "line", splitLines(left), splitLines(right), {}};
  part.rows = diffLines(part.left, part.right);
  return part;
}

Part codePart(const std::string& title, CodeForm form, const TargetFacts& target,
              const LoopFunction& left, const LoopFunction& right) {
  const Backend& compiler = backend(target.backend);
  const CompileOptions compile = compileOptionsFor(target);
  Part part{title,
            "line",
            splitLines(compiler.text(left, form, compile)),
            splitLines(compiler.text(right, form, compile)),
            {}};
  const auto keys = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> result;
    for (const std::string& line : lines)
      result.push_back(codeKey(line, form));
    return result;
  };
  part.rows = diffLines(keys(part.left), keys(part.right));
  return part;
}

std::vector<Part> partsOf(const DiffOptions& options, const Program& a, const Program& b) {
  std::vector<Part> parts;
  const bool all =
      !(options.steps || options.loops || options.ir || options.source || options.assembly);
  if (options.steps || all) parts.push_back(stepPart(a, b));
  if (options.loops || all) parts.push_back(loopPart(a, b));
  if (!options.ir && !options.source && !options.assembly) return parts;
  if (a.target.backend != b.target.backend)
    throw InputError(fmt::format("the code of programs for {} and for {} has no lines in common",
                                 a.target.text(), b.target.text()));
  const LoopFunction left = lower(a.state, lowerOptionsFor(a.target));
  const LoopFunction right = lower(b.state, lowerOptionsFor(b.target));
  if (options.ir) parts.push_back(textPart("ir", print(left), print(right)));
  const Backend& compiler = backend(a.target.backend);
  if (options.source)
    parts.push_back(codePart("source", compiler.texts().front().form, a.target, left, right));
  if (options.assembly)
    parts.push_back(codePart("asm", nearestForm(compiler), a.target, left, right));
  return parts;
}

std::string headline(const char* letter, const Program& p) {
  const MeasureResult& result = p.record.result;
  const std::string cost = result.verdict != Verdict::Ok
                               ? name(result.verdict)
                               : fmt::format("{} ({})", formatSeconds(result.latency()),
                                             formatFlopRate(p.task.flops / result.latency()));
  return fmt::format("{}: record {}, trial {} of \"{}\": {}", letter, p.record.id, p.record.trial,
                     p.task.name, cost);
}

/// Lines as in a context-free diff: changed ones one below the other.
void printPart(const Part& part) {
  cli::print("\n{}: {}\n", part.title, diffSummary(part.rows, part.what));
  const auto left = [&](const DiffRow& row) {
    return part.left[static_cast<std::size_t>(row.left)];
  };
  const auto right = [&](const DiffRow& row) {
    return part.right[static_cast<std::size_t>(row.right)];
  };
  for (const DiffRow& row : part.rows)
    switch (row.mark) {
    case DiffMark::Same:
      cli::print("    {}\n", left(row));
      break;
    case DiffMark::OnlyLeft:
      cli::print("A   {}\n", left(row));
      break;
    case DiffMark::OnlyRight:
      cli::print("B   {}\n", right(row));
      break;
    case DiffMark::Changed:
      cli::print("A ~ {}\nB ~ {}\n", left(row), right(row));
      break;
    }
}

nlohmann::json toJson(const Part& part) {
  auto rows = nlohmann::json::array();
  for (const DiffRow& row : part.rows) {
    nlohmann::json entry{{"mark", name(row.mark)}};
    if (row.left >= 0) entry["a"] = part.left[static_cast<std::size_t>(row.left)];
    if (row.right >= 0) entry["b"] = part.right[static_cast<std::size_t>(row.right)];
    rows.push_back(std::move(entry));
  }
  return {{"summary", diffSummary(part.rows, part.what)}, {"rows", std::move(rows)}};
}

} // namespace

void showDiff(DiffOptions options) {
  if (options.otherDatabase.empty()) options.otherDatabase = options.database;
  const Program a = read(options.database, options.record);
  const Program b = read(options.otherDatabase, options.other);
  const bool sameTask = a.task.dag == b.task.dag;
  const LatencyComparison latency =
      compareLatencies({a.record.result.seconds}, {b.record.result.seconds});
  const std::vector<Part> parts = partsOf(options, a, b);
  if (options.json) {
    nlohmann::json document{
        {"a", {{"record", a.record.id}, {"task", a.task.key}, {"seconds", latency.left}}},
        {"b", {{"record", b.record.id}, {"task", b.task.key}, {"seconds", latency.right}}},
        {"same_task", sameTask},
        {"verdict", name(latency.verdict)},
        {"ratio", latency.ratio},
        {"interval", {latency.low, latency.high}}};
    for (const Part& part : parts)
      document[part.title] = toJson(part);
    printJson(document);
    return;
  }
  cli::print("{}\n{}\n", headline("A", a), headline("B", b));
  cli::print("{}\n", sameTask ? fmt::format("B is {}", inWords(latency))
                              : "these are programs of different tasks");
  for (const Part& part : parts)
    printPart(part);
}

} // namespace nestwright::cli
