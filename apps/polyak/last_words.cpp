#include "last_words.hpp"

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

#include "polyak/signal_safe.hpp"
#include "ranks.hpp"
#include "signals.hpp"

// Nothing here allocates, locks or uses stdio: it runs in signal handlers.

namespace polyak::cli {
namespace {

struct sigaction before {};
const Messages* voice = nullptr;
int heard = STDERR_FILENO;
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
  // As a JSON string has it.
  void put_quoted(std::string_view text) {
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
  void write(int fd) const { static_cast<void>(!::write(fd, text_, size_)); }

 private:
  char text_[8192];
  std::size_t size_ = 0;
};

// One line, of text or JSON, around the sentence.
template <class PutSentence>
void tell(ErrorCode code, PutSentence put_sentence) {
  Line line;
  const bool json = voice != nullptr && voice->json();
  if (json) {
    line.put(R"({"event":"error","exit_code":)");
    line.put(static_cast<std::size_t>(code));
    line.put(R"(,"message":")");
  } else {
    line.put(voice != nullptr && voice->live() ? "\r\x1b[Kpolyak: " : "polyak: ");
  }
  put_sentence(line, json);
  line.put(json ? "\"}\n" : "\n");
  line.write(heard);
}

// Only the file itself can tell which of the two it was.
void put_lost(Line& line, const MappedInput& input, bool quoted) {
  const std::string_view name(input.name);
  quoted ? line.put_quoted(name) : line.put(name);
  struct stat now {};
  const bool known = ::stat(input.name, &now) == 0;
  const auto size = static_cast<std::size_t>(std::max<off_t>(0, now.st_size));
  if (!known || size >= input.bytes) {
    line.put(": the input cannot be read any more; its disk or its server fails");
    return;
  }
  line.put(": the input was shortened while it was read (found ");
  line.put(size);
  line.put(" bytes, expected ");
  line.put(input.bytes);
  line.put("); let nobody write to it and run again");
}

time_t now_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1;  // never 0
}

extern "C" void on_continue(int) { continued_at = now_s(); }

// When a rank ends, mpirun tells the others at once to continue, should they be
// stopped, and a second later to end.
bool asked_to_end() {
  constexpr time_t few_seconds = 3;
  const time_t told = continued_at;
  return signal_received() != 0 || (told != 0 && now_s() - told <= few_seconds);
}

// Of several ranks that lose the same input one should speak: each waits a little
// longer than the one before it, and says nothing once another has ended.
bool another_speaks() {
  constexpr int steps_per_rank = 25, most = 8;
  const timespec step{0, 10'000'000};
  if (rank_count() == 1) return false;
  for (int k = 0; k < steps_per_rank * std::min(rank(), most) && !asked_to_end(); ++k)
    ::nanosleep(&step, nullptr);
  return asked_to_end();
}

extern "C" void on_bus_error(int number, siginfo_t* info, void*) {
  const MappedInput input = info->si_code > 0 ? mapped_input_at(info->si_addr) : MappedInput{};
  if (input.name == nullptr) {
    ::sigaction(number, &before, nullptr);
    ::raise(number);  // comes when this returns
    return;
  }
  while (ending.test_and_set()) ::pause();  // another thread is at it
  remove_unfinished_outputs();
  if (!another_speaks())
    tell(ErrorCode::io, [&](Line& line, bool quoted) { put_lost(line, input, quoted); });
  ::_exit(static_cast<int>(ErrorCode::io));
}

// The JSON library takes memory to destroy an object, and ends here without it.
[[noreturn]] void on_terminate() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  if (thrown == nullptr || *thrown != typeid(std::bad_alloc)) std::abort();
  while (ending.test_and_set()) ::pause();
  remove_unfinished_outputs();
  ::_exit(tell_no_memory());
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void prepare_last_words(const Messages& messages, int error_output) {
  voice = &messages;
  heard = error_output;
  std::set_terminate(on_terminate);
  if (rank_count() > 1) handle(SIGCONT, on_continue);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, &before);
}

int leave(int code) {
  if (code == static_cast<int>(ErrorCode::out_of_memory)) ::_exit(code);
  return code;
}

int tell_no_memory() {
  tell(ErrorCode::out_of_memory,
       [](Line& line, bool) { line.put("there is not enough memory; free some"); });
  return static_cast<int>(ErrorCode::out_of_memory);
}

}  // namespace polyak::cli
