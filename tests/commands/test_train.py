import pytest

from embviz.fact.inputs import read_inputs
from embviz.settings.given import defaults
from embviz.settings.pages import SETTINGS
from embviz.training.inputs import side_by_side
from tests.commands import as_json


def test_it_trains_what_the_page_trains(capsys: pytest.CaptureFixture[str]) -> None:
    """Its numbers are those of the page's training; differences are the largest of all steps."""
    own = {"optimizer": "sparse_adam", "batches": "minibatch", "rate": "10x", "seed": "5"}
    settings = defaults(SETTINGS) | own | {"seed": 5}
    training = side_by_side(read_inputs(settings), settings.__getitem__)
    training.advance(100)
    points, last = training.points, training.points[-1]
    apart, of_gradients = (max(point[k] for point in points) for k in (3, 4))
    assert of_gradients > last.max_abs_gradient_difference
    options = [part for name, value in own.items() for part in (f"--{name}", value)]
    assert as_json(capsys, "train", *options) == {
        "steps": 100,
        "loss_embedding": last.loss_embedding,
        "loss_linear": last.loss_linear,
        "loss_per_character": last.loss_embedding,
        "max_abs_weight_difference": apart,
        "max_abs_gradient_difference": of_gradients,
        "rows_never_looked_up": int(training.unseen.sum()),
        "max_drift_of_unseen_rows": training.drift,
    }
