"""The devices that PyTorch can use on this machine. It chooses none."""

from __future__ import annotations


def available_devices() -> list[str]:
    """The devices PyTorch can use on this machine, `cpu` first."""
    import torch

    found = torch.accelerator.current_accelerator(check_available=True)
    return ["cpu", found.type] if found else ["cpu"]


def why_no_gpu() -> str:
    """The reason why no GPU is offered, in one line; `''` if one is."""
    import torch

    if len(available_devices()) > 1:
        return ""
    built = torch.version.cuda or torch.version.hip
    why = "PyTorch sees no CUDA GPU here" if built else "this PyTorch build has no CUDA"
    return f"No GPU to choose: {why}."
