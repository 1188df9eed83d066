// What a person has entered and not saved yet: the labels of open documents, and
// the text of a note. It survives a reload of the page, and goes with the tab.

const labelsKey = (lease) => `satc.labels.${lease}`;
const noteKey = (index) => `satc.note.${document.body.dataset.project}.${index}`;

export const readLabels = (lease) => JSON.parse(sessionStorage.getItem(labelsKey(lease)) ?? "null");

export function keepLabels({ lease, chosen }) {
  if (lease) sessionStorage.setItem(labelsKey(lease), JSON.stringify([...chosen]));
}

export const forgetLabels = ({ lease }) => sessionStorage.removeItem(labelsKey(lease));

export const readNote = (index) => sessionStorage.getItem(noteKey(index));

export const keepNote = (index, text) => sessionStorage.setItem(noteKey(index), text);

export const forgetNote = (index) => sessionStorage.removeItem(noteKey(index));
