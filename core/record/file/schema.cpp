#include "core/record/file/schema.h"

#include "core/support/error.h"

namespace nestwright {

namespace {

// resources/handbook/file-format.md says what each table is for and what always holds between them.
// Planned for 50 million records: what repeats is a number that points to it, what no query asks
// for is packed, and each index serves a way of paging. A table stands behind those that it names:
// merging copies them in this order.
constexpr const char* kVersion1 = R"sql(
-- What is tuned.

CREATE TABLE network (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  spec TEXT NOT NULL,
  UNIQUE (name, spec)
) STRICT;

CREATE TABLE target (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  facts TEXT NOT NULL
) STRICT;

CREATE TABLE task (
  id INTEGER PRIMARY KEY,
  target INTEGER REFERENCES target,
  key TEXT NOT NULL,
  key_hash TEXT NOT NULL,      -- two tasks may share it only with equal text
  name TEXT NOT NULL,
  dag TEXT NOT NULL,
  flops REAL NOT NULL,
  UNIQUE (key, target)
) STRICT;
CREATE INDEX task_by_hash ON task (key_hash);

-- A task's place in a network; several networks may share a task, and its records.
CREATE TABLE network_task (
  id INTEGER PRIMARY KEY,
  network INTEGER REFERENCES network, -- NULL: a single operator
  task INTEGER NOT NULL REFERENCES task,
  position INTEGER NOT NULL,
  weight REAL NOT NULL,
  UNIQUE (task, network)
) STRICT;
CREATE INDEX network_task_by_network ON network_task (network, position);

-- Sessions: their settings and state, what they tune, what they told and learned.

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  network INTEGER REFERENCES network, -- the first of session_network; NULL: an operator
  title TEXT NOT NULL,
  config TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- microseconds since the epoch
  updated_at INTEGER NOT NULL,
  wall_seconds REAL NOT NULL,
  scheduler_state TEXT NOT NULL,
  product TEXT NOT NULL
) STRICT;

CREATE TABLE session_task (
  session INTEGER NOT NULL REFERENCES session,
  position INTEGER NOT NULL,
  task INTEGER NOT NULL REFERENCES task,
  PRIMARY KEY (session, position)
) STRICT, WITHOUT ROWID;

-- The networks that a session tunes together. An import has none: its tasks are those of the network
-- of its row, with the weights that they have there.
CREATE TABLE session_network (
  session INTEGER NOT NULL REFERENCES session,
  position INTEGER NOT NULL,
  network INTEGER REFERENCES network, -- NULL: an operator on its own
  name TEXT NOT NULL,
  PRIMARY KEY (session, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE session_weight (
  session INTEGER NOT NULL,
  position INTEGER NOT NULL,   -- of the network
  task INTEGER NOT NULL REFERENCES task,
  weight REAL NOT NULL,
  PRIMARY KEY (session, position, task),
  FOREIGN KEY (session, position) REFERENCES session_network
) STRICT, WITHOUT ROWID;

CREATE TABLE event_kind (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session,
  at INTEGER NOT NULL,
  trials INTEGER NOT NULL,     -- made before it was told; -1: told while no session ran
  wall_seconds REAL NOT NULL,  -- since the session's start, pauses excluded; or -1
  kind INTEGER NOT NULL REFERENCES event_kind,
  json ANY NOT NULL            -- a blob is packed with zstd
) STRICT;
CREATE INDEX event_by_session ON event (session);

-- What the search of a round saw.
CREATE TABLE evolution (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session,
  round INTEGER NOT NULL,
  task INTEGER NOT NULL REFERENCES task,
  generations BLOB NOT NULL,   -- see evolution_row.h; 1 and zstd, or 0 and the plain bytes
  UNIQUE (session, round)
) STRICT;

-- A moment of a session's past, with a sentence for those who replay it.
CREATE TABLE mark (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session,
  wall_seconds REAL NOT NULL,
  trials INTEGER NOT NULL,
  sentence TEXT NOT NULL
) STRICT;
CREATE INDEX mark_by_session ON mark (session);

-- The cost model of a session, as its plugin saves it.
CREATE TABLE model (
  session INTEGER PRIMARY KEY REFERENCES session,
  name TEXT NOT NULL,
  bytes BLOB NOT NULL,
  hash TEXT NOT NULL           -- of the bytes, which tells damage
) STRICT;

-- Records: a trial each.

-- What the programs of a sketch have in common; see step_codec.h.
CREATE TABLE shape (
  id INTEGER PRIMARY KEY,
  hash INTEGER NOT NULL,
  steps BLOB NOT NULL
) STRICT;
CREATE INDEX shape_by_hash ON shape (hash);

-- Imported records have empty step_values, program and details: those are in record_block.
CREATE TABLE record (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session,
  task INTEGER NOT NULL REFERENCES task,
  trial INTEGER NOT NULL,
  verdict INTEGER NOT NULL,    -- 0: ok; see result_codec.h; with kForgottenCode: forgotten
  flags INTEGER NOT NULL,      -- 1 verified, 2 implausible, 4 best, 8 contested, 16 on demand
  seconds REAL,                -- median of the repeats; NULL unless ok
  wall_seconds REAL NOT NULL,  -- since the session's start, pauses excluded
  shape INTEGER NOT NULL REFERENCES shape,
  step_values BLOB NOT NULL,
  program ANY NOT NULL,        -- 16 bytes of hash; a text when it is no such hash
  details BLOB NOT NULL        -- repeats, times, failing step; see result_codec.h
) STRICT;
CREATE UNIQUE INDEX record_by_trial ON record (session, trial);
CREATE INDEX record_by_group ON record (task, session, verdict);
CREATE INDEX record_by_speed ON record (task, session, seconds) WHERE verdict = 0;
-- While a large import runs there is none: it is made anew at the end, quicker and smaller.
CREATE INDEX record_by_time ON record (seconds) WHERE verdict = 0;
-- Imported records have neither flags nor a program of their own.
CREATE INDEX record_by_flags ON record (flags) WHERE flags > 0;
CREATE INDEX record_by_program ON record (program) WHERE program <> x'';

-- Texts that few records have; a blob is packed with zstd.
CREATE TABLE error (
  record INTEGER PRIMARY KEY REFERENCES record,
  text ANY NOT NULL
) STRICT;
CREATE TABLE trace (
  record INTEGER PRIMARY KEY REFERENCES record,
  text ANY NOT NULL
) STRICT;

-- What users asked to have measured.
CREATE TABLE on_demand (
  record INTEGER PRIMARY KEY REFERENCES record,
  original INTEGER REFERENCES record -- that it repeats; NULL: a program of its own
) STRICT;
CREATE INDEX on_demand_by_original ON on_demand (original);

-- Words that users put on records.
CREATE TABLE tag (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE record_tag (
  tag INTEGER NOT NULL REFERENCES tag,
  record INTEGER NOT NULL REFERENCES record,
  PRIMARY KEY (tag, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_tag_by_record ON record_tag (record);

-- Sums over the records, kept in the transaction of the insert.

CREATE TABLE tally (
  session INTEGER NOT NULL REFERENCES session,
  task INTEGER NOT NULL REFERENCES task,
  verdict INTEGER NOT NULL,
  records INTEGER NOT NULL,
  kernel_seconds REAL NOT NULL,
  -- The ids of the group lie between these; it may have lost its first or last one.
  first_record INTEGER NOT NULL,
  last_record INTEGER NOT NULL,
  PRIMARY KEY (session, task, verdict)
) STRICT, WITHOUT ROWID;
CREATE INDEX tally_by_task ON tally (task);

CREATE TABLE task_summary (
  task INTEGER PRIMARY KEY REFERENCES task,
  trials INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  best_record INTEGER REFERENCES record,
  best_seconds REAL,           -- NULL until a verified best exists
  naive_seconds REAL NOT NULL DEFAULT 0,
  kernel_seconds REAL NOT NULL DEFAULT 0
) STRICT;

-- Imports.

-- A log file, and how far it was imported: stored with the records, so that it is always true.
CREATE TABLE import_source (
  id INTEGER PRIMARY KEY,
  session INTEGER REFERENCES session, -- that its records are in; NULL while it gave none
  path TEXT NOT NULL,
  head_bytes INTEGER NOT NULL, -- as many bytes from its beginning, unpacked,
  head_hash INTEGER NOT NULL,  -- have this hash
  offset INTEGER NOT NULL,     -- bytes read, unpacked
  file_bytes INTEGER NOT NULL, -- its size when it was last read to the end
  lines INTEGER NOT NULL,      -- read; the sum of the next four
  records INTEGER NOT NULL,
  duplicates INTEGER NOT NULL,
  comments INTEGER NOT NULL,
  broken INTEGER NOT NULL,
  finished INTEGER NOT NULL
) STRICT;
CREATE INDEX import_source_by_path ON import_source (path);
-- Lines that are no records, and why.
CREATE TABLE import_problem (
  source INTEGER NOT NULL REFERENCES import_source,
  line INTEGER NOT NULL,       -- from 1
  offset INTEGER NOT NULL,     -- of its first byte, unpacked
  reason TEXT NOT NULL,
  PRIMARY KEY (source, line)
) STRICT, WITHOUT ROWID;
-- What imported records are, many together: those whose ids follow one another.
CREATE TABLE record_block (
  first INTEGER PRIMARY KEY REFERENCES record,
  source INTEGER NOT NULL REFERENCES import_source,
  records INTEGER NOT NULL,
  bytes BLOB NOT NULL          -- see imported_block.h
) STRICT;

-- Recombinations of whole networks, their samples, and what was kept of them for `run`.

CREATE TABLE recombination (
  id INTEGER PRIMARY KEY,
  network INTEGER NOT NULL REFERENCES network,
  target INTEGER NOT NULL REFERENCES target,
  config TEXT NOT NULL,
  state TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- microseconds since the epoch
  updated_at INTEGER NOT NULL,
  wall_seconds REAL NOT NULL,
  product TEXT NOT NULL
) STRICT;
CREATE TABLE recombination_sample (
  recombination INTEGER NOT NULL REFERENCES recombination,
  sample INTEGER NOT NULL,     -- 0: the per-task bests
  draw INTEGER NOT NULL,
  choice TEXT NOT NULL,        -- JSON: per task, the rank of its candidate
  verdict INTEGER NOT NULL,    -- as of a record
  error TEXT NOT NULL,
  seconds TEXT NOT NULL,       -- JSON: of every repeat
  wall_seconds REAL NOT NULL,
  PRIMARY KEY (recombination, sample)
) STRICT, WITHOUT ROWID;
-- The programs that the network runs with, where they are not each task's best.
CREATE TABLE network_choice (
  network INTEGER NOT NULL REFERENCES network,
  target INTEGER NOT NULL REFERENCES target,
  recombination INTEGER NOT NULL REFERENCES recombination,
  kept_at INTEGER NOT NULL,
  gain REAL NOT NULL,          -- best seconds / chosen seconds, measured in turns
  PRIMARY KEY (network, target)
) STRICT, WITHOUT ROWID;
CREATE TABLE network_choice_task (
  network INTEGER NOT NULL,
  target INTEGER NOT NULL,
  task INTEGER NOT NULL REFERENCES task,
  record INTEGER NOT NULL REFERENCES record,
  PRIMARY KEY (network, target, task),
  FOREIGN KEY (network, target) REFERENCES network_choice
) STRICT, WITHOUT ROWID;

-- The file itself.

-- What programs around the records keep in the file: the window's state, drawings, filters.
CREATE TABLE kept (
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What the file was before the last transaction, and is since: one row, on a page of its own, where
-- it is found without SQLite; see generation.h.
CREATE TABLE generation (
  id INTEGER PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
)sql";

// The groups' indexes by speed say the same in as much time, and a record takes an eighth less.
constexpr const char* kVersion2 = "DROP INDEX IF EXISTS record_by_time;";

constexpr Migration kMigrations[] = {{1, kVersion1}, {2, kVersion2}};

} // namespace

std::span<const Migration> migrations() {
  return kMigrations;
}

int schemaVersion() {
  return migrations().back().version;
}

void migrate(sqlite::Database& database, std::span<const Migration> list) {
  database.transaction([&] {
    // Read within the transaction: another program may just have done the same.
    const std::int64_t from = database.integer("PRAGMA user_version");
    for (const Migration& migration : list) {
      if (migration.version <= from) continue;
      database.execute(migration.sql);
      database.execute(fmt::format("PRAGMA user_version = {}", migration.version));
    }
  });
}

} // namespace nestwright
