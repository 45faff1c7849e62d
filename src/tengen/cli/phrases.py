"""What the terminal game says, in each language. A test checks that all languages have all phrases."""

import os

PHRASES = {
    "en": {
        "first": "first player",
        "second": "second player",
        "welcome": "{game} against {opponent}. Type a move such as {move}, or: help, hint, analyze, undo, quit.",
        "welcome_both": "{game}. Type a move such as {move}, or: help, hint, analyze, undo, quit.",
        "demo": "{game}: {opponent} plays both sides.",
        "prompt": "{mark} {side}> ",
        "plays": "{mark} {side} ({opponent}) plays {move}",
        "forfeits": "{mark} {side} ({opponent}) gives up the game: {reason}",
        "wins": "{mark} The {side} wins after {plies} plies.",
        "draw": "A draw after {plies} plies.",
        "moves": "Moves: {moves}",
        "hint": "Try {move} (expected score {score}).",
        "hint_lead": "Try {move} (expected score {score}, lead {lead} points).",
        "hint_next": "Next best: {moves}",
        "hint_more": "Next best: {moves}, and {count} more",
        "captures": "Captured stones: {first} by the first player, {second} by the second.",
        "score": "Score: first player {first}, second player {second} ({result}).",
        "goal": "{mark} The {side} connects {goal}.",
        "goal_top_bottom": "the top side with the bottom side",
        "goal_left_right": "the left side with the right side",
        "nothing_to_undo": "There is no move of yours to take back.",
        "bye": "Goodbye.",
        "serving": "Tengen is at {address} (Ctrl-C ends it)",
        "serving_next": "For another browser: {address}",
        "help": "  MOVE      play it, for example {move}\n"
        "  hint      a good move, and the next best\n"
        "  analyze   what a search thinks of every move\n"
        "  undo      take back your last move\n"
        "  quit      leave the game",
    },
    "zh": {
        "first": "先手",
        "second": "后手",
        "welcome": "{game}，对手 {opponent}。输入着法（例如 {move}），或输入：帮助、提示、分析、悔棋、退出。",
        "welcome_both": "{game}。输入着法（例如 {move}），或输入：帮助、提示、分析、悔棋、退出。",
        "demo": "{game}：{opponent} 执双方对弈。",
        "prompt": "{mark} {side}> ",
        "plays": "{mark} {side}（{opponent}）走 {move}",
        "forfeits": "{mark} {side}（{opponent}）弃局：{reason}",
        "wins": "{mark} {side}获胜，共 {plies} 步。",
        "draw": "平局，共 {plies} 步。",
        "moves": "棋谱：{moves}",
        "hint": "可以走 {move}（预期得分 {score}）。",
        "hint_lead": "可以走 {move}（预期得分 {score}，分差 {lead}）。",
        "hint_next": "其次：{moves}",
        "hint_more": "其次：{moves}，另有 {count} 个着法",
        "captures": "提子：先手 {first}，后手 {second}。",
        "score": "得分：先手 {first}，后手 {second}（{result}）。",
        "goal": "{mark} {side}连接{goal}。",
        "goal_top_bottom": "上下两边",
        "goal_left_right": "左右两边",
        "nothing_to_undo": "没有可以悔的棋。",
        "bye": "再见。",
        "serving": "天元已启动：{address}（按 Ctrl-C 结束）",
        "serving_next": "在另一个浏览器中打开：{address}",
        "help": "  着法            落子，例如 {move}\n"
        "  提示 hint       一步好棋，以及其次的几步\n"
        "  分析 analyze    搜索对每个着法的评价\n"
        "  悔棋 undo       收回你的上一步\n"
        "  退出 quit       离开",
    },
}

COMMANDS = {
    "help": {"help", "h", "?", "帮助"},
    "hint": {"hint", "moves", "提示"},
    "analyze": {"analyze", "analyse", "分析"},
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
