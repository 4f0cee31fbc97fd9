"""The checks of the course, and all that runs them.

In a notebook, `from autograder import check` gives the door that the locked check cells use; in a
terminal, `pytest autograder` is the same bank of checks.
"""

__version__ = "0.1.0"
__all__ = ["assemble", "check"]


def __getattr__(name: str) -> object:
    if name in __all__:  # late, because the doors need torch and pytest's plugin at start-up does not
        from autograder import door

        return getattr(door, name)
    raise AttributeError(f"module 'autograder' has no attribute '{name}'")
