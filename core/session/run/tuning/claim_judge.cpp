#include "core/session/run/tuning/claim_judge.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/session/run/best_claim.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/tuning/session_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nestwright {

namespace {

/// What the session told of its claims so far.
std::set<RowId> settledClaims(const RecordStore& store, RowId session) {
  std::set<RowId> settled;
  for (const RowId id : store.events().ids(session, kind(ClaimSettled{})))
    if (const std::optional<EventRow> row = store.events().one(id))
      if (const std::optional<Event> event = eventOf(*row))
        settled.insert(std::get<ClaimSettled>(*event).record);
  return settled;
}

} // namespace

ClaimJudge::ClaimJudge(RunLog& log, TaskBook& tasks, RunMeasurer& measurer,
                       const RunSettings& settings)
    : log_(log), tasks_(tasks), measurer_(measurer), settings_(settings),
      closed_(settledClaims(log.store(), log.session())) {}

double ClaimJudge::boundOf(const TunedTask& task) const {
  const double now = log_.state().open->bestNow;
  return now > 0 ? std::min(now, task.bestSeconds) : task.bestSeconds;
}

std::optional<Record> ClaimJudge::boldest(const TunedTask& task, std::int64_t fromTrial) const {
  static constexpr int kLookedAt = 64; // some of them are settled
  RecordQuery query;
  query.task = task.row.id, query.session = log_.session();
  query.filter = parseRecordFilter(fmt::format("is:contested trial>={}", fromTrial));
  query.belowSeconds = boundOf(task);
  query.order = RecordQuery::Order::Fastest;
  query.limit = kLookedAt;
  std::vector<Record> claims = log_.store().records().page(query);
  std::erase_if(claims, [&](const Record& claim) { return closed_.contains(claim.id); });
  if (claims.empty()) return std::nullopt;
  // Another time of the best program is nothing that it could be compared with.
  const std::optional<Record> best = tasks_.bestOf(task);
  for (Record& claim : claims)
    if (!best || claim.program != best->program) return std::move(claim);
  return std::nullopt;
}

bool ClaimJudge::settle(TunedTask& task, const Record& claim, const std::atomic<bool>& interrupt,
                        RoundWork& work) {
  OpenClaim& open = log_.state().open->claim;
  if (open.record != claim.id) open = {claim.id, {}, {}};
  return settle(open, task, claim, interrupt, work);
}

bool ClaimJudge::settleBoldest(TunedTask& task, const std::atomic<bool>& interrupt,
                               RoundWork& work) {
  return settleClaims(task, 1, 1, interrupt, work);
}

bool ClaimJudge::settleAll(TunedTask& task, const std::atomic<bool>& interrupt, RoundWork& work) {
  return settleClaims(task, log_.state().open->firstTrial, std::numeric_limits<int>::max(),
                      interrupt, work);
}

bool ClaimJudge::settleClaims(TunedTask& task, std::int64_t fromTrial, int most,
                              const std::atomic<bool>& interrupt, RoundWork& work) {
  if (!boldest(task, fromTrial)) return true;
  if (!lookAtBest(task, interrupt, work)) return false;
  for (int settled = 0; settled < most; ++settled) {
    const std::optional<Record> claim = boldest(task, fromTrial);
    if (!claim) return true;
    if (!settle(task, *claim, interrupt, work)) return false;
  }
  return true;
}

bool ClaimJudge::lookAtBest(const TunedTask& task, const std::atomic<bool>& interrupt,
                            RoundWork& work) {
  if (log_.state().open->bestNow > 0) return true; // before an interruption
  double seconds = task.bestSeconds;               // where nothing better comes of it
  if (const std::optional<Record> best = tasks_.bestOf(task)) {
    MeasureRequest request = timeRequest(programText(task.row, task.dag, *best));
    request.repeats = settings_.config.measure.repeats;
    const MeasureResult result = measured({std::move(request)}, interrupt, work).front();
    if (result.verdict == Verdict::Cancelled) return false;
    // Of programs that are equal half would be below the middle one of its repeats.
    if (result.verdict == Verdict::Ok) seconds = std::ranges::min(result.seconds);
  }
  log_.state().open->bestNow = seconds;
  log_.save();
  return true;
}

std::vector<MeasureResult> ClaimJudge::measured(std::vector<MeasureRequest> requests,
                                                const std::atomic<bool>& interrupt,
                                                RoundWork& work) {
  std::vector<MeasureResult> results = measurer_.measureAll(std::move(requests), interrupt);
  work.compile += measurer_.buildPhaseSeconds();
  for (const MeasureResult& result : results) {
    work.add(result);
    log_.count(result);
  }
  return results;
}

bool ClaimJudge::settleDemanded(const std::atomic<bool>& interrupt) {
  OpenClaim& open = log_.state().demandClaim;
  const std::optional<Record> claim = log_.store().records().one(open.record);
  if (!claim || !claim->contested || claim->forgotten) {
    open = {};
    return true;
  }
  TunedTask& task = tasks_.of(claim->task);
  RoundWork work; // no part of a round
  if (claim->result.latency() < task.bestSeconds)
    return settle(open, task, *claim, interrupt, work);
  open = {}; // another became faster meanwhile
  return true;
}

bool ClaimJudge::settle(OpenClaim& open, TunedTask& task, const Record& claim,
                        const std::atomic<bool>& interrupt, RoundWork& work) {
  const std::optional<Record> best = tasks_.bestOf(task);
  if (!best || best->program == claim.program) {
    open = {}; // nothing that it could be compared with
    closed_.insert(claim.id);
    return true;
  }
  const std::optional<bool> faster = isFasterInTurns(open, task, claim, *best, interrupt, work);
  if (!faster) return false;
  close(open, task, claim, *faster);
  return true;
}

std::optional<bool> ClaimJudge::isFasterInTurns(OpenClaim& open, const TunedTask& task,
                                                const Record& claim, const Record& rival,
                                                const std::atomic<bool>& interrupt,
                                                RoundWork& work) {
  // What was measured of it before an interruption counts.
  ClaimVerdict verdict = ClaimVerdict::Open;
  for (const ClaimStage& stage : kClaimStages) {
    const int wanted = stage.pairs;
    if (!measurePairs(open, task, claim, rival, wanted, interrupt, work)) return std::nullopt;
    // A program that no longer runs well cannot be the faster one. An interruption may have left
    // more pairs than this judgement is about; it must fall out as it did then.
    verdict = static_cast<int>(open.pairs.best.size()) < wanted
                  ? ClaimVerdict::Rejected
                  : judgeClaim(firstPairs(open.pairs, static_cast<std::size_t>(wanted)));
    if (verdict != ClaimVerdict::Open) break;
  }
  return verdict == ClaimVerdict::Confirmed;
}

bool ClaimJudge::findSuccessor(const TunedTask& task, const Record& incumbent,
                               const std::atomic<bool>& interrupt, RoundWork& work) {
  OpenRound& round = *log_.state().open;
  std::vector<Record> ofRound =
      recordsOfRound(log_.store(), log_.session(), round, log_.counts().trials);
  const std::optional<Record> best = tasks_.bestOf(task);
  if (best && (best->id == incumbent.id ||
               std::ranges::find(ofRound, best->id, &Record::id) != ofRound.end()))
    return true; // whoever is faster than the best is a claim
  std::erase_if(ofRound, [&](const Record& record) {
    return record.result.verdict != Verdict::Ok || record.implausible ||
           record.result.latency() >= incumbent.result.latency() ||
           std::ranges::find(round.noFaster, record.id) != round.noFaster.end();
  });
  std::ranges::stable_sort(ofRound, {},
                           [](const Record& record) { return record.result.latency(); });
  for (const Record& record : ofRound) {
    if (round.successor != 0) break; // before an interruption
    std::optional<bool> faster = !settings_.config.confirmBest ||
                                 isClearlyFaster(record.result.seconds, incumbent.result.latency());
    if (!*faster) {
      if (round.claim.record != record.id) round.claim = {record.id, {}, {}};
      faster = isFasterInTurns(round.claim, task, record, incumbent, interrupt, work);
      if (!faster) return false;
      round.claim = {};
    }
    if (*faster)
      round.successor = record.id;
    else
      round.noFaster.push_back(record.id);
    log_.save();
  }
  return true;
}

bool ClaimJudge::measurePairs(OpenClaim& open, const TunedTask& task, const Record& claim,
                              const Record& rival, int wanted, const std::atomic<bool>& interrupt,
                              RoundWork& work) {
  std::vector<MeasureRequest> requests;
  for (int pair = static_cast<int>(open.pairs.best.size()); pair < wanted; ++pair)
    for (const Record* record : {&claim, &rival}) {
      const ProgramText program = programText(task.row, task.dag, *record);
      requests.push_back(timeRequest(program));
    }
  if (requests.empty()) return true;
  const std::vector<MeasureResult> results = measured(std::move(requests), interrupt, work);
  bool cancelled = false;
  for (std::size_t i = 0; i < results.size() && !cancelled; i += 2) {
    const MeasureResult &claimant = results[i], &former = results[i + 1];
    cancelled = claimant.verdict == Verdict::Cancelled || former.verdict == Verdict::Cancelled;
    if (claimant.verdict != Verdict::Ok || former.verdict != Verdict::Ok) break;
    open.pairs.claimant.push_back(claimant.latency());
    open.pairs.best.push_back(former.latency());
    open.repeats.insert(open.repeats.end(), claimant.seconds.begin(), claimant.seconds.end());
  }
  log_.save();
  return !cancelled;
}

void ClaimJudge::close(OpenClaim& of, TunedTask& task, const Record& claim, bool confirmed) {
  const OpenClaim open = std::exchange(of, {});
  closed_.insert(claim.id);
  Record settled = claim;
  settled.result.seconds.insert(settled.result.seconds.end(), open.repeats.begin(),
                                open.repeats.end());
  // Of the pairs alone where its first time is an evaluator's: the former best was timed beside it
  // by repeats, too.
  const double seconds = settled.result.latency(), previous = task.bestSeconds;
  confirmed = confirmed && seconds < previous;
  if (confirmed) task.bestSeconds = seconds;
  tasks_.noteTime(task, claim.id, seconds);
  std::vector<Event> events{ClaimSettled{task.row.id, claim.id, claim.trial,
                                         static_cast<int>(open.pairs.best.size()), confirmed,
                                         claim.result.latency(), seconds, previous}};
  const NewBest newBest{
      task.row.id,           claim.id,         claim.trial, seconds, previous,
      tasks_.totalSeconds(), claim.wallSeconds}; // as its trial, and as the file has it
  log_.storeAndTell([&] {
    log_.save();
    log_.store().records().addRepeats(claim.id, open.repeats, confirmed);
    if (confirmed && tasks_.isFilesBest(task.row.id, claim.id)) events.emplace_back(newBest);
    return events;
  });
}

} // namespace nestwright
