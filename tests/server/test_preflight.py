"""Before the server starts: invalid variables are refused, a missing host name is named."""

import pytest

from embviz.core.bounds import BOUNDS
from embviz.server import preflight


def test_an_invalid_variable_ends_the_process(hosted: pytest.MonkeyPatch) -> None:
    """Limits and switches are checked at the start, and a word for classes that can be guessed."""
    names = [*(bound.variable for bound in BOUNDS), "EMBVIZ_HOSTED", "EMBVIZ_CLASSES"]
    wrong = [(name, "yes", "='yes' is ") for name in names]
    for variable, value, said in [*wrong, ("EMBVIZ_CLASS_WORD", "1234567", " has 7 characters")]:
        with hosted.context() as changed:
            changed.setenv(variable, value)
            with pytest.raises(SystemExit, match=variable + said):
                preflight.refuse_invalid_variables()
    for word in ("12345678", ""):
        hosted.setenv("EMBVIZ_CLASS_WORD", word)
        preflight.refuse_invalid_variables()
