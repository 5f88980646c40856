/// Makes damaged files of every kind that the product reads, and has the built program read them:
/// it must neither crash nor hang, nor take the machine's memory, nor execute anything.
///
/// A mutant is what its seed, kind and number make it; one that fails is kept, with the commands.

#include "core/support/error.h"
#include "core/support/parallel.h"
#include "tests/fuzz/fake_worker.h"
#include "tests/fuzz/mutants.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>

using namespace nestwright;
using namespace nestwright::fuzz;

namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> kinds;
  int count = 10'000;
  std::uint64_t seed = 1;
  std::int64_t only = -1;
  unsigned jobs = 0;
  fs::path folder, nestwright = NESTWRIGHT_PROGRAM, data = NESTWRIGHT_TEST_DATA;
  Limits limits;
};

/// One mutant of the plan.
struct Mutant {
  const Kind* kind = nullptr;
  int number = 0; // among those of its kind
};

std::vector<const Kind*> chosenKinds(const Options& options) {
  std::vector<const Kind*> chosen;
  for (const Kind& kind : kinds())
    if (options.kinds.empty() || std::ranges::count(options.kinds, kind.name))
      chosen.push_back(&kind);
  return chosen;
}

/// The kinds in proportion to their shares, in turns.
std::vector<Mutant> plan(const Options& options) {
  const std::vector<const Kind*> chosen = chosenKinds(options);
  if (options.only >= 0) {
    if (chosen.size() != 1) throw UsageError("--only belongs to one kind");
    return {{chosen.front(), static_cast<int>(options.only)}};
  }
  std::vector<int> made(chosen.size(), 0);
  std::vector<Mutant> mutants;
  for (int i = 0; i < options.count; ++i) {
    const auto lag = [&](std::size_t kind) { // in mutants made, relative to the share
      return static_cast<double>(made[kind]) / chosen[kind]->share;
    };
    std::size_t next = 0;
    for (std::size_t kind = 1; kind < chosen.size(); ++kind)
      if (lag(kind) < lag(next)) next = kind;
    mutants.push_back({chosen[next], made[next]++});
  }
  return mutants;
}

struct Failure {
  std::string cause; // the same for what is likely the same
  std::string mutant;
};

class Campaign {
 public:
  Campaign(const Options& options, Seeds seeds) : options_(options), seeds_(std::move(seeds)) {}

  void attempt(const Mutant& mutant) {
    const std::string name = fmt::format("{}-{}", mutant.kind->name, mutant.number);
    const Site site{options_.folder / name, (options_.folder / name / "marker").string()};
    fs::remove_all(site.folder);
    fs::create_directories(site.marker);
    Random random =
        Random::stream(options_.seed, mutant.kind->name, static_cast<std::uint64_t>(mutant.number));
    const std::vector<Command> commands = mutant.kind->make(seeds_, site, random);
    bool failed = false;
    for (const Command& command : commands)
      if (const std::string fault = faultIn(command, site); !fault.empty()) {
        failed = true;
        note(mutant, command, fault, site);
      }
    if (!failed && options_.only < 0) fs::remove_all(site.folder);
    const std::lock_guard lock(mutex_);
    ++done_;
    if (done_ % kShownEach == 0) {
      fmt::print("{} mutants, {} failures\n", done_, failures_.size());
      std::fflush(stdout);
    }
  }

  /// Prints what failed, by cause; the exit code.
  int report() const {
    std::map<std::string, std::vector<std::string>> byCause;
    for (const Failure& failure : failures_)
      byCause[failure.cause].push_back(failure.mutant);
    for (const auto& [cause, mutants] : byCause) {
      constexpr std::size_t kNamed = 8;
      fmt::print(
          "{} times: {}: {}{}\n", mutants.size(), cause,
          fmt::join(mutants.begin(),
                    mutants.begin() + static_cast<std::ptrdiff_t>(std::min(mutants.size(), kNamed)),
                    " "),
          mutants.size() > kNamed ? " ..." : "");
    }
    fmt::print("{} mutants, {} commands, seed {}: ", done_, runs_, options_.seed);
    if (failures_.empty())
      fmt::print("nothing crashed, hung, took too much memory, or was executed; the slowest took "
                 "{:.1f} s, the largest {} MB\n",
                 slowest_, largest_ >> 20);
    else
      fmt::print("{} failures; the mutants lie in {}\n", failures_.size(),
                 options_.folder.string());
    return failures_.empty() ? 0 : 1;
  }

 private:
  static constexpr int kShownEach = 500;

  std::string faultIn(const Command& command, const Site& site) {
    Outcome outcome = runConfined(command, site.folder, options_.limits);
    // Others use the machine too: what takes long must do so twice.
    if (outcome.timedOut) outcome = runConfined(command, site.folder, options_.limits);
    {
      const std::lock_guard lock(mutex_);
      ++runs_;
      slowest_ = std::max(slowest_, outcome.seconds - command.interruptAfter);
      largest_ = std::max(largest_, outcome.peakBytes);
    }
    if (!fs::is_empty(site.marker)) return "executed something: its marker was made";
    return faultOf(command, outcome, options_.limits);
  }

  void note(const Mutant& mutant, const Command& command, const std::string& fault,
            const Site& site) {
    const std::string name = fmt::format("{}-{}", mutant.kind->name, mutant.number);
    const std::string verb = command.words.size() > 1 ? command.words[1] : "";
    const std::string outcome = fmt::format("{} in {}\n", shellText(command), site.folder.string());
    fmt::print("{}: {} {}\n  {}", name, verb, fault, outcome);
    std::fflush(stdout);
    std::ofstream(site.folder / "failures", std::ios::app) << verb << " " << fault << "\n"
                                                           << shellText(command) << "\n";
    const std::string place = fmt::format("failed-{}", verb); // the next command writes over them
    for (const char* stream : {"out", "err"}) {
      std::error_code ignored;
      fs::copy_file(site.folder / stream, site.folder / (place + "." + stream),
                    fs::copy_options::overwrite_existing, ignored);
    }
    const std::lock_guard lock(mutex_);
    // Seconds and megabytes differ from one to the next.
    failures_.push_back({fmt::format("{} {} {}", mutant.kind->name, verb,
                                     fault.substr(0, fault.find_first_of("0123456789"))) +
                             (fault.starts_with("ended by signal") ? fault.substr(15) : ""),
                         name});
  }

  const Options& options_;
  const Seeds seeds_;
  std::mutex mutex_;
  std::vector<Failure> failures_;
  int done_ = 0, runs_ = 0;
  double slowest_ = 0;
  std::int64_t largest_ = 0;
};

int mutate(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  fs::create_directories(options.folder);
  const fs::path folder = fs::canonical(options.folder);
  Options absolute = options;
  absolute.folder = folder;
  absolute.nestwright = fs::canonical(options.nestwright);
  const std::vector<Mutant> mutants = plan(absolute);
  Campaign campaign(absolute, makeSeeds(absolute.nestwright, options.data, folder / "seeds"));
  parallelFor(mutants.size(), options.jobs, [&](std::size_t i) { campaign.attempt(mutants[i]); });
  const int code = campaign.report();
  fmt::print("{:.0f} s\n",
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return code;
}

} // namespace

const std::vector<Kind>& fuzz::kinds() {
  static const std::vector<Kind> all = {
      {"documents", 30, documentMutant}, {"logs", 22, logMutant},
      {"networks", 20, networkMutant},   {"dags", 10, dagMutant},
      {"models", 7, modelMutant},        {"libraries", 3, libraryMutant},
      {"requests", 4, requestMutant},    {"answers", 4, answerMutant}};
  return all;
}

int main(int argc, char** argv) {
  // Beside a copy of the program it is taken for the program's worker: see Seeds::master.
  if (argc > 1 && (std::string(argv[1]) == "worker" || std::string(argv[1]) == "network-worker"))
    return beFakeWorker();
  Options options;
  std::vector<std::string> names;
  for (const Kind& kind : kinds())
    names.emplace_back(kind.name);
  CLI::App app("Has the built program read damaged files of every kind.", "mutate");
  app.add_option("kinds", options.kinds, "Only these kinds")->check(CLI::IsMember(names));
  app.add_option("--count", options.count, "Mutants in all")->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of all of them")->capture_default_str();
  app.add_option("--only", options.only, "Only the mutant of this number, which is kept");
  app.add_option("--jobs", options.jobs, "Programs at a time (0: one a core)");
  app.add_option("--folder", options.folder, "Where the mutants lie")->required();
  app.add_option("--nestwright", options.nestwright, "The program");
  app.add_option("--seconds", options.limits.seconds, "Longest time of a command")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return mutate(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "mutate: {}\n", e.what());
    return 2;
  }
}
