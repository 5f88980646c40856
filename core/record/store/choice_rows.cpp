#include "core/record/store/choice_rows.h"

#include "core/record/sql/sqlite.h"

namespace nestwright {

using sqlite::Statement;

void ChoiceRows::keep(const NetworkChoice& choice) {
  db_.transaction([&] {
    drop(choice.network, choice.target);
    db_.prepare("INSERT INTO network_choice (network, target, recombination, kept_at, gain) "
                "VALUES (?, ?, ?, ?, ?)")
        .bind(choice.network, choice.target, choice.recombination, choice.keptAt, choice.gain)
        .run();
    Statement insert = db_.prepare(
        "INSERT INTO network_choice_task (network, target, task, record) VALUES (?, ?, ?, ?)");
    for (const NetworkChoice::Program& program : choice.programs)
      insert.bind(choice.network, choice.target, program.task, program.record).run();
  });
}

void ChoiceRows::drop(RowId network, RowId target) {
  db_.transaction([&] {
    for (const char* sql : {"DELETE FROM network_choice_task WHERE network = ? AND target = ?",
                            "DELETE FROM network_choice WHERE network = ? AND target = ?"})
      db_.prepare(sql).bind(network, target).run();
  });
}

std::optional<NetworkChoice> ChoiceRows::of(RowId network, RowId target) const {
  Statement row = db_.prepare("SELECT recombination, kept_at, gain FROM network_choice WHERE "
                              "network = ? AND target = ?");
  if (!row.bind(network, target).step()) return std::nullopt;
  NetworkChoice choice{network, target, row.integer(0), row.integer(1), row.real(2), {}};
  Statement programs = db_.prepare("SELECT task, record FROM network_choice_task WHERE "
                                   "network = ? AND target = ? ORDER BY task");
  programs.bind(network, target);
  while (programs.step())
    choice.programs.push_back({programs.integer(0), programs.integer(1)});
  return choice;
}

} // namespace nestwright
