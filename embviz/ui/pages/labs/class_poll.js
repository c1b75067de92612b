// Asks every 3 s for the class's version, and reruns the page where it is another one.
export default function ({ data, parentElement: root, setTriggerValue }) {
  clearInterval(root.timer);
  root.timer = setInterval(async () => {
    if (!root.isConnected) return clearInterval(root.timer);
    const answer = await fetch(new URL(data.path, import.meta.url)).catch(() => 0);
    if (answer.status < 500 && (await answer.text()) !== data.version) setTriggerValue("news", 1);
  }, 3000);
}
