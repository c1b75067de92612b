// In a file of its own (request/one_file.py) the stage has neither a server nor a history.

for (const name of ["pushState", "replaceState"]) window.history[name] = () => {};
const fileRoot = document.getElementById("stage").shadowRoot;
const fileData = Uint8Array.from(atob(document.getElementById("data").textContent), (c) => c.charCodeAt(0));
const drawFile = () => stage({ data: fileData, parentElement: fileRoot, setStateValue: () => {} });
drawFile();
// Other dimensions are not in the file.
fileRoot.querySelectorAll(".pan button").forEach((one) => one.remove());
listenForTerms();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawFile);
