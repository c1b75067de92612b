"""Components whose script, style and markup the browser caches.

A message to the browser carries a bootstrap of a few lines. It imports the component's module from
`server/assets.py` once in the life of a page, and then calls it synchronously.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from embviz.server.assets import publish

# The end of each module. `root` is the component's shadow root.
_MOUNT = """
const embvizMounted = new WeakSet();
export function embvizMount(root) {
  if (embvizMounted.has(root)) return;
  embvizMounted.add(root);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(%(css)s);
  root.adoptedStyleSheets = [sheet];
  const box = document.createElement("div");
  box.innerHTML = %(html)s;
  root.append(box);
}
"""
# A proxy may serve the app below a path that the server does not know: then the second address
# works, because every page is one level below the root.
_BOOTSTRAP = """
const [path, file] = %(paths)s;
const PAUSE_MS = 1000;
let tries = 0;
const load = () => {
  const query = tries ? `?again=${tries}` : ""; // some browsers keep a failed import
  tries += 1;
  return import(new URL(path + query, location.origin))
    .catch(() => import(new URL(file + query, location)));
};
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
let module, loading;
const latest = new WeakMap(); // for each place of the component on the page
const run = (given) => {
  module.embvizMount(given.parentElement);
  return module.default(given);
};
export default function (given) {
  if (module) return run(given);
  latest.set(given.parentElement, given);
  // Streamlit shows an error instead of the component when the second import fails too.
  loading ??= load().catch(() => pause().then(load)).finally(() => (loading = undefined));
  return loading.then((loaded) => {
    module = loaded;
    return latest.get(given.parentElement) === given ? run(given) : undefined;
  });
}
"""


def looks(path: Path, *styles: Path) -> dict[str, str]:
    """Markup and style of a component, from files of that name, and more style sheets."""
    sheets = [*styles, path.with_suffix(".css")]
    css = "".join(one.read_text(encoding="utf-8") for one in sheets)
    return {"html": path.with_suffix(".html").read_text(encoding="utf-8"), "css": css}


def component(name: str, scripts: Sequence[str | Path], *, html: str = "", css: str = "") -> Any:
    """A Streamlit component.

    Args:
        name: its name, unique in the app.
        scripts: files, or source texts, joined in this order into one module. Streamlit calls its
            default export on every change of the data, and the function that it returns when the
            component leaves the page.
        html: markup, in `parentElement` before the first call.
        css: its style sheet.

    Returns:
        The mounting command, as `st.components.v2.component` returns it.
    """
    sources = [one.read_text("utf-8") if isinstance(one, Path) else one for one in scripts]
    mount = _MOUNT % {"html": json.dumps(html), "css": json.dumps(css)}
    path = publish(name, "\n".join([*sources, mount]))
    paths = json.dumps([path, "assets/" + path.rpartition("/")[2]])
    return st.components.v2.component(name, js=_BOOTSTRAP % {"paths": paths})
