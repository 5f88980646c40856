#include "core/record/query/rank_builder.h"

#include "core/record/format/result_codec.h"
#include "core/support/error.h"

#include <algorithm>
#include <bit>

namespace nestwright {

using sqlite::Statement;

namespace {

/// Rows that are read between two words about progress.
constexpr std::int64_t kRowsTold = 1 << 16;
/// Up to so many records, or this part of the file, each is looked up; more come faster in the
/// order of an index, with the others in between.
constexpr std::int64_t kFewToLookUp = 10'000;
constexpr std::int64_t kPartToLookUp = 16;

/// A key of four bytes and an id less the first, as one number that sorts.
std::uint64_t packed(std::uint32_t key, std::uint32_t id) {
  return std::uint64_t(key) << 32 | id;
}
/// A number that sorts as the key does.
std::uint32_t sortable(float key) {
  const auto bits = std::bit_cast<std::uint32_t>(key + 0.0F); // one zero
  return (bits >> 31) != 0 ? ~bits : bits | 0x8000'0000U;
}

std::vector<std::uint32_t> idsOf(std::vector<std::uint64_t> sorted, bool newestFirst) {
  std::vector<std::uint32_t> ids(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(sorted[i]);
    ids[i] = newestFirst ? ~id : id;
  }
  return ids;
}

} // namespace

bool RankBuilder::isSmall(const IdSet& set) const {
  return set.size() <= std::max(kFewToLookUp, all_ / kPartToLookUp);
}

RecordRanks RankBuilder::build(std::int64_t sortedAtOnce) {
  IdSet set = members();
  if (order_.isByAge()) return {std::move(set), order_.isNewestFirst()};
  if (isSmall(set)) return gathered(std::move(set));
  if (order_.isByGroup()) return byGroup(std::move(set));
  if (order_.isByTrial()) return byTrial(std::move(set));
  if (!order_.isBySpeed()) return scanned(std::move(set));
  // Forgotten times are in no index; asked for with others, they take the long way.
  const bool forgotten = std::any_of(groups_.begin(), groups_.end(), [](const RecordCell& group) {
    return group.verdict == kForgottenCode;
  });
  return forgotten ? gathered(std::move(set)) : bySpeed(std::move(set), sortedAtOnce);
}

RankBuilder::Places RankBuilder::placesOf(const IdSet& set) {
  Places places;
  places.reserve(std::size_t(set.size()));
  Statement row = db_.prepare(fmt::format("SELECT {} FROM record WHERE id = ?", kPlaceColumns));
  for (RowId id = set.next(first_); id <= last_; id = set.next(id + 1)) {
    if (row.bind(id).step()) places.push_back(order_.placeOf(row));
    row.reset();
    if (std::int64_t(places.size()) % kRowsTold == 0)
      told(double(places.size()) / double(set.size()));
  }
  return places;
}

RecordRanks RankBuilder::gathered(IdSet set) {
  Places places = placesOf(set);
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> list;
  list.reserve(places.size());
  for (const RecordPlace& place : places)
    list.push_back(std::uint32_t(place.record() - first_));
  return {std::move(set), std::move(list), false, IdSet(first_, last_)};
}

/// Times that part the good records into stretches of about so many, the first and the last of all
/// included.
std::vector<double> RankBuilder::stretchesOfTimes(std::int64_t sortedAtOnce) {
  std::int64_t good = 0;
  for (const RecordCell& group : groups_)
    good += group.verdict == 0 ? group.records : 0;
  std::vector<double> bounds = {sql_.above};
  const std::int64_t stretches = (good - 1) / sortedAtOnce + 1;
  if (stretches > 1) {
    std::vector<double> sample;
    Statement row = db_.prepare("SELECT seconds FROM record WHERE id >= ? AND verdict = 0 LIMIT 1");
    const std::int64_t step = std::max<std::int64_t>(1, (last_ - first_) / (64 * stretches));
    for (RowId id = first_; id <= last_; id += step, row.reset())
      if (row.bind(id).step()) sample.push_back(row.real(0));
    std::sort(sample.begin(), sample.end());
    for (std::int64_t i = 1; i < stretches && !sample.empty(); ++i) {
      const double bound = sample[std::size_t(i) * sample.size() / std::size_t(stretches)];
      if (bound > bounds.back() && bound < sql_.below) bounds.push_back(bound);
    }
  }
  bounds.push_back(sql_.below);
  return bounds;
}

/// Records with a time, sorted a stretch of times after the other, errors after them by age.
RecordRanks RankBuilder::bySpeed(IdSet set, std::int64_t sortedAtOnce) {
  std::vector<std::uint32_t> list;
  list.reserve(std::size_t(set.size()));
  IdSet rest = set, listed(first_, last_);
  std::vector<std::pair<double, std::uint32_t>> stretch;
  const std::vector<double> bounds = stretchesOfTimes(sortedAtOnce);
  std::int64_t seen = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const bool isLast = i + 2 == bounds.size();
    Statement rows = db_.prepare(
        fmt::format("SELECT seconds, id FROM record INDEXED BY record_by_speed WHERE task = ? AND "
                    "session = ? AND verdict = 0 AND seconds >= ? AND seconds {} ?",
                    isLast ? "<=" : "<"));
    for (const RecordCell& group : groups_) {
      if (group.verdict != 0) continue;
      rows.reset();
      rows.bind(group.task, group.session, bounds[i], bounds[i + 1]);
      while (rows.step()) {
        if (++seen % kRowsTold == 0) told(double(seen) / double(all_));
        if (const RowId id = rows.integer(1); set.contains(id))
          stretch.emplace_back(rows.real(0), std::uint32_t(id - first_));
      }
    }
    std::sort(stretch.begin(), stretch.end());
    for (const auto& [seconds, number] : stretch) {
      list.push_back(number);
      listed.add(first_ + number);
    }
    stretch.clear();
  }
  rest.remove(listed);
  return {std::move(set), std::move(list), order_.isDown(), std::move(rest)};
}

/// One key after the other, each of some groups.
RecordRanks RankBuilder::byGroup(IdSet set) {
  std::map<double, std::vector<const RecordCell*>> keys;
  for (const RecordCell& group : groups_)
    keys[order_.keyOf(group)].push_back(&group);
  std::vector<std::uint32_t> list;
  list.reserve(std::size_t(set.size()));
  for (const auto& [key, groups] : keys) {
    const auto begin = std::ptrdiff_t(list.size());
    for (const RecordCell* group : groups) {
      Statement rows = db_.prepare(
          "SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? AND "
          "verdict = ? ORDER BY id DESC");
      rows.bind(group->task, group->session, group->verdict);
      while (rows.step())
        if (const RowId id = rows.integer(0); set.contains(id))
          list.push_back(std::uint32_t(id - first_));
    }
    if (groups.size() > 1) std::sort(list.begin() + begin, list.end(), std::greater<>());
    told(double(list.size()) / double(set.size()));
  }
  return {std::move(set), std::move(list), false, IdSet(first_, last_)};
}

RecordRanks RankBuilder::byTrial(IdSet set) {
  std::vector<RowId> sessions;
  for (const RecordCell& group : groups_)
    sessions.push_back(group.session);
  std::sort(sessions.begin(), sessions.end());
  sessions.erase(std::unique(sessions.begin(), sessions.end()), sessions.end());
  std::vector<std::uint32_t> list;
  list.reserve(std::size_t(set.size()));
  std::vector<std::uint64_t> mixed; // trials of several sessions
  std::int64_t seen = 0;
  for (const RowId session : sessions) {
    Statement rows = db_.prepare("SELECT trial, id FROM record INDEXED BY record_by_trial WHERE "
                                 "session = ? ORDER BY trial");
    rows.bind(session);
    while (rows.step()) {
      const RowId id = rows.integer(1);
      if (++seen % kRowsTold == 0) told(double(seen) / double(all_));
      if (!set.contains(id)) continue;
      if (sessions.size() == 1)
        list.push_back(std::uint32_t(id - first_));
      else
        mixed.push_back(packed(std::uint32_t(rows.integer(0)), std::uint32_t(id - first_)));
    }
  }
  if (sessions.size() > 1) {
    std::sort(mixed.begin(), mixed.end());
    list = idsOf(std::move(mixed), false);
  }
  return {std::move(set), std::move(list), order_.isDown(), IdSet(first_, last_)};
}

/// No index has the order: all rows are read.
RecordRanks RankBuilder::scanned(IdSet set) {
  std::vector<std::uint64_t> keyed;
  keyed.reserve(std::size_t(set.size()));
  Statement rows =
      db_.prepare(fmt::format("SELECT {} FROM record WHERE id >= ? AND id < ?", kPlaceColumns));
  for (RowId from = set.next(first_); from <= last_; from = set.next(from + kRowsTold)) {
    rows.bind(from, from + kRowsTold);
    while (rows.step()) {
      const RowId id = rows.integer(4);
      if (!set.contains(id)) continue;
      const RecordPlace place = order_.placeOf(rows);
      const auto number = std::uint32_t(id - first_);
      keyed.push_back(packed(sortable(float(place.key)), place.rank < 0 ? ~number : number));
    }
    rows.reset();
    told(double(from - first_) / double(last_ - first_ + 1));
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::uint32_t> list = idsOf(std::move(keyed), order_.isNewestFirst());
  return {std::move(set), std::move(list), false, IdSet(first_, last_)};
}

} // namespace nestwright
