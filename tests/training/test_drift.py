import pytest
import torch

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.drift import after_last_lookup, claims, unseen_rows
from embviz.training.optimizers import OPTIMIZERS

torch.set_num_threads(1)

CONFIG = Config("", 20, 5)
IDS = torch.tensor([4, 2, 4, 9, 4, 2])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_rows_never_looked_up_stay_exactly_or_move(name: str) -> None:
    """Rows that are never looked up move only under weight decay."""
    claim = unseen_rows(CONFIG, IDS, name)
    assert claim.holds
    assert claim.outcome.startswith("17 rows travelled")
    drift = claim.path[claim.lookups == 0]
    if name in ("weight_decay", "adamw"):
        assert (drift > 0).all()
        assert (claim.moved > 0).all()
    else:
        assert (drift == 0).all()
        assert "travelled exactly 0" in claim.outcome
    assert (claim.path[[2, 4, 9]] > 0).all()
    assert claim.lookups[[2, 4, 9, 0]].tolist() == [120, 180, 60, 0]


def test_decay_alone_shrinks_a_row_by_its_formula() -> None:
    """Under weight decay an unseen row shrinks by the formula."""
    claim = unseen_rows(CONFIG, IDS, "weight_decay")
    expected = tie(CONFIG).embedding.weight.detach().norm(dim=1) * (1 - (1 - 0.5 * 0.01) ** 60)
    unseen = claim.lookups == 0
    torch.testing.assert_close(claim.path[unseen], expected[unseen], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_row_after_its_last_lookup_stays_exactly_or_moves_on(name: str) -> None:
    """After its last lookup a row moves only under momentum, Adam and weight decay."""
    claim = after_last_lookup(CONFIG, IDS, name)
    assert claim.holds
    assert claim.outcome.startswith("1 row travelled")
    assert claim.lookups[[2, 4, 9]].tolist() == [120, 30, 60]
    assert (claim.last_lookup, len(claim.moved)) == (10, 60)
    assert (claim.moved[:10] > 0).all()
    if name in ("momentum", "weight_decay", "adam", "adamw"):
        assert (claim.moved[10:40] > 0).all()
    else:
        assert (claim.moved[10:] == 0).all()


def test_the_claims_of_the_page_hold() -> None:
    """The page's claims hold, for another table too."""
    found = list(claims(Config("", 20, 5, seed=7, init="xavier_uniform"), IDS))
    assert len(found) == 8
    assert all(claim.holds for claim in found), [c.title for c in found if not c.holds]


@pytest.mark.parametrize("name", ["sgd", "weight_decay"])
def test_without_a_row_to_watch_there_is_no_verdict(name: str) -> None:
    """A claim about no row at all is neither true nor false."""
    claim = unseen_rows(Config("", 3, 2), torch.tensor([0, 1, 2]), name)
    assert claim.holds is None
    assert "No row is left to watch" in claim.outcome


def test_rows_of_zeros_neither_refute_nor_prove_decay() -> None:
    """Decay cannot move a row of zeros: it is not watched, and alone it gives no verdict."""
    config, ids = Config("", 4, 2, init="own"), torch.tensor([0, 1])
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [0.0, 0.0]])
    claim = unseen_rows(config, ids, "weight_decay", table)
    assert claim.holds
    assert claim.outcome.startswith("1 row travelled")
    table[2] = 0.0
    assert unseen_rows(config, ids, "weight_decay", table).holds is None
    assert unseen_rows(config, ids, "sgd", table).holds


def test_divergence_is_told_and_no_claim_is_made_of_it() -> None:
    """A training that diverges refutes the claim and says so."""
    table = torch.full((4, 2), 3e38)
    claim = unseen_rows(Config("", 4, 2, init="own"), torch.tensor([0, 1]), "momentum", table)
    assert claim.holds is False
    assert claim.outcome.startswith("Stopped at step")


def test_a_token_that_cannot_be_left_out_is_refused() -> None:
    """The only token of a text is refused."""
    with pytest.raises(ValueError, match="must hold it and at least one other"):
        after_last_lookup(CONFIG, torch.tensor([3, 3]), "sgd")
