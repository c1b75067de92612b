"""The inner names of other packages that this project uses: an upgrade that loses one fails here.

The hosting page lists them with their reasons.
"""

import inspect
from pathlib import Path

import pytest
import uvicorn
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime import Runtime
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.uploaded_file_manager import UploadedFileManager
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

CONTEXT = ("session_id", "is_history_navigation", "fragment_ids_this_run", "page_script_hash")


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        *((ScriptRunContext, name) for name in (*CONTEXT, "fragment_storage")),
        (ScriptRunContext, "run_with_active_hash"),
        (MemoryFragmentStorage, "resolve_target"),
        (Runtime, "is_active_session"),
        (Runtime, "close_session"),
        (UploadedFileManager, "get_files"),
    ],
    ids=str,
)
def test_an_inner_name_is_there(owner: type, name: str) -> None:
    """As a method, or as a field of a record."""
    fields = getattr(owner, "__dataclass_fields__", {})
    assert hasattr(owner, name) or name in fields


def test_what_is_read_of_running_servers_is_there() -> None:
    """Messages of a browser, and the bytes that a message of uvicorn's may collect."""
    assert BackMsg(rerun_script={}).WhichOneof("type") == "rerun_script"
    assert "string_value" in WidgetState.DESCRIPTOR.fields_by_name
    read = inspect.getsource(WebSocketsSansIOProtocol.__init__)
    assert "max_size=self.config.ws_max_size" in read
    assert "self.config = config" in inspect.getsource(H11Protocol.__init__)
    assert "loop.create_server(" in inspect.getsource(uvicorn.Server.startup)
    page = Path(runtime.__file__).parents[1] / "static" / "index.html"
    assert "<script" in page.read_text("utf-8")
    assert get_script_run_ctx(suppress_warning=True) is None
