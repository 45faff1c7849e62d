"""What the terminal game says, in each language. A test checks that all languages have all phrases."""

import os

PHRASES = {
    "en": {
        "first": "first player",
        "second": "second player",
        "welcome": "{game}. Type a move such as {move}, or: help, hint, undo, quit.",
        "demo": "{game}: two random players.",
        "prompt": "{mark} {side}> ",
        "random_plays": "{mark} {side} (random) plays {move}",
        "wins": "{mark} The {side} wins after {plies} plies.",
        "draw": "A draw after {plies} plies.",
        "moves": "Moves: {moves}",
        "legal": "Legal moves: {moves}",
        "nothing_to_undo": "There is no move of yours to take back.",
        "bye": "Goodbye.",
        "help": "  MOVE   play it, for example {move}\n"
        "  hint   list the legal moves\n"
        "  undo   take back your last move\n"
        "  quit   leave the game",
    },
    "zh": {
        "first": "先手",
        "second": "后手",
        "welcome": "{game}。输入着法（例如 {move}），或输入：帮助、提示、悔棋、退出。",
        "demo": "{game}：两个随机棋手对弈。",
        "prompt": "{mark} {side}> ",
        "random_plays": "{mark} {side}（随机）走 {move}",
        "wins": "{mark} {side}获胜，共 {plies} 步。",
        "draw": "平局，共 {plies} 步。",
        "moves": "棋谱：{moves}",
        "legal": "合法着法：{moves}",
        "nothing_to_undo": "没有可以悔的棋。",
        "bye": "再见。",
        "help": "  着法         落子，例如 {move}\n"
        "  提示 hint    列出合法着法\n"
        "  悔棋 undo    收回你的上一步\n"
        "  退出 quit    离开",
    },
}

COMMANDS = {
    "help": {"help", "h", "?", "帮助"},
    "hint": {"hint", "moves", "提示"},
    "undo": {"undo", "u", "悔棋"},
    "quit": {"quit", "q", "exit", "退出"},
}


def language() -> str:
    """The environment's language, English unless there are phrases for it."""
    setting = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "en")
    return setting[:2] if setting[:2] in PHRASES else "en"


def command(text: str) -> str | None:
    """The command that a typed line names, if it is one."""
    return next((name for name, words in COMMANDS.items() if text.lower() in words), None)
