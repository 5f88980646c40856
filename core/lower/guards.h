#pragma once
/// \file The conditions under which statements run and values are read, as affine forms.

#include "core/lower/index_simplifier.h"
#include "core/lower/loop_ir.h"

namespace nestwright {

/// The parts of a condition that must all hold, appended to `conjuncts`.
void splitConjunction(const Expr& e, std::vector<Expr>& conjuncts);
/// All of at least one condition.
Expr conjunction(const std::vector<Expr>& conjuncts);

/// The form that is below zero where the comparison of indices holds; nothing for conditions of
/// other kinds.
std::optional<LinearForm> belowZero(const Expr& e, IndexSimplifier& simplify);

/// A comparison of indices that an If, an if_then_else or a select asks for: it holds where
/// `form` is below zero.
struct Guard {
  Expr condition;
  LinearForm form;
  bool ofStatement = false; // asked by an If, not for a value
};

/// The guards in `s`, each once. Conditions of other kinds (data, alternatives) are left out.
std::vector<Guard> guardsOf(const Stmt& s, IndexSimplifier& simplify);

/// `s` where these guards hold anyway.
Stmt withoutGuards(const Stmt& s, const std::vector<Guard>& guards);
/// The value where these conditions, each a conjunct of what it asks for, hold anyway.
Expr withoutConditions(const Expr& value, const std::vector<Expr>& conditions);

/// The share of the values of its variables for which the form is below zero, from 0 to 1; 0 when
/// nothing is known of them.
double shareBelowZero(const LinearForm& form, IndexSimplifier& simplify);

} // namespace nestwright
