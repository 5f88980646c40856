/// \file What the tests of the record store need another process for:
///   record_helper write FILE SESSION      adds records until killed; prints each stored trial
///   record_helper fill FILE SESSION SIZE  the same, when no file may grow beyond SIZE bytes;
///   prints
///                                         the error at the end
///   record_helper hold FILE               keeps a transaction open until killed
///   record_helper full FILE               writes a file with something in every table
///   record_helper open MODE FILE          prints the number of records, or the error, as nobody

#include "core/record/file/read_only.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/support/error.h"
#include "tests/record/full_file.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

using namespace nestwright;

namespace {

/// Announces in one unbuffered write, as a pipe delivers it even when we are killed right after.
void announce(std::int64_t trial) {
  const std::string line = fmt::format("{}\n", trial);
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(3);
}

[[noreturn]] void writeForever(const std::string& file, RowId session) {
  RecordStore store = RecordStore::open(file);
  samples::Ground ground;
  ground.session = session;
  for (const TaskRow& task : store.sessions().tasks(session))
    ground.tasks.push_back(task.id);
  const auto points = store.trials().curve(session);
  std::int64_t trial = points.empty() ? 0 : points.back().trial;
  Random random{std::uint64_t(trial)};
  for (;;) {
    ++trial;
    const RowId task = random.pick(ground.tasks);
    Record record = random.below(10) == 0
                        ? samples::failure(ground, trial, Verdict::RunTimeout, task)
                        : samples::record(ground, trial, 1 + random.unit(), task);
    record.steps = samples::steps(random);
    record.trace = std::string(random.below(3000), 't');
    store.records().add(record);
    announce(trial);
    store.events().add({0, session, trial, "measured", "{}"});
  }
}

int fill(const std::string& file, RowId session, rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN); // writes beyond the limit fail instead
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;
  try {
    writeForever(file, session);
  } catch (const SystemError& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}

[[noreturn]] void hold(const std::string& file) {
  RecordStore store = RecordStore::open(file);
  store.transaction([] {
    announce(0);
    for (;;)
      pause();
  });
  std::abort();
}

/// With small pages for a small file, since most tables have a page or two.
void writeFull(const std::string& file) {
  samples::writeFull(file);
  sqlite::Database(file, sqlite::Access::ReadWrite)
      .execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM; "
               "PRAGMA journal_mode = WAL");
}

int openAsNobody(const std::string& modeName, const std::string& file) {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) return 3;
  const OpenMode mode = modeName == "read" ? OpenMode::ReadOnly : OpenMode::ReadWrite;
  try {
    const RecordStore store = RecordStore::open(file, mode);
    fmt::print("{} records\n", store.records().total());
    return 0;
  } catch (const ReadOnlyFile& error) {
    fmt::print("for reading alone: {}\n", error.what());
    return 1;
  } catch (const InputError& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "write") == 0) writeForever(argv[2], std::atoll(argv[3]));
  if (argc == 5 && std::strcmp(argv[1], "fill") == 0)
    return fill(argv[2], std::atoll(argv[3]), rlim_t(std::atoll(argv[4])));
  if (argc == 3 && std::strcmp(argv[1], "hold") == 0) hold(argv[2]);
  if (argc == 3 && std::strcmp(argv[1], "full") == 0) return writeFull(argv[2]), 0;
  if (argc == 4 && std::strcmp(argv[1], "open") == 0) return openAsNobody(argv[2], argv[3]);
  return 2;
}
