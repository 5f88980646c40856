#include "core/story/decisions/polish_star.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace nestwright {

namespace {

/// Programs with neighbours, in the order of the first of these.
std::vector<StarCentre> centresOf(const std::vector<DecisionImportance>& decisions) {
  std::map<std::string, std::pair<RowId, std::size_t>> known; // first neighbour, and how many
  for (const DecisionImportance& decision : decisions)
    for (const PolishedNeighbour& neighbour : decision.neighbours) {
      auto& [first, count] = known.try_emplace(neighbour.parent, neighbour.record, 0).first->second;
      first = std::min(first, neighbour.record);
      ++count;
    }
  std::vector<std::pair<RowId, StarCentre>> ordered;
  for (const auto& [program, of] : known)
    ordered.push_back({of.first, {program, 0, 0, 0, of.second}});
  std::ranges::sort(ordered, {}, [](const auto& one) { return one.first; });
  std::vector<StarCentre> centres;
  for (auto& [first, centre] : ordered)
    centres.push_back(std::move(centre));
  return centres;
}

/// The fastest measurement of the program.
void findRecord(const RecordStore& store, RowId task, StarCentre& centre) {
  RecordQuery query;
  query.task = task;
  query.verdict = Verdict::Ok;
  query.filter = parseRecordFilter("program:" + centre.program);
  query.order = RecordQuery::Order::Fastest;
  query.limit = 1;
  for (const Record& record : store.records().page(query)) {
    centre.record = record.id;
    centre.trial = record.trial;
    centre.seconds = record.result.latency();
  }
}

} // namespace

double StarNeighbour::factor() const {
  return failed() ? kInfinity : std::exp(std::abs(std::log1p(gain)));
}

double StarRay::reach() const {
  double reach = 1;
  for (const StarNeighbour& neighbour : neighbours)
    if (!neighbour.failed()) reach = std::max(reach, neighbour.factor());
  return reach;
}

double PolishStar::reach() const {
  double reach = 1;
  for (const StarRay& ray : rays)
    reach = std::max(reach, ray.reach());
  return reach;
}

PolishStar polishStar(const std::vector<DecisionImportance>& decisions, const std::string& around) {
  PolishStar star;
  star.centres = centresOf(decisions);
  const auto isCentre = [&](const std::string& program) {
    return std::ranges::find(star.centres, program, &StarCentre::program);
  };
  star.centre = static_cast<std::size_t>(isCentre(around) - star.centres.begin());
  for (DecisionImportance decision : decisions) {
    if (!star.isOfAll())
      std::erase_if(decision.neighbours,
                    [&](const PolishedNeighbour& neighbour) { return neighbour.parent != around; });
    if (decision.neighbours.empty()) continue;
    weigh(decision);
    StarRay ray{decision.decision, decision.importance, decision.bestGain, {}};
    for (const PolishedNeighbour& neighbour : decision.neighbours)
      ray.neighbours.push_back({neighbour.record, neighbour.change, neighbour.gain,
                                isCentre(neighbour.program) != star.centres.end()});
    std::ranges::stable_sort(ray.neighbours, {}, &StarNeighbour::factor);
    star.rays.push_back(std::move(ray));
  }
  std::ranges::stable_sort(star.rays, std::ranges::greater(), rankOfDecision);
  return star;
}

PolishStar polishStar(const RecordStore& store, RowId task, const std::string& around) {
  PolishStar star = polishStar(decisionImportance(store, task), around);
  for (StarCentre& centre : star.centres)
    findRecord(store, task, centre);
  return star;
}

} // namespace nestwright
