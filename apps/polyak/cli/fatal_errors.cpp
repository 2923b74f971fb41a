#include <cxxabi.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

#include "cli/stopping.hpp"
#include "polyak/signal_safe.hpp"
#include "program.hpp"
#include "ranks.hpp"

// Failures that cannot be reported by an exception. This code runs in signal
// handlers: it does not allocate, lock or use stdio.

namespace polyak::cli {
namespace {

struct sigaction previous_bus_action {};
const Messages* log_style = nullptr;  // text or JSON, terminal or not
int error_fd = STDERR_FILENO;
std::atomic_flag ending = ATOMIC_FLAG_INIT;
std::atomic<time_t> continued_at{0};

class Line {
 public:
  void put(char c) {
    if (size_ < sizeof(text_)) text_[size_++] = c;
  }
  void put(std::string_view text) {
    for (char c : text) put(c);
  }
  void put(std::size_t number) {
    if (number >= 10) put(number / 10);
    put(static_cast<char>('0' + number % 10));
  }
  // The inside of a JSON string.
  void put_json(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20) {
        put("\\u00"), put(digits[byte / 16]), put(digits[byte % 16]);
      } else {
        if (c == '"' || c == '\\') put('\\');
        put(c);
      }
    }
  }
  // Control bytes, also those of UTF-8 (0xc2 and 0x80 to 0x9f), as question marks.
  void put_printable(std::string_view text) {
    for (std::size_t k = 0; k < text.size(); ++k) {
      const auto byte = static_cast<unsigned char>(text[k]);
      const auto next = static_cast<unsigned char>(k + 1 < text.size() ? text[k + 1] : ' ');
      const bool two = byte == 0xc2 && next >= 0x80 && next <= 0x9f;
      put(byte < 0x20 || byte == 0x7f || two ? '?' : text[k]);
      k += two;
    }
  }
  void write(int fd) const { static_cast<void>(!::write(fd, text_, size_)); }

 private:
  char text_[8192];
  std::size_t size_ = 0;
};

// Writes the sentence as one line of text or JSON.
template <class PutSentence>
void write_error_line(ErrorCode code, PutSentence put_sentence) {
  Line line;
  const bool json = log_style != nullptr && log_style->json();
  if (json) {
    line.put(R"({"event":"error","exit_code":)");
    line.put(static_cast<std::size_t>(code));
    line.put(R"(,"message":")");
  } else {
    line.put(log_style != nullptr && log_style->live() ? "\r\x1b[Kpolyak: " : "polyak: ");
  }
  put_sentence(line, json);
  line.put(json ? "\"}\n" : "\n");
  line.write(error_fd);
}

// The size of the file now shows whether it was shortened or cannot be read.
void put_lost_input(Line& line, const MappedInput& input, bool json) {
  const std::string_view name(input.name);
  json ? line.put_json(name) : line.put_printable(name);
  struct stat now {};
  const bool known = ::stat(input.name, &now) == 0;
  const auto size = static_cast<std::size_t>(std::max<off_t>(0, now.st_size));
  if (!known || size >= input.bytes) {
    line.put(": the input can no longer be read; its disk or file server fails");
    return;
  }
  line.put(": the input was shortened while it was read (found ");
  line.put(size);
  line.put(" bytes, expected ");
  line.put(input.bytes);
  line.put("); run again when no other program writes to it");
}

time_t now_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1;  // never 0
}

extern "C" void on_continue(int) { continued_at = now_s(); }

// When a rank ends, mpirun sends SIGCONT to the other ranks at once, and SIGTERM a
// second later.
bool another_rank_ended() {
  constexpr time_t window_s = 3;
  const time_t continued = continued_at;
  return signal_received() != 0 || (continued != 0 && now_s() - continued <= window_s);
}

// If several ranks lose the same input, one line is enough: rank r waits r · 0.25 s,
// and writes nothing if another rank has ended by then.
bool another_rank_reports() {
  constexpr int steps_per_rank = 25, max_delays = 8;
  const timespec step{0, 10'000'000};
  if (rank_count() == 1) return false;
  const int steps = steps_per_rank * std::min(rank(), max_delays);
  for (int k = 0; k < steps && !another_rank_ended(); ++k) ::nanosleep(&step, nullptr);
  return another_rank_ended();
}

extern "C" void on_bus_error(int number, siginfo_t* info, void*) {
  const MappedInput input = info->si_code > 0 ? mapped_input_at(info->si_addr) : MappedInput{};
  if (input.name == nullptr) {
    ::sigaction(number, &previous_bus_action, nullptr);
    ::raise(number);  // delivered when this handler returns
    return;
  }
  while (ending.test_and_set()) ::pause();  // another thread is ending the process
  remove_unfinished_outputs();
  if (!another_rank_reports())
    write_error_line(ErrorCode::io,
                     [&](Line& line, bool json) { put_lost_input(line, input, json); });
  ::_exit(static_cast<int>(ErrorCode::io));
}

// The JSON library allocates in a destructor; a failure there calls std::terminate.
[[noreturn]] void on_terminate() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  if (thrown == nullptr || *thrown != typeid(std::bad_alloc)) std::abort();
  while (ending.test_and_set()) ::pause();
  remove_unfinished_outputs();
  ::_exit(report_no_memory());
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void install_fatal_handlers(const Messages& messages, int error_output) {
  log_style = &messages;
  error_fd = error_output;
  std::set_terminate(on_terminate);
  if (rank_count() > 1) handle(SIGCONT, on_continue);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, &previous_bus_action);
}

int leave(int code) {
  if (code == static_cast<int>(ErrorCode::out_of_memory)) ::_exit(code);
  return code;
}

int report_no_memory() {
  write_error_line(ErrorCode::out_of_memory,
                   [](Line& line, bool) { line.put("there is not enough memory; free some"); });
  return static_cast<int>(ErrorCode::out_of_memory);
}

}  // namespace polyak::cli
