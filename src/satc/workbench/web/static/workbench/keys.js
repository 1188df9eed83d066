// The keys of the workbench, as data for the event listener and the help dialog.
// `text` and `single` are keys of the catalogue of texts; `single` is for projects
// in which every document has exactly one label.

export const KEYS = [
  { keys: ["Enter", " "], shown: ["Enter", "Space"], command: "accept", text: "workbench.key_accept", single: "workbench.key_accept_single" },
  { keys: [..."1234567890"], shown: ["1", "\u2026", "9", "0"], command: "digit", text: "workbench.key_digit", single: "workbench.key_digit_single" },
  { keys: ["/"], shown: ["/"], command: "search", text: "workbench.key_search", single: "workbench.key_search_single" },
  { keys: ["u"], shown: ["u"], command: "undo", text: "workbench.key_undo" },
  { keys: ["s"], shown: ["s"], command: "skip", text: "workbench.key_skip" },
  { keys: ["f"], shown: ["f"], command: "flag", text: "workbench.key_flag" },
  { keys: ["n"], shown: ["n"], command: "note", text: "workbench.key_note" },
  { keys: ["?"], shown: ["?"], command: "help", text: "workbench.key_help" },
  { keys: ["Escape"], shown: ["Esc"], command: "cancel", text: "workbench.key_cancel" },
];

// A code book may use these keys for its classes; then they are buttons only.
export const COMFORT_KEYS = [
  { keys: ["g"], shown: ["g"], command: "guidelines", text: "workbench.key_guidelines" },
  { keys: ["h"], shown: ["h"], command: "marks", text: "workbench.key_marks" },
  { keys: ["d"], shown: ["d"], command: "duplicates", text: "workbench.key_duplicates" },
];

const ALL = [...KEYS, ...COMFORT_KEYS];

// The keys that no class gets by itself; digits are for classes.
export const COMMAND_KEYS = new Set(ALL.filter(({ command }) => command !== "digit").flatMap(({ keys }) => keys));

const CLASS = { command: "label" };
const TYPING = "input, textarea, select, [contenteditable]";
const CONTROL = "button, a[href], summary";

const find = (wanted, classKeys) => (classKeys?.has(wanted) ? CLASS : ALL.find(({ keys }) => keys.includes(wanted)));

// `classKeys` has the keys of classes. Keyboards that need Shift for digits (such as French ones)
// still name the key DigitN.
function lookUp({ key, code, shiftKey }, classKeys) {
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const found = find(wanted, classKeys);
  if (found || shiftKey || !/^Digit\d$/.test(code)) return { found, wanted };
  const digit = code.slice(-1);
  return { found: find(digit, classKeys), wanted: digit };
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
