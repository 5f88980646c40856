#include "core/learn/table_file.h"

#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace nestwright {

namespace {

/// Writes in pieces, and counts nothing as written that is not.
class Pieces {
 public:
  Pieces(int descriptor, const TableLayout& layout) : descriptor_(descriptor), layout_(layout) {
    buffer_.reserve(kPiece);
  }

  template <class T>
  void add(std::span<const T> values) {
    const char* bytes = reinterpret_cast<const char*>(values.data());
    buffer_.append(bytes, values.size_bytes());
    if (buffer_.size() >= kPiece) flush();
  }
  void flush() {
    std::string_view rest = buffer_;
    while (!rest.empty()) {
      const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0)
        throw SystemError(fmt::format(
            "the features of {} cannot be handed to the learner: {} of temporary files "
            "are needed in {} ({}). Make room there, set TMPDIR to another folder, or choose fewer "
            "programs",
            quantity(std::int64_t(layout_.programs), "program"),
            formatBytes(static_cast<double>(layout_.bytes())),
            std::filesystem::temp_directory_path().string(), std::strerror(errno)));
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 20;
  int descriptor_;
  const TableLayout& layout_;
  std::string buffer_;
};

/// An open file without a name.
int makeNamelessFile() {
  std::string path = (std::filesystem::temp_directory_path() / "nestwright-table-XXXXXX").string();
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0)
    throw SystemError(fmt::format("no temporary file can be made as {} ({}); set TMPDIR to a "
                                  "folder that can be written to",
                                  path, std::strerror(errno)));
  unlink(path.c_str());
  return descriptor;
}

} // namespace

std::size_t TableLayout::bytes() const {
  return (programs + 1) * sizeof(std::uint64_t) +
         (rows * columns + programs * heads) * sizeof(float);
}

TableFile::TableFile(const FeatureTable& table, std::span<const std::size_t> programs,
                     std::span<const float> labels, std::size_t heads) {
  NW_ASSERT(labels.size() == programs.size() * heads, "{} labels for {} programs of {} heads",
            labels.size(), programs.size(), heads);
  std::vector<std::uint64_t> firstRows = {0};
  firstRows.reserve(programs.size() + 1);
  for (const std::size_t program : programs)
    firstRows.push_back(firstRows.back() + table.rowCount(program));
  descriptor_ = makeNamelessFile();
  layout_ = {fmt::format("/proc/{}/fd/{}", getpid(), descriptor_), programs.size(),
             firstRows.back(), table.columns(), heads};
  try {
    Pieces pieces(descriptor_, layout_);
    pieces.add(std::span<const std::uint64_t>(firstRows));
    for (const std::size_t program : programs)
      pieces.add(table.program(program));
    pieces.add(labels);
    pieces.flush();
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

TableFile::~TableFile() {
  close(descriptor_);
}

MappedTable::MappedTable(const TableLayout& layout) : layout_(layout) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("the features at {} cannot be read: {}", layout.path, why));
  };
  // Numbers that came over a pipe: their products must not wrap.
  constexpr std::size_t kMost = std::size_t{1} << 40;
  if (layout.columns == 0 || layout.columns > kMost || layout.programs > kMost ||
      layout.heads > 1024 || layout.rows > kMost / layout.columns)
    refuse("it says to hold more than there can be");
  const int descriptor = open(layout.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) refuse(std::strerror(errno));
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  bytes_ = layout.bytes();
  const bool fits = known && static_cast<std::size_t>(status.st_size) == bytes_;
  void* mapping = fits ? mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, descriptor, 0) : MAP_FAILED;
  const int error = errno;
  close(descriptor);
  if (!fits) refuse(fmt::format("it has {} and not {}", quantity(status.st_size, "byte"), bytes_));
  if (mapping == MAP_FAILED) refuse(std::strerror(error));
  mapping_ = mapping;
  firstRows_ = static_cast<const std::uint64_t*>(mapping_);
  values_ = reinterpret_cast<const float*>(firstRows_ + layout.programs + 1);
  labels_ = values_ + layout.rows * layout.columns;
  bool ordered = firstRows_[0] == 0 && firstRows_[layout.programs] == layout.rows;
  for (std::size_t i = 0; i < layout.programs && ordered; ++i)
    ordered = firstRows_[i] <= firstRows_[i + 1];
  if (ordered) return;
  munmap(mapping_, bytes_);
  refuse("its programs' rows are out of order");
}

MappedTable& MappedTable::operator=(MappedTable&& other) noexcept {
  std::swap(layout_, other.layout_);
  std::swap(mapping_, other.mapping_);
  std::swap(bytes_, other.bytes_);
  std::swap(firstRows_, other.firstRows_);
  std::swap(values_, other.values_);
  std::swap(labels_, other.labels_);
  return *this;
}

MappedTable::~MappedTable() {
  if (mapping_) munmap(mapping_, bytes_);
}

} // namespace nestwright
