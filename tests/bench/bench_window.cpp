/// \file How long the window's GUI thread is ever busy with one event, and how long until the rows
/// are there, while a file of millions of records is looked at in every way: opened, sorted by each
/// column, filtered, counted, grouped, plotted, paged, and while another program imports into it.

#include "core/support/process.h"
#include "tests/bench/browse_records.h"
#include "tests/record/bulk_records.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/stalls.h"
#include "tests/ui/timed_application.h"
#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/records/pages/record_explorer.h"
#include "ui/records/pages/record_groups_page.h"
#include "ui/records/pages/record_scatter_page.h"
#include "ui/records/record_columns.h"
#include "ui/records/record_facets.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_panes.h"
#include "ui/records/record_view.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <QDeadlineTimer>
#include <QHeaderView>
#include <QTabWidget>
#include <QToolButton>

#include <atomic>
#include <filesystem>
#include <thread>

using namespace nestwright;
using namespace nestwright::ui;
using namespace nestwright::ui::testing;

namespace {

struct Options {
  std::int64_t rows = 8'000'000, perTask = 4000, more = 200'000;
  std::string folder;
  bool keep = false;
};

double residentMebibytes() {
  QFile file(QStringLiteral("/proc/self/statm"));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  return double(file.readAll().split(' ').value(1).toLongLong()) * 4096 / (1 << 20);
}

class Bench {
 public:
  Bench(TimedApplication& application, const std::string& path)
      : application_(application), path_(QString::fromStdString(path)), window_(coreCatalogue()) {
    window_.resize(1600, 1000);
    window_.show();
    spin(300);
  }

  void run(const Options& options) {
    open();
    columns();
    filters();
    pages();
    places();
    std::atomic<bool> imported = false;
    std::thread import([&] {
      more(options.more);
      imported = true;
    });
    step(
        "while another connection imports", [&] { return imported.load(); }, [] {});
    import.join();
    step(
        "and afterwards", [this] { return isRead(); }, [] {});
    step(
        "idle for two seconds", [since = QDeadlineTimer(2000)] { return since.hasExpired(); },
        [] {});
    fmt::print("{:<44} {:.1f} ms, {:.1f} ms of CPU\n", "longest of all", worst_, worstCpu_);
    fmt::print("{:<44} {:.0f} MiB now\n", "memory", residentMebibytes());
  }

 private:
  RecordView& view() { return *window_.panels().view<RecordView>(); }

  bool isRead() {
    RecordView& view = this->view();
    if (window_.document().state() != DocumentState::Ready || !view.model()->isRanked())
      return false;
    const int top = view.table()->topRow(), rows = view.model()->rowCount();
    const int last = std::min(top + view.table()->rowsShown(), rows) - 1;
    return last < top || (view.model()->textAt(top, RecordModel::Trial) &&
                          view.model()->textAt(last, RecordModel::Trial));
  }

  bool hasRows() {
    return window_.document().state() == DocumentState::Ready && view().model()->rowCount() > 0 &&
           view().model()->textAt(view().table()->topRow(), RecordModel::Trial);
  }

  /// Does it, lets the window work until `ended`, and prints the longest event meanwhile.
  template <class Ended, class Begin>
  void step(const std::string& what, const Ended& ended, const Begin& begin, int most = 180) {
    application_.restart();
    QElapsedTimer since;
    since.start();
    begin();
    const double asked = double(since.nsecsElapsed()) / 1e6; // on this thread, too
    double first = -1;
    while (!ended() && since.elapsed() < most * 1000) {
      if (first < 0 && hasRows()) first = double(since.nsecsElapsed()) / 1e6;
      spin(5);
    }
    const double seconds = double(since.nsecsElapsed()) / 1e6;
    spin(400); // what follows of it
    const double longest = std::max(asked, application_.longest());
    const double cpu = application_.longestCpu();
    const auto named = [](double milliseconds, const QString& event) {
      constexpr double kWorthNaming = 16;
      return milliseconds < kWorthNaming ? "" : fmt::format(" ({})", event.toStdString());
    };
    fmt::print(
        "{:<44} {:7.1f} ms{}, {:6.1f} ms of CPU{}; rows {:7.1f} ms, all {:8.1f} ms{}\n", what,
        longest, named(longest, asked < longest ? application_.longestAt() : "the asking"), cpu,
        named(cpu, application_.longestCpuAt()), first, seconds, ended() ? "" : " (not ended)");
    std::fflush(stdout);
    worst_ = std::max(worst_, longest), worstCpu_ = std::max(worstCpu_, cpu);
  }

  void open() {
    step(
        "open", [this] { return isRead() && !window_.document().session().historyLoading(); },
        [this] {
          window_.openFile(path_);
          window_.panels().raise(window_.panels().panel(QStringLiteral("records")));
        });
    fmt::print("{:<44} {:.0f} MiB\n", "memory", residentMebibytes());
    step(
        "all tasks", [this] { return isRead(); }, [this] { view().scope()->setFollowing(false); });
    step(
        "selected task", [this] { return isRead(); },
        [this] {
          window_.document().selection().selectTask(
              window_.document().session().tasks().front().row.id);
          view().scope()->setFollowing(true);
        });
    step(
        "all tasks again", [this] { return isRead(); },
        [this] { view().scope()->setFollowing(false); });
  }

  void columns() {
    for (int column = 0; column < RecordModel::ColumnCount; ++column) {
      const RecordColumn& described = recordColumns().at(std::size_t(column));
      if (!described.orders) continue;
      for (const char* time : {"", " again"})
        step(
            fmt::format("sort by {}{}", described.key, time), [this] { return isRead(); },
            [this, column] { Q_EMIT view().table()->horizontalHeader()->sectionClicked(column); });
    }
    step(
        "newest first", [this] { return isRead(); },
        [this] { view().scope()->setOrder(BrowseOrder::Newest); });
  }

  void filters() {
    for (const char* text :
         {"latency<1ms", "error:any", "task:Conv", "target:*skylake*", "steps:rfactor", "wall>1s",
          "gflops>1", "program:12", "trial:5000..9000", ""})
      step(
          fmt::format("filter {}", *text ? text : "none"), [this] { return isRead(); },
          [this, text] { view().scope()->setFilter(parseRecordFilter(text)); });
    view().scope()->setOrder(BrowseOrder::Fastest);
    step(
        "steps:rfactor, fastest first", [this] { return isRead(); },
        [this] { view().scope()->setFilter(parseRecordFilter("steps:rfactor")); });
    view().scope()->setFilter({});
    step(
        "newest first", [this] { return isRead(); },
        [this] { view().scope()->setOrder(BrowseOrder::Newest); });
  }

  void pages() {
    step(
        "facets", [this] { return view().facets()->isCurrent(); },
        [this] {
          RecordPanes& panes = *view().panes();
          if (!panes.sideBarButton()->isChecked()) panes.sideBarButton()->click();
          panes.sideBar()->setCurrentWidget(view().facets());
        });
    RecordExplorer& explorer = *view().explorer();
    for (int page = 1; page < explorer.count(); ++page)
      step(
          fmt::format("page {}", explorer.tabText(page).toStdString()),
          [since = QDeadlineTimer(12'000)] { return since.hasExpired(); },
          [&] { explorer.setCurrentIndex(page); });
    explorer.setCurrentIndex(0);
  }

  void places() {
    const int rows = view().model()->rowCount();
    for (const int row : {rows - 1, rows / 2, rows / 3, 12'345, 0})
      step(
          fmt::format("go to row {}", row), [this] { return isRead(); },
          [this, row] { view().table()->goTo(QString::number(row + 1)); });
    step(
        "select all", [this] { return isRead(); }, [this] { view().table()->selectAll(); });
    step(
        "select one", [this] { return isRead(); },
        [this] { view().table()->goTo(QStringLiteral("50%")); });
  }

  void more(std::int64_t records) {
    SessionRow session;
    session.title = "Import of more";
    session.config = R"({"import":["more"]})";
    session.status = SessionStatus::Finished;
    session.createdAt = session.updatedAt = 1;
    samples::importMany(path_.toStdString(), session, records, 4000, 99);
  }

  TimedApplication& application_;
  const QString path_;
  MainWindow window_;
  double worst_ = 0, worstCpu_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  shareHeaps();
  Options options;
  CLI::App app("How long the window's GUI thread is busy with a file of millions of records");
  app.add_option("--rows", options.rows, "Records of the file, which is made unless it is there")
      ->capture_default_str();
  app.add_option("--per-task", options.perTask, "Records of a task")->capture_default_str();
  app.add_option("--more", options.more, "Records that are imported meanwhile")
      ->capture_default_str();
  app.add_option("--folder", options.folder, "Where to work")->required();
  app.add_flag("--keep", options.keep, "Leave the file there");
  CLI11_PARSE(app, argc, argv);
  std::filesystem::create_directories(options.folder);
  const std::string path = options.folder + "/window.nwdb";
  bench::makeBrowsedFile(path, options.rows, options.perTask);
  {
    const QTemporaryDir settings;
    keepSettingsIn(settings);
    TimedApplication application(argc, argv);
    Bench(application, path).run(options);
  }
  if (options.keep) return 0;
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(path + suffix);
  return 0;
}
