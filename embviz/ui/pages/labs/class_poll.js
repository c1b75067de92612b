// Asks every 3 s for the class's version, and reruns the page where it is another one.
export default function ({ data, setTriggerValue }) {
  const url = new URL(`../class/${data.code}/version`, import.meta.url);
  const timer = setInterval(async () => {
    const answer = await fetch(url).catch(() => ({ status: 500 }));
    if (answer.status < 500 && (await answer.text()) !== data.version) setTriggerValue("news", 1);
  }, 3000);
  return () => clearInterval(timer); // Streamlit calls it before each next call too
}
