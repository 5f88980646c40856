#include "core/record/sql/regular_expression.h"

#include "core/support/error.h"

#include <re2/re2.h>
#include <sqlite3.h>

#include <memory>
#include <string>

namespace nestwright {

namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

std::unique_ptr<RE2> compiled(std::string_view text) {
  std::string expression;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    // Names hold "->"; the window shows an arrow.
    const bool arrow = text.substr(i).starts_with("→");
    expression += arrow ? "->" : std::string(1, text[i]);
    if (arrow) i += std::string_view("→").size() - 1;
  }
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  return std::make_unique<RE2>(expression, options);
}

std::string_view valueText(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text ? std::string_view(text, std::size_t(sqlite3_value_bytes(value))) : "";
}

/// The expression is compiled once a statement: SQLite keeps it beside the constant argument.
void fits(sqlite3_context* context, int, sqlite3_value** values) {
  auto* expression = static_cast<RE2*>(sqlite3_get_auxdata(context, 0));
  std::unique_ptr<RE2> own;
  if (!expression) {
    own = compiled(valueText(values[0]));
    expression = own.get();
  }
  sqlite3_result_int(context, RE2::PartialMatch(piece(valueText(values[1])), *expression) ? 1 : 0);
  if (own)
    sqlite3_set_auxdata(context, 0, own.release(),
                        [](void* old) { delete static_cast<RE2*>(old); });
}

} // namespace

bool isRegularExpression(std::string_view text) {
  return text.size() > 2 && text.starts_with('/') && text.ends_with('/');
}

void checkRegularExpression(std::string_view text) {
  const auto expression = compiled(text);
  if (!expression->ok())
    throw InputError(fmt::format("\"{}\" is no regular expression: {}", text, expression->error()));
}

void addRegularExpressions(sqlite::Database& db) {
  sqlite3_create_function_v2(db.handle(), kFitsExpression, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                             nullptr, fits, nullptr, nullptr, nullptr);
}

} // namespace nestwright
