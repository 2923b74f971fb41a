// Replays the inputs kept for fuzzing: each once broke something or shows a
// corner of its format. fuzz/README.md tells how to look for more.

#include <filesystem>

#include "fuzz/fuzz_file.hpp"
#include "io_testing.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

void replay(const std::string& folder, io::Format format) {
  int count = 0;
  const std::filesystem::path data(POLYAK_TEST_DATA);
  const auto path = data.parent_path() / "fuzz/corpus" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    SCOPED_TRACE(entry.path().string());
    const std::string bytes = testing::read_bytes(entry.path().string());
    const void* start = bytes.data();
    fuzz::read(format, static_cast<const std::uint8_t*>(start), bytes.size());
    ++count;
  }
  EXPECT_GT(count, 0) << path;
}

TEST(Corpus, OfNpyIsReadWithoutHarm) { replay("npy", io::Format::npy); }
TEST(Corpus, OfNpzIsReadWithoutHarm) { replay("npz", io::Format::npz); }
TEST(Corpus, OfMatrixMarketIsReadWithoutHarm) { replay("mtx", io::Format::mtx); }
TEST(Corpus, OfCsvIsReadWithoutHarm) { replay("csv", io::Format::csv); }
TEST(Corpus, OfPetscIsReadWithoutHarm) { replay("petsc", io::Format::petsc); }
TEST(Corpus, OfSvmIsReadWithoutHarm) { replay("svm", io::Format::svm); }

void replay_files(const std::string& folder, const char* ending) {
  int count = 0;
  const auto path = std::filesystem::path(POLYAK_TEST_DATA).parent_path() / "fuzz/corpus" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    SCOPED_TRACE(entry.path().string());
    const std::string bytes = testing::read_bytes(entry.path().string());
    const void* start = bytes.data();
    fuzz::read_file(ending, static_cast<const std::uint8_t*>(start), bytes.size());
    ++count;
  }
  EXPECT_GT(count, 0) << path;
}

TEST(Corpus, OfHdf5IsReadWithoutHarm) { replay_files("h5", ".h5"); }
TEST(Corpus, OfMatlabIsReadWithoutHarm) { replay_files("mat", ".mat"); }
TEST(Corpus, OfTiffIsReadWithoutHarm) { replay_files("tiff", ".tif"); }

}  // namespace
}  // namespace polyak
