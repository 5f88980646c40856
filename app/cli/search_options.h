#pragma once
/// \file Options that say how a session searches, and methods that set several of them at once.

#include "core/session/run/session.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace nestwright::cli {

/// What was given of them; it and the settings are to outlive the parsing.
class SearchOptionsGiven {
 public:
  /// --method, --space, --policy, --model and all that goes with them.
  void add(CLI::App& verb, SessionConfig& config);
  /// After the parsing: what a method sets and no option does; where the space is that of templates
  /// the usual cost model, and rounds of the size of a plan. What an effort sets, likewise, and the
  /// trials unless they were given.
  void settle(SessionConfig& config, bool trialsGiven = true) const;
  /// Of the options that were given, after settle(), those that say something else than the
  /// settings which a session keeps.
  std::vector<std::string> differing(const SessionConfig& given, const SessionConfig& kept) const;

 private:
  template <class T>
  CLI::Option* option(CLI::App& verb, SessionConfig& config, const char* name, T SessionConfig::*of,
                      const char* help);
  template <class Enum, std::size_t count>
  void choice(CLI::App& verb, SessionConfig& config, const char* name, Enum SessionConfig::*of,
              const NameTable<Enum, count>& names, const char* help);
  void addSpace(CLI::App& verb, SessionConfig& config);
  void addModel(CLI::App& verb, SessionConfig& config);
  void addFinish(CLI::App& verb, SessionConfig& config);
  void addPretrained(CLI::App& verb, SessionConfig& config);
  /// Throws UsageError for options that are about a trained model where there is none, and the
  /// other way round.
  void requireTogether(const SessionConfig& config) const;
  void addPlan(CLI::App& verb, SessionConfig& config);
  bool isGiven(const char* name) const;

  using TakeOver = std::function<void(SessionConfig& to, const SessionConfig& from)>;
  struct Known {
    std::string name;
    CLI::Option* option = nullptr;
    TakeOver takeOver; // of its setting
  };

  std::string method_, effort_;
  std::vector<Known> options_;
};

/// Adds --memory (SessionConfig::memory), which is "this" where nobody says another.
void addMemory(CLI::App& verb, SessionConfig& config);
/// After the parsing: "off", which is no file, leaves none. Throws UsageError where it stands
/// beside files.
void settleMemory(SessionConfig& config);

} // namespace nestwright::cli
