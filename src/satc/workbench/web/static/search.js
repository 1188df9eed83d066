// Finding classes by a few letters: names that begin with them come first,
// then names that contain them. One pass over plain strings, prepared once,
// stays quick with tens of thousands of classes.

export const MOST_HITS = 12;

// Capitals and accents do not matter.
export const plain = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export const prepare = (names) => names.map(plain);

export function find(prepared, query, most = MOST_HITS) {
  const wanted = plain(query.trim());
  const prefixed = [];
  const containing = [];
  for (let i = 0; i < prepared.length && prefixed.length < most; i += 1) {
    const at = prepared[i].indexOf(wanted);
    if (at === 0) prefixed.push(i);
    else if (at > 0 && containing.length < most) containing.push(i);
  }
  return [...prefixed, ...containing].slice(0, most);
}
