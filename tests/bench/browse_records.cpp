#include "tests/bench/browse_records.h"

#include "core/record/query/record_browser.h"
#include "core/record/store/record_rows.h"
#include "core/session/run/session.h"
#include "core/session/run/tuning_state.h"
#include "tests/record/bulk_records.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

namespace nestwright::bench {

namespace {

using Order = BrowseOrder;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kRows = 50; // of a screen

double milliseconds(const std::function<void()>& body) {
  const Clock::time_point start = Clock::now();
  body();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Nothing of the file is in memory any more.
void forgetPages(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fdatasync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

double mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

double rounded(double value) {
  return std::round(value * 10) / 10;
}

/// Median and worst of pages at random ranks.
Json randomPages(RecordBrowser& store, const RecordRanks& ranks, Random& random) {
  std::vector<double> times;
  for (int i = 0; i < 25 && ranks.size() > 0; ++i) {
    const auto first = std::int64_t(random.below(std::uint64_t(ranks.size())));
    times.push_back(milliseconds([&] {
      std::vector<RowId> ids;
      for (std::int64_t rank = first; rank < std::min(ranks.size(), first + kRows); ++rank)
        ids.push_back(ranks.at(rank));
      store.records(ids);
    }));
  }
  if (times.empty()) return nullptr;
  std::sort(times.begin(), times.end());
  return {{"median", rounded(times[times.size() / 2])}, {"worst", rounded(times.back())}};
}

Json look(RecordBrowser& store, BrowseQuery query, Random& random) {
  query.limit = kRows;
  Json line;
  const bool made = query.order >= Order::ByThroughput;
  if (!made) line["first_page"] = rounded(milliseconds([&] { store.records(query); }));
  RecordRanks ranks;
  line["ranked"] = rounded(milliseconds([&] { ranks = store.ranks(query); }));
  line["records"] = ranks.size();
  line["page_at_rank"] = randomPages(store, ranks, random);
  if (made || ranks.size() == 0) return line;
  query.after = ranks.at(ranks.size() / 2);
  line["page_after_key"] = rounded(milliseconds([&] { store.records(query); }));
  query.backwards = true;
  line["page_before_key"] = rounded(milliseconds([&] { store.records(query); }));
  return line;
}

} // namespace

void makeBrowsedFile(const std::string& path, std::int64_t records, std::int64_t perTask) {
  if (std::filesystem::exists(path) &&
      RecordStore::open(path, OpenMode::ReadOnly).records().total() == records)
    return;
  std::filesystem::remove(path);
  SessionConfig config;
  config.subjects = {"logs of made-up tasks"};
  nlohmann::json json = toJson(config);
  json["import"] = {"logs"};
  SessionRow session;
  session.title = "Import of made-up logs";
  session.config = json.dump();
  session.schedulerState = toText(TuningState{});
  session.status = SessionStatus::Finished;
  const double time =
      milliseconds([&] { samples::importMany(path, session, records, perTask, 1); });
  fmt::print("{} records made in {:.1f} s, {:.1f} bytes each\n", records, time / 1e3,
             double(std::filesystem::file_size(path)) / double(records));
}

Json browse(const std::string& path) {
  Json document;
  Random random(3);
  forgetPages(path);
  std::optional<RecordBrowser> store;
  document["opening_to_first_rows_cold"] = rounded(milliseconds([&] {
    store.emplace(path);
    BrowseQuery query;
    query.limit = kRows;
    store->records(query);
  }));
  {
    BrowseQuery fastest;
    fastest.order = Order::Fastest;
    document["guess_of_a_place"] = rounded(milliseconds([&] { store->near(fastest, 0.5); }));
  }
  constexpr std::pair<const char*, Order> kOrders[] = {{"newest", Order::Newest},
                                                       {"oldest", Order::Oldest},
                                                       {"fastest", Order::Fastest},
                                                       {"slowest", Order::Slowest},
                                                       {"trial", Order::FirstTrial},
                                                       {"task", Order::ByTask},
                                                       {"verdict", Order::ByVerdictDown},
                                                       {"session", Order::BySession},
                                                       {"throughput", Order::ByThroughputDown},
                                                       {"wall", Order::ByWall}};
  for (const auto& [name, order] : kOrders) {
    BrowseQuery query;
    query.order = order;
    document["orders"][name] = look(*store, query, random);
  }
  for (const char* filter :
       {"error:none", "error:any", "task:Conv", "task:\"Conv 40\"", "target:*skylake*",
        "latency<100us", "latency<11us", "session:1 error:none latency<1ms", "is:best", "tag:any",
        "trial:5000..9000", "steps:fuse task:\"Conv 40\"", "steps:rfactor", "wall>1s",
        "task:\"Conv 40\" program:12"}) {
    BrowseQuery query;
    query.records.filter = parseRecordFilter(filter);
    document["filters"][filter] = look(*store, query, random);
    query.order = Order::Fastest;
    query.limit = kRows;
    document["filters"][filter]["first_page_fastest"] =
        rounded(milliseconds([&] { store->records(query); }));
  }
  document["count_of_all"] = rounded(
      milliseconds([&] { RecordStore::open(path, OpenMode::ReadOnly).records().count({}); }));
  document["peak_memory_mebibytes"] = rounded(mebibytes());
  return document;
}

std::string lines(const nlohmann::ordered_json& times, const std::string& indent) {
  std::string text;
  for (const auto& [name, value] : times.items()) {
    const bool deep =
        value.is_object() && std::any_of(value.begin(), value.end(), [](const Json& v) {
          return v.is_object() && !v.contains("median");
        });
    text += deep ? fmt::format("{}{}\n{}", indent, name, lines(value, indent + "  "))
                 : fmt::format("{}{:32} {}\n", indent, name, value.dump());
  }
  return text;
}

} // namespace nestwright::bench
