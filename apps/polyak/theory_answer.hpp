#pragma once

// The answer of `polyak theory`: one JSON object, and the same for people.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "theory_facts.hpp"

namespace polyak::cli {

/// Infinite is "inf"; what is unknown is absent.
nlohmann::ordered_json theory_answer(const TheoryRequest& request, const TheoryFacts& facts);

/// What a reader of that answer should know besides, in sentences.
std::vector<std::string> theory_notes(const TheoryRequest& request, const TheoryFacts& facts,
                                      const nlohmann::ordered_json& answer);

std::string theory_text(const TheoryRequest& request, const TheoryFacts& facts,
                        const nlohmann::ordered_json& answer);

}  // namespace polyak::cli
