"""The compiled part of the package, where there is one. Reading files and drawing figures work without."""

from __future__ import annotations

import functools
import types

from .errors import UserError


@functools.cache  # an import statement in a function costs as much as a small solve
def core() -> types.ModuleType:
    """tasfg._core, or a UserError that says how to get it."""
    try:
        from . import _core
    except ImportError as error:
        if getattr(error, "name", "") != "tasfg._core" and "cannot import name '_core'" not in str(error):
            raise
        raise UserError(
            "solving and simulating need the compiled part of tasfg, which this copy lacks (pip install . in the "
            "project's folder builds it; reading result files and drawing work without)"
        ) from None
    return _core
