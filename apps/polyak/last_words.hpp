#pragma once

// What ends the program from where nothing can be thrown: one line and the right
// exit code all the same, and outputs that were being written are removed.

#include "messages.hpp"

namespace polyak::cli {

/// From here on:
/// - a mapped input that another program shortens, or whose disk fails, while it
///   is read (SIGBUS, in any thread) ends the process with 74; any other SIGBUS
///   is what it was;
/// - memory that is refused where a library lets no exception through (so that
///   std::terminate is called) ends it with 71.
/// `messages` stays; `error_output` is where the line goes.
void prepare_last_words(const Messages& messages, int error_output);

/// There is no memory even to tell so in the usual way; returns the exit code.
int tell_no_memory();

/// For the end of main: returns the code, but for want of memory leaves at once.
/// OpenBLAS's threads ask for theirs until they get it, and exit() waits for them.
int leave(int code);

}  // namespace polyak::cli
