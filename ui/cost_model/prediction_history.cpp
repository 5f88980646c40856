#include "ui/cost_model/prediction_history.h"

namespace nestwright::ui {

PredictionHistory::PredictionHistory(Document& document, QObject* parent)
    : QObject(parent), trail_(document, Reader::Channel::Predictions,
                              {.read = predictionOf,
                               .begin =
                                   [this] {
                                     predictions_.clear();
                                     Q_EMIT changed();
                                   },
                               .add =
                                   [this](const std::vector<PredictedProgram>& programs) {
                                     predictions_.add(programs);
                                   },
                               .told =
                                   [this, &document] {
                                     predictions_.compare(document.session().history());
                                     Q_EMIT changed();
                                   }}) {}

} // namespace nestwright::ui

#include "moc_prediction_history.cpp"
