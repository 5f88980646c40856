#include "core/session/run/again/reproducer.h"

#include "core/measure/worker_target.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/record_task.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/schedule/bounds.h"
#include "core/support/error.h"
#include "core/support/version.h"
#include "core/target/target_text.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace nestwright {

namespace {

using nlohmann::json;

constexpr std::array kDecidingOptions{
    "threads",
    "warmups",
    "repeats",
    "min_repeat_seconds",
    "max_total_seconds",
    "flush_cache",
    "build_timeout_seconds",
    "run_timeout_seconds",
    "reference_timeout_seconds",
    "memory_limit_bytes",
    "input_seed",
    "relative_tolerance",
    "absolute_tolerance",
};

json pickDeciding(const json& all) {
  json deciding = json::object();
  for (const char* option : kDecidingOptions)
    if (all.contains(option)) deciding[option] = all.at(option);
  return deciding;
}

/// What is recorded of where a task was tuned.
struct RecordedTarget {
  std::string text, machine; // name of its processor
  int cores = 0;             // 0: not told
};

RecordedTarget recordedTarget(const RecordStore& store, RowId target) {
  RecordedTarget recorded;
  for (const TargetRow& row : store.targets().all()) {
    if (row.id != target) continue;
    recorded.text = row.text;
    const json facts = json::parse(row.facts, nullptr, false);
    if (!facts.is_object()) return recorded;
    if (facts.contains("model") && facts.at("model").is_string())
      recorded.machine = facts.at("model");
    if (facts.contains("cores") && facts.at("cores").is_number_integer())
      recorded.cores = std::max(0, facts.at("cores").get<int>());
  }
  return recorded;
}

bool canBeReplayed(const ComputeDag& dag, const Steps& steps) {
  try {
    const State state = State::replay(dag, steps);
    if (!state.isConcrete()) return false;
    withBounds(state);
    return true;
  } catch (const IllegalSchedule&) {
    return false;
  }
}

Steps without(const Steps& steps, std::size_t first, std::size_t count) {
  Steps rest(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(first));
  rest.insert(rest.end(), steps.begin() + static_cast<std::ptrdiff_t>(first + count), steps.end());
  return rest;
}

/// Leaves out ever smaller pieces, from the end: what comes last has the fewest steps after it that
/// need it.
class Shortening {
 public:
  Shortening(const Reproducer& whole, const MeasureOne& measure, const std::function<bool()>& goOn)
      : dag_(parseDag(whole.dag)), measure_(measure), goOn_(goOn) {
    short_.reproducer = whole;
  }

  ShortReproducer run() {
    for (std::size_t piece = std::max<std::size_t>(1, steps().size() / 2); piece > 1; piece /= 2)
      leaveOut(piece);
    // A step may be needed by one that goes later.
    while (leaveOut(1) && !stopped_)
      ;
    short_.minimal = !stopped_;
    return std::move(short_);
  }

 private:
  const Steps& steps() const { return short_.reproducer.steps; }

  /// True when any piece of this size could be left out.
  bool leaveOut(std::size_t piece) {
    bool any = false;
    for (std::size_t end = steps().size(); end >= piece;) {
      end = std::min(end, steps().size());
      if (end < piece) break;
      if (stopped_ || (stopped_ = !goOn_())) break;
      any |= stays(without(steps(), end - piece, piece));
      end -= piece;
    }
    return any;
  }

  bool stays(Steps steps) {
    Reproducer& known = short_.reproducer;
    if (known.verdict != Verdict::Illegal && !canBeReplayed(dag_, steps)) return false;
    Reproducer shorter = known;
    shorter.steps = std::move(steps);
    if (known.failingStep >= 0) { // it must stay, and break the program where it is now
      const Step& broken = known.steps[static_cast<std::size_t>(known.failingStep)];
      const auto at = std::ranges::find(shorter.steps, broken);
      if (at == shorter.steps.end()) return false;
      shorter.failingStep = static_cast<int>(at - shorter.steps.begin());
    }
    ++short_.attempts;
    if (!showsTheSame(shorter, measure_(shorter.options, requestOf(shorter)))) return false;
    known = std::move(shorter);
    return true;
  }

  ComputeDag dag_;
  const MeasureOne& measure_;
  const std::function<bool()>& goOn_;
  ShortReproducer short_;
  bool stopped_ = false;
};

} // namespace

MeasureOptions recordedOptions(const RecordStore& store, RowId session, RowId target) {
  const std::optional<SessionRow> row = store.sessions().one(session);
  const json config = row ? json::parse(row->config, nullptr, false) : json();
  const bool says = config.is_object() && config.contains("measure");
  MeasureOptions options = decidingOptionsFromJson(says ? config.at("measure") : json::object());
  if (options.threads == 0) options.threads = recordedTarget(store, target).cores;
  return options;
}

json decidingOptions(const MeasureOptions& options) {
  return pickDeciding(toJson(options));
}

MeasureOptions decidingOptionsFromJson(const json& json) {
  return measureOptionsFromJson(pickDeciding(json));
}

Reproducer reproducerOf(const RecordStore& store, RowId id) {
  const Record record = requiredRecord(store, id);
  const MeasureResult& result = record.result;
  if (result.verdict == Verdict::Ok || saysNothing(result.verdict))
    throw InputError(
        fmt::format("record {} is {}: there is no failure to reproduce", id, name(result.verdict)));
  const TaskRow task = taskOf(store, record);
  requireDefinition(task);
  Reproducer reproducer;
  reproducer.task = task.name;
  reproducer.dag = task.dag;
  reproducer.steps = record.steps;
  if (isOfTemplate(record)) { // it is the program of a variant of the task
    RecordProgram program = recordProgram(parseDag(task.dag), record);
    reproducer.dag = print(program.dag);
    reproducer.steps = std::move(program.steps);
  }
  reproducer.recordedSteps = reproducer.steps.size();
  reproducer.verdict = result.verdict;
  reproducer.reason = result.error;
  if (result.failingStep < static_cast<int>(reproducer.steps.size()))
    reproducer.failingStep = result.failingStep;
  reproducer.options = recordedOptions(store, record.session, task.target);
  const RecordedTarget target = recordedTarget(store, task.target);
  reproducer.target = target.text;
  reproducer.machine = target.machine;
  reproducer.product = versionText();
  return reproducer;
}

MeasureRequest requestOf(const Reproducer& reproducer) {
  MeasureRequest request;
  request.dag = reproducer.dag;
  request.steps = reproducer.steps;
  request.check = true;
  return request;
}

bool showsTheSame(const Reproducer& reproducer, const MeasureResult& result) {
  return result.verdict == reproducer.verdict && result.failingStep == reproducer.failingStep;
}

MeasureOne measureInWorkers(WorkerLaunch launch, const std::string& target,
                            const std::atomic<bool>* stop) {
  const TargetFacts recorded = targetFromText(target, {});
  const bool onGpu = recorded.gpu && recorded.backend == "cuda";
  auto here = std::make_shared<std::optional<TargetFacts>>(); // asked for once
  return [launch = std::move(launch), onGpu, recorded, here, stop](MeasureOptions options,
                                                                   const MeasureRequest& request) {
    options.builders = 1;
    if (!*here)
      *here = compiledAs(recorded, onGpu ? measuredTarget("cuda", options, launch) : TargetFacts());
    Measurer measurer(options, launch, **here);
    MeasureResult result;
    measurer.measure(
        {request}, [&](const MeasureResult& measured) { result = measured; }, stop);
    return result;
  };
}

ShortReproducer shortened(const Reproducer& reproducer, const MeasureOne& measure,
                          const std::function<bool()>& goOn) {
  const MeasureResult whole = measure(reproducer.options, requestOf(reproducer));
  if (!showsTheSame(reproducer, whole))
    throw InputError(fmt::format("the failure cannot be repeated here: the program ended as \"{}\" "
                                 "and now ends as \"{}\"{}",
                                 name(reproducer.verdict), name(whole.verdict),
                                 whole.verdict == reproducer.verdict ? " at another step" : ""));
  ShortReproducer result = Shortening(reproducer, measure, goOn).run();
  ++result.attempts;
  return result;
}

} // namespace nestwright
