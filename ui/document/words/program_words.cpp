#include "ui/document/words/program_words.h"

#include "ui/kit/text.h"

namespace nestwright::ui {

QString originInWords(Origin origin) {
  switch (origin) {
  case Origin::RandomSample:
    return tr("drawn at random from the space");
  case Origin::MeasuredBefore:
    return tr("measured in an earlier round, and among the fastest");
  case Origin::TileSize:
    return tr("a factor of one tile size was moved to another");
  case Origin::Parallel:
    return tr("more or fewer outer loops run in parallel");
  case Origin::Unroll:
    return tr("the unroll limit of a stage was drawn anew");
  case Origin::Kernel:
    return tr("one decision about a kernel was taken anew");
  case Origin::ComputeLocation:
    return tr("a stage is computed at another loop");
  case Origin::Crossover:
    return tr("each stage was taken from one of two parents");
  case Origin::Seed:
    return tr("given to the search by the user");
  case Origin::MeasuredAgain:
    return tr("the program of another record, measured again");
  case Origin::Annealing:
    return tr("found by annealing what the cost model expects of configurations");
  case Origin::Grid:
    return tr("the next one of all configurations, by their numbers");
  case Origin::KnobCrossover:
    return tr("its knobs were taken from two parents, and some of them drawn anew");
  case Origin::Beam:
    return tr("grown decision by decision, the best of each kept");
  case Origin::Remembered:
    return tr("remembered from an earlier session, and made to fit the task");
  case Origin::Proposed:
    return tr("proposed by a policy of your own");
  case Origin::Polish:
    return tr("one decision of the best was changed, to see whether another choice is faster");
  case Origin::Unknown:
  case Origin::OnDemand:
  case Origin::HandEdit:
  case Origin::Imported:
    break; // the name says it
  }
  return qs(name(origin));
}

QString shortName(const std::string& program) {
  return qs(program).left(8);
}

} // namespace nestwright::ui
