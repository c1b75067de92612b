import torch
from torch.nn import functional as F

from embviz.limits.cases import case_named


def test_the_documentation_is_quoted_rightly() -> None:
    """PyTorch's list names what the cases say that it names, and not `nn.Embedding`."""
    listed = torch.use_deterministic_algorithms.__doc__ or ""
    flat = " ".join(listed.split())
    assert ":func:`torch.index_add` when called on CUDA tensor" in flat
    assert ":func:`torch.index_select` when attempting to differentiate a CUDA tensor" in flat
    assert ":func:`torch.Tensor.index_put` with ``accumulate=True`` when called on a CPU" in flat
    assert "nn.Embedding`" not in flat
    assert "functional.embedding" not in flat
    assert "It does not name `nn.Embedding`" in case_named("deterministic-backward-on-a-gpu").reason


def test_indexing_adds_gradients_by_index_put() -> None:
    """The gradient of `weight[ids]` is made by the operation that the case names."""
    ids, weight = torch.tensor([1, 1]), torch.zeros(4, 3, requires_grad=True)
    with torch.autograd.profiler.profile() as profile:
        (gradient,) = torch.autograd.grad(weight[ids].sum(), weight)
    assert gradient[1].tolist() == [2.0] * 3  # accumulated
    assert "aten::_index_put_impl_" in {event.name for event in profile.function_events}
    assert "`index_put` with `accumulate=True`" in case_named("index-backward-varies").reason


def test_the_gradient_is_the_sum_in_the_order_of_the_tokens() -> None:
    """In float32, another order of the tokens gives other bits, so the order is what is kept."""
    fractions = torch.rand(20_480, 2, generator=torch.Generator().manual_seed(0))
    ids = torch.arange(20_480) % 2_048
    table = torch.zeros(2_048, 2, requires_grad=True)
    (forward,) = torch.autograd.grad(F.embedding(ids, table), table, fractions)
    (backward,) = torch.autograd.grad(F.embedding(ids.flip(0), table), table, fractions.flip(0))
    assert not torch.equal(forward, backward)
    in_order = torch.zeros(2_048, 2)
    for some in fractions.view(10, 2_048, 2):
        in_order += some
    assert torch.equal(forward, in_order)


def test_the_switch_of_the_cases_is_the_one_they_name() -> None:
    """The debug mode "error" is `use_deterministic_algorithms(True)` without its warning mode."""
    try:
        torch.set_deterministic_debug_mode("error")
        assert torch.are_deterministic_algorithms_enabled()
        assert not torch.is_deterministic_algorithms_warn_only_enabled()
    finally:
        torch.set_deterministic_debug_mode("default")
    assert not torch.are_deterministic_algorithms_enabled()
