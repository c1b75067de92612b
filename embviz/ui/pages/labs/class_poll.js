// Asks every 3 s for the class's version, and reruns the page where it is another one.

// ms from one question to the next
const POLL_MS = 3000;

export default function classPoll({ data, parentElement: root, setTriggerValue, base }) {
  clearInterval(root.timer);
  root.timer = setInterval(async () => {
    if (!root.isConnected) return clearInterval(root.timer);
    const answer = await fetch(new URL(data.path, base)).catch(() => 0);
    if (answer.status < 500 && (await answer.text()) !== data.version) setTriggerValue("news", 1);
  }, POLL_MS);
}
