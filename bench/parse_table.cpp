// The speed of the parser alone: reads a text table once with all threads, as a solve of a stream
// does, and forgets the numbers. Prints rows, bytes of text and seconds.
//   bench_parse_table [FILE.csv [THREADS]]     (without a file, or "-": standard input)
// Under the test suite ("brief") it reads a few lines.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "linalg/block_qr.hpp"
#include "polyak/table_stream.hpp"

namespace {

// Standard input becomes a few lines.
bool use_brief_input() {
  const std::string text = "1,2,3\n4,5,6\n7,8,9\n";
  int ends[2];
  if (::pipe(ends) != 0 || ::dup2(ends[0], STDIN_FILENO) < 0) return false;
  const bool written = ::write(ends[1], text.data(), text.size()) == std::ssize(text);
  return ::close(ends[1]) == 0 && written;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace polyak;
  ReadOptions options;
  options.storage = Storage::stream;
  const std::string file = argc > 1 ? argv[1] : "-";
  if (file == "brief" && !use_brief_input()) return 1;
  const unsigned threads =
      argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : std::thread::hardware_concurrency();
  const auto start = std::chrono::steady_clock::now();
  const auto stream = open_table({file == "brief" ? "-" : file}, options).stream;
  const Index cols = stream->cols(), block = BlockShape::of(cols + 1).rows;
  std::mutex input;
  Index rows = 0;
  const auto work = [&] {
    std::vector<double> values(to_size(block * cols));
    for (;;) {
      std::unique_ptr<RowPiece> piece;
      {
        const std::lock_guard lock(input);
        piece = stream->next(block);
        if (!piece) return;
        rows += piece->rows();
      }
      piece->copy({values.data(), piece->rows(), cols, cols}, {});
    }
  };
  std::vector<std::thread> team;
  for (unsigned k = 1; k < threads; ++k) team.emplace_back(work);
  work();
  for (std::thread& one : team) one.join();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("{\"rows\": %lld, \"text_bytes\": %.0f, \"seconds\": %.4f}\n",
              static_cast<long long>(rows), stream->text_bytes(), seconds.count());
}
