#pragma once

// What the main() functions of polyak and polyak-mpi use: the commands, and the
// set-up and the end of the process around them.

#include <exception>
#include <string>
#include <vector>

#include "cli/messages.hpp"

namespace polyak::cli {

using Words = std::vector<std::string>;

/// Runs the command that words[0] names and returns the exit code; throws on
/// errors.
int run_command(const Words& words, Messages& messages);

/// Any exception as an Error.
Error as_error(const std::exception_ptr& thrown);

// The commands. Each takes the words after its name and returns the exit code.
int solve_command(const Words& words, Messages& messages);
int plan_command(const Words& words, Messages& messages);
int theory_command(const Words& words, Messages& messages);
int generate_command(const Words& words, Messages& messages);
int reproduce_command(const Words& words, Messages& messages);
int predict_command(const Words& words, Messages& messages);
int score_command(const Words& words, Messages& messages);
int info_command(const Words& words, Messages& messages);
int convert_command(const Words& words, Messages& messages);
int tomography_command(const Words& words, Messages& messages);
int bench_command(const Words& words, Messages& messages);

// Start of the process.

/// First call in main(). Writing to a closed pipe or beyond the file size limit
/// returns an error instead of killing the process; SIGINT, SIGTERM and SIGHUP
/// remove unfinished output files before the process ends; standard streams that
/// are closed are opened on /dev/null, so that no data file gets their number.
void prepare_process();

/// Installs handlers for failures that cannot be reported by an exception. They
/// write one line to `error_output`, remove unfinished output files, and end the
/// process:
/// - with 74 if a memory-mapped input cannot be read, because another program
///   shortened the file or the disk fails (SIGBUS, in any thread); any other
///   SIGBUS has the default effect;
/// - with 71 if memory runs out where no exception may pass (std::terminate).
/// `messages` must outlive the process's work.
void install_fatal_handlers(const Messages& messages, int error_output);

// End of the process.

/// Reports that memory ran out, without allocating; returns the exit code.
int report_no_memory();

/// The end of main: returns the code. Out of memory it calls _exit instead, because
/// exit() would wait for OpenBLAS's threads, which retry their allocation forever.
int leave(int code);

}  // namespace polyak::cli
