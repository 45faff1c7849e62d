"""Settings. The search's options are defined once, in the C++ core; everything else derives from that table.

>>> SearchConfig(sims=100, fpu_mode="zero")
SearchConfig(sims=100, fpu_mode=zero)
"""

from tengen._core import ConfigError, SearchConfig

__all__ = ["ConfigError", "SearchConfig", "parse_settings"]


def parse_settings(config: SearchConfig, settings: list[str]) -> SearchConfig:
    """Applies `search.NAME=VALUE` texts, as given to `--set`. Raises ConfigError.

    >>> parse_settings(SearchConfig(), ["search.sims=50", "search.solver=off"])
    SearchConfig(sims=50, solver=off)
    """
    changes: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.startswith("search."):
            raise ConfigError(f"a setting is search.NAME=VALUE, such as search.sims=200, not {setting!r}")
        changes[name.removeprefix("search.")] = value
    return config.replace(**changes)
