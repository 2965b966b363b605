"""What happens to threads when the process forks: the child has none but the one that forked."""

import os
import weakref
from typing import Protocol


class Threaded(Protocol):
    """Something that has threads, which it has to know are gone."""

    def before_fork(self) -> None:
        """Come to rest; called in the parent, by the thread that forks."""
        ...

    def after_fork(self) -> None:
        """Go on without the threads; called in the child."""
        ...


_known: weakref.WeakSet[Threaded] = weakref.WeakSet()


def tell_of_forks(threaded: Threaded) -> None:
    """Call `threaded.before_fork` before every fork and `after_fork` in every child, as long as it is alive."""
    _known.add(threaded)


def _come_to_rest() -> None:
    for threaded in list(_known):
        threaded.before_fork()


def _go_on() -> None:
    for threaded in list(_known):
        threaded.after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(before=_come_to_rest, after_in_child=_go_on)
