// The keys of the workbench, as data: the dispatcher and the help dialog both
// read this list.

export const KEYS = [
  { keys: ["Enter", " "], shown: ["Enter", "Space"], command: "accept", text: "Accept the labels as they stand and go on" },
  { keys: [..."1234567890"], shown: ["1", "\u2026", "9", "0"], command: "digit", text: "Switch the label with that digit on or off" },
  { keys: ["/"], shown: ["/"], command: "search", text: "Search all classes; arrows choose, Enter switches a label on or off" },
  { keys: ["u"], shown: ["u"], command: "undo", text: "Undo: take back the last decision" },
  { keys: ["s"], shown: ["s"], command: "skip", text: "Skip: the document comes back later" },
  { keys: ["f"], shown: ["f"], command: "flag", text: "Flag the document, or take the flag away" },
  { keys: ["n"], shown: ["n"], command: "note", text: "Write a note about the document" },
  { keys: ["?"], shown: ["?"], command: "help", text: "Show these keys" },
  { keys: ["Escape"], shown: ["Esc"], command: "leave", text: "Leave the search, a dialog, or the editing of an earlier decision" },
];

const TYPING = "input, textarea, select, [contenteditable]";
const CONTROL = "button, a[href], summary";

// Layouts that need Shift for digits (such as the French one) still name the key DigitN.
function named({ key, code, shiftKey }) {
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const found = KEYS.find(({ keys }) => keys.includes(wanted));
  if (found || shiftKey || !/^Digit\d$/.test(code)) return { found, wanted };
  return { found: KEYS.find(({ command }) => command === "digit"), wanted: code.slice(-1) };
}

// What a key press asks for: {command, key}, or null where it belongs to a control.
export function commandOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return null;
  if (event.defaultPrevented || event.target.closest(`${TYPING}, dialog`)) return null;
  const { found, wanted } = named(event);
  if (!found || (found.command === "accept" && event.target.closest(CONTROL))) return null;
  return { command: found.command, key: wanted };
}

export function listen(commands) {
  document.addEventListener("keydown", (event) => {
    const asked = commandOf(event);
    if (!asked) return;
    event.preventDefault();
    commands[asked.command](asked.key);
  });
}
