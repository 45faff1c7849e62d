#include "tengen/selfplay/config.h"

#include <array>

#include "tengen/proof/lookahead.h"

namespace tengen {
namespace {

using C = SelfPlayConfig;
template <auto Member>
Field<C> row(std::string_view name, double low, double high, std::string_view sentence) {
  return make_field<C, Member>(name, low, high, sentence);
}

const std::array kFields{
    row<&C::full_share>("full_share", 0, 1, "Share of moves searched in full and recorded; the rest are played fast."),
    row<&C::fast_sims>("fast_sims", 0, 1e6, "Simulations of a fast search."),
    row<&C::opening_share>("opening_share", 0, 1, "Share of games that begin with random moves."),
    row<&C::opening_plies>("opening_plies", 1, 200, "Most random moves such a game begins with; at least one."),
    row<&C::opening_lookahead>("opening_lookahead", 0, kMostLookahead,
                               "Openings after which so many plies decide the game are drawn again; 0: none are."),
    row<&C::stray_share>("stray_share", 0, 0.9,
                         "Share of later moves that are random instead of searched; values are learned up to them."),
    row<&C::label_nodes>("label_nodes", 0, 1e8,
                         "Positions that proving each position of a finished game, from its end backwards, may take; "
                         "0: nothing is proven."),
    row<&C::resign_below>(
        "resign_below", -1, 0,
        "Resign when the root's value is below this; -1: never. One game in ten is played out all the same, to "
        "count wrong resignations."),
    row<&C::vary>(
        "vary", 0, 1,
        "Draw the options that the network sees anew for every game. A run sets this itself: on where what it "
        "trains leaves such options open."),
};
static_assert(arity<SelfPlayConfig>() == kFields.size(), "every member of SelfPlayConfig needs its row in kFields");

}  // namespace

std::span<const Field<SelfPlayConfig>> config_table(const SelfPlayConfig*) { return kFields; }

SearchConfig fast_search(const SearchConfig& full, const SelfPlayConfig& config) {
  SearchConfig fast = full;
  fast.sims = config.fast_sims;
  fast.noise_epsilon = 0;
  return fast;
}

}  // namespace tengen
