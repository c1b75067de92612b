"""Stub until the helper's file."""


def shares(points, calibrations):
    return points
