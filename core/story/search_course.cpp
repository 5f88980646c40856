#include "core/story/search_course.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "core/support/overloaded.h"

#include <algorithm>
#include <cmath>

namespace nestwright {
namespace {

bool isAtRandom(const SelectedCandidate& candidate) {
  return candidate.selection == PickReason::Random ||
         candidate.selection == PickReason::EpsilonGreedy;
}

bool isBehind(const RoundStory& present, SearchPhase phase) {
  const PhaseStory::State state = present.of(phase).state;
  return present.ended ||
         (state != PhaseStory::State::Waiting && state != PhaseStory::State::Active);
}

} // namespace

double CourseRound::randomShare() const {
  return programs && *programs > 0 ? static_cast<double>(atRandom) / *programs : std::nan("");
}

CourseRound& SearchCourse::at(int round, RowId task) {
  const auto place = std::ranges::lower_bound(rounds_, round, {}, &CourseRound::round);
  if (place != rounds_.end() && place->round == round) return *place;
  CourseRound fresh;
  fresh.round = round;
  fresh.task = task;
  return *rounds_.insert(place, fresh);
}

bool SearchCourse::apply(const Event& event) {
  return std::visit(Overloaded{[&](const ConfigsPlanned& e) {
                                 at(e.round, e.task).plan = e.plan;
                                 return true;
                               },
                               [&](const CandidatesSelected& e) {
                                 CourseRound& round = at(e.round, e.task);
                                 round.programs = static_cast<int>(e.candidates.size());
                                 round.atRandom = static_cast<int>(
                                     std::ranges::count_if(e.candidates, isAtRandom));
                                 return true;
                               },
                               [&](const ModelUpdated& e) {
                                 // The model of all tasks names none; its round was begun by what
                                 // it picked.
                                 CourseRound& round = at(e.round, e.task);
                                 if (e.averageRecall > 0) round.recall = e.averageRecall;
                                 round.learned = e.programs;
                                 return true;
                               },
                               [](const auto&) { return false; }},
                    event);
}

std::vector<CourseRound> SearchCourse::of(RowId task) const {
  std::vector<CourseRound> chosen;
  for (const CourseRound& round : rounds_)
    if (task == 0 || round.task == task) chosen.push_back(round);
  return chosen;
}

SearchCourse SearchCourse::until(const RoundStory& present) const {
  SearchCourse past;
  for (const CourseRound& round : rounds_) {
    if (round.round > present.round) break;
    past.rounds_.push_back(round);
  }
  if (past.rounds_.empty() || past.rounds_.back().round < present.round) return past;
  CourseRound& last = past.rounds_.back();
  if (!isBehind(present, SearchPhase::Evolution)) last.plan.reset();
  if (!isBehind(present, SearchPhase::Selection)) last.programs.reset();
  if (!isBehind(present, SearchPhase::Training)) {
    last.recall.reset();
    last.learned = 0;
  }
  if (!last.plan && !last.programs && last.learned == 0) past.rounds_.pop_back();
  return past;
}

std::vector<CourseRound> plansOf(const SearchCourse& course, RowId task) {
  std::vector<CourseRound> rounds = course.of(task);
  std::erase_if(rounds, [](const CourseRound& round) { return !round.plan; });
  return rounds;
}

SearchCourse readCourse(const RecordStore& store, RowId session) {
  SearchCourse course;
  for (const char* told : {kind(Event(CandidatesSelected())), kind(Event(ConfigsPlanned())),
                           kind(Event(ModelUpdated()))})
    for (const RowId id : store.events().ids(session, told))
      if (const std::optional<EventRow> row = store.events().one(id))
        if (const std::optional<Event> event = eventOf(*row)) course.apply(*event);
  return course;
}

} // namespace nestwright
