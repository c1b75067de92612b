"""The timing page's settings: the question that they match, and the cases they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from functools import cache
from typing import Any

from embviz.system.devices import available_devices
from embviz.text.refused import refusals_about
from embviz.timing.measure.axes import VARY
from embviz.timing.measure.timed import Timed, plan
from embviz.timing.settings import MODEL_SIZES
from embviz.timing.settings import PAGE as TIMING
from embviz.timing.tell.my_model import ModelSizes
from embviz.timing.tell.questions import MY_MODEL, OWN, RECORDS


@cache
def settings_of(question: str) -> Mapping[str, Any]:
    """The settings that a question decides: all of the page but the sizes of My model."""
    usual = {record.name: record.default for record in TIMING.settings if record not in MODEL_SIZES}
    return {**usual, **RECORDS[question].settings}


def question_of(settings: Mapping[str, Any]) -> str:
    """The name of the question that has these settings; OWN where none has."""
    if settings["my_model"]:
        return MY_MODEL
    for name in RECORDS:
        if all(settings[key] == value for key, value in settings_of(name).items()):
            return name
    return OWN


def cases_of(settings: Mapping[str, Any]) -> list[Timed]:
    """The cases of a sweep with these settings.

    Raises:
        CaseError: with what does not fit, and the setting that it is about.
    """
    if settings["my_model"]:
        return model_of(settings).cases(settings["threads"], device_of_model())
    axis = VARY[settings["vary"]]
    fixed = {axis.field: settings[axis.parameter] for axis in VARY.values()}
    with refusals_about("values", instead_of=(axis.parameter,)):
        return plan(
            settings["vary"],
            axis.read(settings["values"]) or axis.values,
            settings["methods"],
            settings["devices"],
            caches=settings["cache"],
            precisions=settings["precision"],
            mode=settings["mode"],
            **fixed,
        )


def device_of_model() -> str:
    """The device on which *My model* is timed: a GPU, where there is one."""
    return "cuda" if "cuda" in available_devices() else "cpu"


def model_of(settings: Mapping[str, Any]) -> ModelSizes:
    """The model of *My model*."""
    return ModelSizes(*(settings[record.name] for record in MODEL_SIZES))


def settings_of_model(model: ModelSizes) -> Mapping[str, Any]:
    """The settings that give this model."""
    names = [record.name for record in MODEL_SIZES]
    return dict(zip(names, astuple(model), strict=True))
