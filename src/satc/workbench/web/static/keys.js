// The keys of the workbench, as data for the event listener and the help dialog.
// `single` is the text for projects in which every document has exactly one label.

export const KEYS = [
  { keys: ["Enter", " "], shown: ["Enter", "Space"], command: "accept", text: "Accept the chosen labels and go to the next document", single: "Accept the chosen class and go to the next document" },
  { keys: [..."1234567890"], shown: ["1", "\u2026", "9", "0"], command: "digit", text: "Turn the label with this digit on or off", single: "Choose the class with this digit; unless you turn that off, also go to the next document" },
  { keys: ["/"], shown: ["/"], command: "search", text: "Search all classes; arrow keys select, Enter turns a label on or off", single: "Search all classes; arrow keys select, Enter chooses a class" },
  { keys: ["u"], shown: ["u"], command: "undo", text: "Undo the last decision" },
  { keys: ["s"], shown: ["s"], command: "skip", text: "Skip the document; it comes back later" },
  { keys: ["f"], shown: ["f"], command: "flag", text: "Flag the document, or remove the flag" },
  { keys: ["n"], shown: ["n"], command: "note", text: "Write a note about the document" },
  { keys: ["?"], shown: ["?"], command: "help", text: "Show these keys" },
  { keys: ["Escape"], shown: ["Esc"], command: "cancel", text: "Close the search, a dialog, or an earlier decision" },
];

const CLASS = { command: "label" };
const TYPING = "input, textarea, select, [contenteditable]";
const CONTROL = "button, a[href], summary";

// `classKeys` has the keys of classes. Keyboards that need Shift for digits (such as French ones)
// still name the key DigitN.
function lookUp({ key, code, shiftKey }, classKeys) {
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const found = KEYS.find(({ keys }) => keys.includes(wanted)) ?? (classKeys?.has(wanted) ? CLASS : undefined);
  if (found || shiftKey || !/^Digit\d$/.test(code)) return { found, wanted };
  return { found: KEYS.find(({ command }) => command === "digit"), wanted: code.slice(-1) };
}

// As in a form, Enter on a radio button submits; Space chooses it.
const belongsToControl = ({ key, target }) =>
  Boolean(target.closest(CONTROL)) && !(key === "Enter" && target.closest('[role="radio"]'));

// The command of a key press, as {command, key}; null if the key belongs to a control.
export function commandOf(event, classKeys) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return null;
  if (event.defaultPrevented || event.target.closest(`${TYPING}, dialog`)) return null;
  const { found, wanted } = lookUp(event, classKeys);
  if (!found || (found.command === "accept" && belongsToControl(event))) return null;
  return { command: found.command, key: wanted };
}

export function listenToKeys(commands, classKeys) {
  document.addEventListener("keydown", (event) => {
    const pressed = commandOf(event, classKeys);
    if (!pressed) return;
    event.preventDefault();
    commands[pressed.command](pressed.key);
  });
}
