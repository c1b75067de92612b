// The address: `token` and `view`, which no widget holds.

const LINK_MS = 200; // pause before the address follows

// The address follows the selection after a pause, without a request: browsers refuse an address
// that changes hundreds of times in a few seconds.
function rememberInUrl(name, value) {
  const link = (window.embvizLink ??= new Map()); // see address.js
  link.set(name, value === null ? null : String(value));
  clearTimeout(window.embvizLinkTimer);
  window.embvizLinkTimer = setTimeout(() => history.replaceState({}, "", window.location.href), LINK_MS);
}
