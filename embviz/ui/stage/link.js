// The address: `token` and `view`, which no widget holds.

const LINK_MS = 200; // pause before the address follows

// The address follows the selection after a pause, without a request: browsers refuse an address
// that changes hundreds of times in a few seconds.
function rememberInUrl(name, value) {
  if (!window.location.protocol.startsWith("http")) return; // a file, or a frame without an address
  const link = (window.embvizLink ??= new Map()); // see listen.js
  if (value === null) link.delete(name);
  else link.set(name, String(value));
  clearTimeout(window.embvizLinkTimer);
  window.embvizLinkTimer = setTimeout(() => {
    const url = new URL(window.location.href);
    for (const known of ["token", "view"]) {
      if (link.has(known)) url.searchParams.set(known, link.get(known));
      else url.searchParams.delete(known);
    }
    if (url.href !== window.location.href) window.history.replaceState({}, "", url);
  }, LINK_MS);
}
