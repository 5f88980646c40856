#pragma once
/// \file The kinds of damaged files and what is done with each.

#include "core/support/random.h"
#include "core/worker/frame.h"
#include "tests/fuzz/confined_run.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace nestwright::fuzz {

/// What mutants are made from.
struct Seeds {
  std::string nestwright; // the program under test
  std::filesystem::path plugins;
  std::filesystem::path master; // a copy of the program whose workers misbehave: fake_worker.h
  std::vector<std::string> documents, logs, networks, dags;
  std::string tuned; // a document with a session of kSubject on this machine, and its cost model
  std::vector<std::filesystem::path> libraries; // folders, each with its example built: main
  std::vector<Frame> requests;                  // to a worker, as a session sends them
  std::vector<Frame> networkRequests;           // to a network worker
};

inline constexpr const char* kSubject = "matmul:m=8,n=8,k=8";
inline constexpr int kTrials = 24; // of the tuned document, whose records have the ids 1 to 24

/// Reads the seeds in `data` (tests/data) and makes the others with the program itself, in
/// `folder`. Throws SystemError when that fails.
Seeds makeSeeds(const std::filesystem::path& nestwright, const std::filesystem::path& data,
                const std::filesystem::path& folder);

/// Where a mutant lies.
struct Site {
  std::filesystem::path folder;
  std::string marker; // a folder in which nothing must ever be made
};

struct Kind {
  const char* name;
  int share; // of 100 mutants
  /// Writes a mutant into the site and gives what is to be done with it.
  std::vector<Command> (*make)(const Seeds&, const Site&, Random&);
};

const std::vector<Kind>& kinds();

std::vector<Command> documentMutant(const Seeds& seeds, const Site& site, Random& random);
std::vector<Command> modelMutant(const Seeds& seeds, const Site& site, Random& random);
std::vector<Command> logMutant(const Seeds& seeds, const Site& site, Random& random);
std::vector<Command> networkMutant(const Seeds& seeds, const Site& site, Random& random);
std::vector<Command> dagMutant(const Seeds& seeds, const Site& site, Random& random);
std::vector<Command> libraryMutant(const Seeds& seeds, const Site& site, Random& random);
std::vector<Command> requestMutant(const Seeds& seeds, const Site& site, Random& random);
std::vector<Command> answerMutant(const Seeds& seeds, const Site& site, Random& random);

/// The file's bytes. Throws SystemError when it cannot be read.
std::string bytesOf(const std::filesystem::path& file);
void writeBytes(const std::filesystem::path& file, const std::string& bytes);

} // namespace nestwright::fuzz
