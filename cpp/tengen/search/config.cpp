#include "tengen/search/config.h"

#include <array>

#include "tengen/proof/lookahead.h"

namespace tengen {
namespace {

using C = SearchConfig;
template <auto Member>
Field<C> row(std::string_view name, double low, double high, std::string_view sentence,
             std::vector<std::string_view> choices = {}) {
  return make_field<C, Member>(name, low, high, sentence, std::move(choices));
}

const std::array kFields{
    row<&C::sims>("sims", 0, 1e9,
                  "Simulations per move; visits inherited from the last search count. 0: the network alone."),
    row<&C::seconds>("seconds", 0, 1e6, "Time per move; 0: no limit but the simulations."),
    row<&C::leaves>("leaves", 1, 1024,
                    "Leaves a tree gathers before the network is asked: 1 in self-play, 8 for a single game."),
    row<&C::rule>("rule", 0, 2,
                  "How moves are selected: puct; gumbel, with sequential halving at the root and puct below it; ucb1, "
                  "for pure MCTS.",
                  {"puct", "gumbel", "ucb1"}),
    row<&C::c_init>("c_init", 0, 100, "Exploration constant at the first visit; of ucb1, at every visit."),
    row<&C::c_base>("c_base", 1, 1e9, "Visits after which exploration has grown noticeably."),
    row<&C::c_factor>("c_factor", 0, 100, "How much exploration grows with visits; 0: a fixed constant."),
    row<&C::prior_temperature>("prior_temperature", 0.1, 100,
                               "Temperature of the network's policy as the tree's priors; above 1 it counts for less."),
    row<&C::fpu_mode>("fpu_mode", 0, 3, "First-play urgency: what an unvisited move is assumed to be worth.",
                      {"reduction", "zero", "infinite", "scaled"}),
    row<&C::fpu_reduction>("fpu_reduction", 0, 2, "How far below its parent an unvisited move is assumed to be."),
    row<&C::mlh_mode>("mlh_mode", 0, 1,
                      "How moves-left enters selection: q scales with the value, lc0 only in decided positions.",
                      {"q", "lc0"}),
    row<&C::mlh_slope>("mlh_slope", 0, 1, "Preference for short wins and long losses, per ply; 0: off."),
    row<&C::mlh_cap>("mlh_cap", 0, 1, "Largest effect of moves-left on a score."),
    row<&C::lead_slope>("lead_slope", 0, 1,
                        "Preference for winning by more and losing by less, per point of the expected lead, in games "
                        "that are counted; 0: off."),
    row<&C::discount>("discount", 0.5, 1, "Value kept per ply; below 1 near results count for more."),
    row<&C::solver>("solver", 0, 1, "Prove wins, draws and losses in the tree and use the proofs."),
    row<&C::lookahead>("lookahead", 0, kMostLookahead,
                       "Plies that the solver looks ahead of a new position for the end of the game, before the "
                       "network is asked."),
    row<&C::threats>("threats", 0, 1e5,
                     "Positions that the solver may look at, before the network is asked, to find a forced win by "
                     "threats that leave one answer each; 0: off. Only in games that offer it."),
    row<&C::prove_nodes>(
        "prove_nodes", 0, 1e6,
        "Positions that the solver may look at to prove a new position by exhaustive search: where that is enough, its "
        "value counts instead of the network's; not where earlier positions matter (Go)."),
    row<&C::noise_epsilon>("noise_epsilon", 0, 1,
                           "Share of Dirichlet noise in the root's priors: 0.25 in self-play, 0 in play."),
    row<&C::noise_alpha>("noise_alpha", 0, 100,
                         "Concentration of the noise; 0: 10.83 divided by the number of legal moves."),
    row<&C::virtual_mode>("virtual_mode", 0, 1, "What a descent in flight counts as: visits, or lost visits.",
                          {"visits", "loss"}),
    row<&C::virtual_weight>("virtual_weight", 0.1, 100, "Losses a descent in flight counts as, in mode loss."),
    row<&C::temperature>("temperature", 0, 100, "Temperature of the played move before ply temperature_plies."),
    row<&C::temperature_plies>("temperature_plies", 0, 10000, "Plies from the start of the game that use temperature."),
    row<&C::temperature_end>("temperature_end", 0, 100, "Temperature from then on; 0: the best move."),
    row<&C::tree_reuse>("tree_reuse", 0, 1, "Keep the played move's subtree for the next search."),
    row<&C::max_nodes>(
        "max_nodes", 0, 4e8,
        "Most nodes of one tree, which is then searched on without growing; 0: what 1 GB holds, shared by "
        "all trees of a batch."),
    row<&C::cache_mb>("cache_mb", 0, 1e6, "Memory for remembered network answers; 0: off."),
};
static_assert(arity<SearchConfig>() == kFields.size(), "every member of SearchConfig needs its row in kFields");

}  // namespace

std::span<const Field<SearchConfig>> config_table(const SearchConfig*) { return kFields; }

void validate(const SearchConfig& config) {
  if (config.rule == Rule::gumbel && config.noise_epsilon > 0)
    throw ConfigError("rule=gumbel excludes noise_epsilon: set it to 0, or use rule=puct");
}

}  // namespace tengen
