#pragma once
/// \file What TLP reads of a program: its steps alone, one row a step, as they stand in records
/// (handbook/cost-models.md 4.1). Nothing is replayed or lowered for that.

#include "core/feature/primitive_vocabulary.h"

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// How much of a program is seen.
struct PrimitiveShape {
  std::size_t steps = 25;   // L: the first of a program
  std::size_t columns = 22; // E: of a step, its kind's among them
  bool operator==(const PrimitiveShape&) const = default;
};

/// TLP's: 25 steps of 22 columns for processors, 40 of 20 for GPUs, where the vocabulary has 11
/// kinds; further kinds widen the rows, so that as many arguments are seen.
PrimitiveShape publishedShape(const PrimitiveVocabulary& vocabulary, bool gpu);

/// How long programs are and how many numbers their steps have, counted before either is cut.
class PrimitiveCensus {
 public:
  void add(const Steps& steps);
  std::size_t programs() const { return programs_; }

  /// The least that shows this share of the programs whole, and this share of the steps. At least
  /// one step, and a column beside the kinds'.
  PrimitiveShape shape(const PrimitiveVocabulary& vocabulary, double share = 0.99) const;

 private:
  std::size_t programs_ = 0, steps_ = 0;
  std::map<std::size_t, std::size_t> lengths_;   // how many programs have so many steps
  std::map<std::size_t, std::size_t> arguments_; // how many steps so many numbers
};

/// What of the programs was not seen, or not known.
struct PrimitiveCounts {
  std::size_t programs = 0;
  std::size_t longPrograms = 0; // with more steps than are seen
  std::size_t steps = 0;        // that are seen
  std::size_t wideSteps = 0;    // of these, with more numbers than there are columns
  /// Steps whose kind or text the vocabulary does not know, by what that is: "SA", "PR
  /// auto_unroll_max_step$1024".
  std::map<std::string, std::size_t> unknown;

  double longShare() const;
  double wideShare() const;
  PrimitiveCounts& operator+=(const PrimitiveCounts& other);
};

/// A sentence with the shares where more than 5 % of the programs or of the steps were cut; else
/// empty.
std::string cutWarning(const PrimitiveCounts& counts, const PrimitiveShape& shape);
/// A sentence that names what the vocabulary does not know, with counts; empty when it knew all.
std::string unknownText(const PrimitiveCounts& counts);
/// Both, with a semicolon between; empty when all was seen and known.
std::string unseenText(const PrimitiveCounts& counts, const PrimitiveShape& shape);

/// A vocabulary and a shape, ready for many programs. Thread-compatible.
class PrimitiveEncoder {
 public:
  /// Throws InputError for a shape without steps, or without room for an argument.
  PrimitiveEncoder(PrimitiveVocabulary vocabulary, PrimitiveShape shape);

  const PrimitiveVocabulary& vocabulary() const { return vocabulary_; }
  const PrimitiveShape& shape() const { return shape_; }

  /// Appends one row of `shape().columns` numbers for each step that is seen: the one-hot of its
  /// kind, which is all zeros for one that is not known, then its items in the order of records, a
  /// text as its token. Models pad with rows of zeros. A program without steps has no rows. Throws
  /// IllegalSchedule, and appends nothing, when a tile size is undecided.
  void append(const Steps& steps, std::vector<float>& rows, PrimitiveCounts& counts) const;

 private:
  PrimitiveVocabulary vocabulary_;
  PrimitiveShape shape_;
  /// By the kind of step, in the order of the variant.
  std::array<std::optional<std::size_t>, std::variant_size_v<Step>> places_;
};

/// Meaning of each column: "kind: SP", ..., "argument 1", ...
std::vector<std::string> primitiveColumnNames(const PrimitiveVocabulary& vocabulary,
                                              const PrimitiveShape& shape);
/// The same in a clause each.
std::vector<std::string> primitiveColumnMeanings(const PrimitiveVocabulary& vocabulary,
                                                 const PrimitiveShape& shape);

} // namespace nestwright
