"""Components whose script, style and markup the browser caches.

A message to the browser carries a bootstrap of a few lines. It imports the component's script from
`server/assets.py` once in the life of a page, and then calls it synchronously.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import streamlit as st

from embviz.server.addresses import under_base
from embviz.server.assets import publish
from embviz.ui.elements import scripts

# A proxy may serve the app below a path that the server does not know: then the second base works,
# because every page is one level below the root. Each try has a folder of its own, because some
# browsers keep a failed import; the server gives the same script in all of them.
_BOOTSTRAP = """
const [known, folder, name] = %(given)s;
const RETRY_MS = 1000;
let tries = 0;
const from = async (base) => {
  const module = await import(new URL(`${folder}/${tries}/${name}`, base));
  return { module, base };
};
const load = () => {
  tries += 1;
  const bases = [new URL(known, location.origin), new URL(".", location)];
  return from(bases[0]).catch(() => from(bases[1]));
};
const pause = () => new Promise((resolve) => setTimeout(resolve, RETRY_MS));
let loaded, loading;
const latest = new WeakMap(); // for each place of the component on the page
const run = (given) => {
  loaded.module.mount?.(given.parentElement);
  return loaded.module.default({ ...given, base: loaded.base });
};
export default function (given) {
  if (loaded) return run(given);
  latest.set(given.parentElement, given);
  // Streamlit shows an error instead of the component when the second import fails too.
  loading ??= load().catch(() => pause().then(load)).finally(() => (loading = undefined));
  return loading.then((found) => {
    loaded = found;
    return latest.get(given.parentElement) === given ? run(given) : undefined;
  });
}
"""
# The folder of all bundles, with the hash of all of them in its name.
_ADDRESS = publish(scripts.bundles())


def component(name: str, script: Path) -> Any:
    """A Streamlit component.

    Args:
        name: its name, unique in the app.
        script: its file in `embviz`. Streamlit calls its default export on every change of the
            data, with the base address of the app as `base`. That returns what Streamlit calls when
            the component leaves the page.

    Returns:
        The mounting command, as `st.components.v2.component` returns it.
    """
    base = under_base("").rstrip("/") + "/"
    given = json.dumps([base, _ADDRESS, scripts.name_of(script)])
    return st.components.v2.component(name, js=_BOOTSTRAP % {"given": given})
