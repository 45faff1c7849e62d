"""The public names: sorted, complete, documented, typed."""

import inspect
from importlib.resources import files
from types import ModuleType

import pytest

import tengen
from tengen import games


def public_names(module: ModuleType) -> set[str]:
    """Names a reader would take for public; submodules count only when they are listed."""
    listed = set(module.__all__)
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and (name in listed or not inspect.ismodule(value))
    }


@pytest.mark.parametrize("module", [tengen, games])
def test_all_is_sorted_and_exact(module: ModuleType) -> None:
    assert module.__all__ == sorted(module.__all__)
    assert set(module.__all__) == public_names(module)


@pytest.mark.parametrize("module", [tengen, games])
def test_every_public_name_is_documented(module: ModuleType) -> None:
    assert module.__doc__
    for name in module.__all__:
        assert vars(module)[name].__doc__, f"{module.__name__}.{name} has no docstring"


@pytest.mark.parametrize("cls", [tengen.Game, tengen.State])
def test_every_method_is_documented(cls: type) -> None:
    for name, member in vars(cls).items():
        if not name.startswith("_"):
            assert member.__doc__, f"{cls.__name__}.{name} has no docstring"


def test_errors_are_value_errors() -> None:
    assert issubclass(tengen.GameError, ValueError)


def test_the_package_is_typed() -> None:
    assert (files("tengen") / "py.typed").is_file()
