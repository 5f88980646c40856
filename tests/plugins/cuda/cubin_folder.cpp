/// \file Compilations on the disk: whole or not at all, within their size, whoever else is there.

#include "plugins/cuda/compile/cubin_folder.h"

#include "plugins/cuda/compile/cubin_cache.h"
#include "plugins/cuda/text/cuda_text.h"
#include "tests/plugins/cuda/gpu_programs.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <thread>

namespace nestwright::cubin_folder_test {

namespace fs = std::filesystem;
using cuda::Compiled;
using cuda::CubinFolder;

Compiled compiled(const std::string& text, std::size_t bytes = 100) {
  return {std::vector<std::uint8_t>(bytes, 7), "ptx of " + text, "log of " + text};
}

std::vector<fs::path> filesIn(const QTemporaryDir& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder.path().toStdString()))
    files.push_back(entry.path());
  return files;
}

class CubinFolderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsWrittenComesBack() {
    const QTemporaryDir folder;
    const CubinFolder cache((folder.path() + "/made/when/wanted").toStdString());
    QVERIFY(!cache.read("a"));
    cache.write("a", compiled("a"));
    const auto back = cache.read("a");
    QVERIFY(back);
    QCOMPARE(back->cubin, compiled("a").cubin);
    QCOMPARE(back->ptx, std::string("ptx of a"));
    QCOMPARE(back->log, std::string("log of a"));
    QVERIFY(!cache.read("b"));
  }

  /// A file that a full disk or a crash cut, or that is another's, is none.
  void damagedFilesAreNone() {
    const QTemporaryDir folder;
    const CubinFolder cache(folder.path().toStdString());
    cache.write("a", compiled("a"));
    const fs::path file = filesIn(folder).front();
    std::string whole;
    {
      std::ifstream in(file, std::ios::binary);
      whole.assign(std::istreambuf_iterator<char>(in), {});
    }
    const auto put = [&](const std::string& bytes) {
      std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    };
    for (std::size_t length = 0; length < whole.size(); ++length) {
      put(whole.substr(0, length));
      QVERIFY(!cache.read("a"));
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
      put(damaged);
      QVERIFY2(!cache.read("a"), std::to_string(at).c_str());
    }
    put(whole);
    QVERIFY(cache.read("a"));
    fs::rename(file, file.parent_path() / "b.cubin"); // of another text
    QVERIFY(!cache.read("b"));
    cache.write("b", compiled("b"));
    QVERIFY(cache.read("b"));
  }

  void manyMayWriteAtOnce() {
    const QTemporaryDir folder;
    const CubinFolder cache(folder.path().toStdString());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          const std::string key = "key" + std::to_string(i % 5);
          cache.write(key, compiled(key, 20'000));
          const auto back = cache.read(key);
          if (!back || back->ptx != "ptx of " + key) ++wrong;
        }
      });
    for (std::thread& thread : threads)
      thread.join();
    QCOMPARE(wrong.load(), 0);
    QCOMPARE(filesIn(folder).size(), std::size_t{5}); // no draft is left
  }

  void whatWasUsedLongestAgoGoes() {
    const QTemporaryDir folder;
    const CubinFolder cache(folder.path().toStdString(), 5000);
    for (int i = 0; i < 8; ++i) {
      cache.write(std::to_string(i), compiled("x", 1000));
      const fs::path file = fs::path(cache.path()) / (std::to_string(i) + ".cubin");
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
    }
    QVERIFY(cache.read("1")); // used just now
    std::ofstream(fs::path(cache.path()) / "old.draft") << "of a process that was killed";
    fs::last_write_time(fs::path(cache.path()) / "old.draft",
                        fs::file_time_type::clock::now() - std::chrono::hours(2));
    cache.sweep();
    QVERIFY(!cache.read("0") && !cache.read("2") && !cache.read("3"));
    QVERIFY(cache.read("1") && cache.read("7"));
    QVERIFY(!fs::exists(fs::path(cache.path()) / "old.draft"));
    std::uintmax_t bytes = 0;
    for (const fs::path& file : filesIn(folder))
      bytes += fs::file_size(file);
    QVERIFY(bytes <= 5000);
  }

  /// A disk that cannot be written to costs a compilation, and nothing else.
  void aFolderThatCannotBeIsNone() {
    const QTemporaryDir folder;
    std::ofstream(folder.filePath("file").toStdString()) << "no folder";
    const CubinFolder cache((folder.path() + "/file/cubins").toStdString());
    cache.write("a", compiled("a"));
    QVERIFY(!cache.read("a"));
    qputenv("NESTWRIGHT_CUBIN_CACHE", "");
    QVERIFY(!CubinFolder::ofPerson());
    qputenv("NESTWRIGHT_CUBIN_CACHE", "/chosen");
    QCOMPARE(CubinFolder::ofPerson()->path(), std::string("/chosen"));
    qunsetenv("NESTWRIGHT_CUBIN_CACHE");
    qputenv("XDG_CACHE_HOME", "/caches");
    QCOMPARE(CubinFolder::ofPerson()->path(), std::string("/caches/nestwright/cubins"));
    qputenv("XDG_CACHE_HOME", "relative");
    qputenv("HOME", "/home/p");
    QCOMPARE(CubinFolder::ofPerson()->path(), std::string("/home/p/.cache/nestwright/cubins"));
    qunsetenv("HOME");
    QVERIFY(!CubinFolder::ofPerson());
  }

  /// A second process, here a second cache, does not compile what the first one has.
  void anotherProcessFindsIt() {
    const QTemporaryDir folder;
    const cuda::Nvrtc compiler({NESTWRIGHT_MADE_UP_NVRTC});
    QVERIFY2(compiler.status().found, compiler.status().reason.c_str());
    const std::string source = cuda::cudaText(test::paddedStencil().function).source;
    const CubinFolder cubins(folder.path().toStdString());
    cuda::CubinCache first(1 << 20, cubins), second(1 << 20, cubins);
    const auto made = first.get(compiler, source, {{9, 0}, false});
    QVERIFY(!made->cubin.empty());
    const fs::path file = filesIn(folder).front();
    const auto when = fs::last_write_time(file) - std::chrono::hours(1);
    fs::last_write_time(file, when);
    QCOMPARE(second.get(compiler, source, {{9, 0}, false})->cubin, made->cubin);
    QVERIFY(fs::last_write_time(file) > when); // it was read, and not made anew
    QCOMPARE(filesIn(folder).size(), std::size_t{1});
    (void)second.get(compiler, source, {{8, 0}, false});
    QCOMPARE(filesIn(folder).size(), std::size_t{2});
  }
};

NW_TEST_GUILESS(CubinFolderTest)

} // namespace nestwright::cubin_folder_test

#include "cubin_folder.moc"
