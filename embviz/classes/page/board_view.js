// Keeps in this tab whether a class's private view is on: a reload, also of a tab that a phone has dropped, has it again.

let isFirst = true; // of this page

export default function keepView({ data, setTriggerValue }) {
  const key = `embviz view ${data.code}`, wasOn = sessionStorage.getItem(key) === "on";
  if (isFirst && wasOn && !data.is_on) setTriggerValue("again", 1);
  else sessionStorage.setItem(key, data.is_on ? "on" : "off");
  isFirst = false;
}
