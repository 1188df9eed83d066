// Search in the names of the classes: names that start with the query come
// first, then names that contain it, then classes whose code or definition
// contains it. One pass over strings that are normalised only once is fast
// enough for tens of thousands of classes.

export const MOST_HITS = 12;

// Ignores capitals and accents.
export const normalise = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export const prepare = (names) => names.map(normalise);

// `others` are further texts of the classes, such as codes and definitions.
export function find(prepared, query, most = MOST_HITS, others = []) {
  const wanted = normalise(query.trim());
  const starting = [];
  const containing = [];
  const described = [];
  for (let i = 0; i < prepared.length && starting.length < most; i += 1) {
    const at = prepared[i].indexOf(wanted);
    if (at === 0) starting.push(i);
    else if (at > 0 && containing.length < most) containing.push(i);
    else if (at < 0 && described.length < most && others[i]?.includes(wanted)) described.push(i);
  }
  return [...starting, ...containing, ...described].slice(0, most);
}
