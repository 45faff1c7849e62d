"""Tournaments: many players of any kind, games that survive a kill, a table and a page of all games.

plan      what is played, from a TOML file
kept      what has been played, on disk
rounds    plays the rest
table     Elo, points, who beat whom, faults
page      report.html
reports   all that is written at the end
"""

from tengen.play.tournament.kept import PlayedGame, TournamentFolder, open_folder
from tengen.play.tournament.plan import Entrant, Plan, read_plan
from tengen.play.tournament.reports import write_reports
from tengen.play.tournament.rounds import check_players, openings_of, play_rounds
from tengen.play.tournament.table import ResultTable, make_table, table_text

__all__ = [
    "Entrant",
    "Plan",
    "PlayedGame",
    "ResultTable",
    "TournamentFolder",
    "check_players",
    "make_table",
    "open_folder",
    "openings_of",
    "play_rounds",
    "read_plan",
    "table_text",
    "write_reports",
]
