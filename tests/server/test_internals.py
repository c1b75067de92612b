"""Internals of other packages that embviz reads: each is there, and the hosting guide lists it."""

import ast
import logging
from pathlib import Path

import pytest
import streamlit as st
import torch
from streamlit import config
from streamlit.runtime import app_session, uploaded_file_manager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import ScriptRunContext
from streamlit.web.server.starlette.starlette_routes import (
    BASE_ROUTE_CORE,
    BASE_ROUTE_UPLOAD_FILE,
)
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from embviz.server import admission, guard

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "embviz" / "server" / "README.md").read_text(encoding="utf-8")
GUIDE = GUIDE[GUIDE.index("## Internals of other packages") :]


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Runtime, "uploaded_file_mgr"),
        (MemoryUploadedFileManager("/"), "file_storage"),
        (config, "get_option"),
        (config, "set_option"),
        (config, "get_where_defined"),
        (config, "on_config_parsed"),
        (app_session, "_populate_theme_msg"),
        (st.secrets, "load_if_toml_exists"),
        (ScriptRunContext, "is_history_navigation"),
        (uploaded_file_manager, "DeletedFile"),
        (uploaded_file_manager, "UploadedFile"),
        (logging.root.manager, "loggerDict"),
        (torch.Tensor, "_indices"),
    ],
)
def test_an_internal_is_there_and_listed(owner: object, name: str) -> None:
    """A new version that removes an internal fails here, by name."""
    assert hasattr(owner, name)
    assert name in GUIDE


def test_paths_and_cookie_are_streamlits() -> None:
    """The guard and the admission know the paths and the cookie that Streamlit uses."""
    assert f"{XSRF_COOKIE_NAME}=".encode() == admission._VISITED
    assert f"/{BASE_ROUTE_UPLOAD_FILE}/" == guard._UPLOAD
    assert guard._METRICS.startswith(f"/{BASE_ROUTE_CORE}/")
    assert admission._STREAM.startswith(f"/{BASE_ROUTE_CORE}/")
    for name in (XSRF_COOKIE_NAME, guard._UPLOAD, guard._METRICS, admission._STREAM):
        assert f"`{name}`" in GUIDE


def test_every_inner_module_of_streamlit_is_listed() -> None:
    """A module below `streamlit.` that the source imports stands in the guide."""
    public = {"streamlit.delta_generator", "streamlit.errors"}
    used = set()
    for path in (ROOT / "embviz").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("streamlit."):
                used.add(node.module)
    assert used >= {"streamlit.proto.BackMsg_pb2", "streamlit.delta_generator"}
    assert [name for name in used - public if f"`{name}" not in GUIDE] == []
