// Search in the classes. Every word of the query must be found: as the beginning
// of a word, inside a word, or, from four letters on, with one typing error. The
// words may come in any order, in the name, a synonym or the code of a class; a
// definition must contain them as they are.
//
// All words of all classes are indexed once. A query is compared with each
// distinct word once, so thousands of classes take a few milliseconds.

export const MOST_HITS = 12;

const LEAST_WITH_ERROR = 4; // letters of a word that may have a typing error
const NOT_FOUND = 99;
const OF_FURTHER_NAME = 5; // how much worse a word of a synonym or a code fits
const MOST_KNOWN = 50; // words whose fits are kept while somebody types
const WORDS = /[\p{L}\p{N}]+/gu;
const WORD_PART = /[\p{L}\p{N}]/u;
const LETTERS_ONLY = /^\p{L}+$/u; // a number with another digit is another number

// Ignores capitals and accents.
export const normalise = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export const wordsOf = (text) => normalise(text).match(WORDS) ?? [];

// Whether `word`, or a beginning of it, becomes `wanted` by one inserted, missing, wrong or
// swapped letter. If the error is in the first letter, the word must be as long.
export function isNearly(wanted, word) {
  if (wanted[0] !== word[0] && wanted[0] !== word[1] && wanted[1] !== word[0] && wanted[1] !== word[1]) return false;
  let i = 0;
  while (i < wanted.length && wanted[i] === word[i]) i += 1;
  if (i === 0 && word.length > wanted.length + 1) return false;
  const begins = (a, from, b) => b.startsWith(wanted.slice(a), from);
  if (i === wanted.length) return true;
  return (
    begins(i + 1, i + 1, word) ||
    begins(i + 1, i, word) ||
    begins(i, i + 1, word) ||
    (wanted[i] === word[i + 1] && wanted[i + 1] === word[i] && begins(i + 2, i + 2, word))
  );
}

// How well a word fits, the best being 0: the whole word, its beginning, its inside, with an error.
function fitOf(wanted, word, mayErr) {
  const at = word.indexOf(wanted);
  if (at === 0) return word.length === wanted.length ? 0 : 1;
  if (at > 0) return 2;
  return mayErr && word.length >= wanted.length - 1 && isNearly(wanted, word) ? 3 : NOT_FOUND;
}

const mayErrIn = (wanted) => wanted.length >= LEAST_WITH_ERROR && LETTERS_ONLY.test(wanted);

export class ClassIndex {
  // `others` has lists of further names of each class, `definitions` texts that describe it.
  constructor(names, others = [], definitions = []) {
    this.size = names.length;
    this.names = names.map(normalise);
    this.definitions = definitions.map(normalise);
    this.holders = new Map(); // of each word: the classes, negative (-1 - i) if only a further name has it
    this.known = new Map(); // what `fits` has returned for the last words
    names.forEach((name, i) => this.add(wordsOf(name), i));
    others.forEach((some, i) => this.add(some.flatMap(wordsOf), -1 - i));
  }

  add(words, holder) {
    for (const word of new Set(words)) {
      if (!this.holders.has(word)) this.holders.set(word, []);
      this.holders.get(word).push(holder);
    }
  }

  // For each class, how well the best of its words fits. A word of a further name counts less
  // than the same word of the name.
  fits(wanted) {
    const known = this.known.get(wanted);
    if (known) return known;
    const best = new Uint8Array(this.size).fill(NOT_FOUND);
    const mayErr = mayErrIn(wanted);
    for (const [word, holders] of this.holders) {
      const fit = fitOf(wanted, word, mayErr);
      if (fit === NOT_FOUND) continue;
      for (const holder of holders) {
        const label = holder < 0 ? -1 - holder : holder;
        best[label] = Math.min(best[label], holder < 0 ? fit + OF_FURTHER_NAME : fit);
      }
    }
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(wanted, best);
    return best;
  }

  // The best classes for a query, the best one first. An empty query finds the first ones.
  find(query, most = MOST_HITS) {
    const text = normalise(query.trim());
    const words = wordsOf(text);
    if (!words.length) return text ? [] : Array.from({ length: Math.min(most, this.size) }, (_, i) => i);
    const hits = this.byWords(text, words, most);
    return hits.length ? hits : this.joined(words).slice(0, most);
  }

  byWords(text, words, most) {
    const found = this.ranked(text, words);
    const shorter = (a, b) => this.names[a].length - this.names[b].length || a - b;
    const hits = [];
    for (const rank of [...found.keys()].sort((a, b) => a - b)) {
      if (hits.length < most) hits.push(...found.get(rank).sort(shorter));
    }
    if (hits.length < most) hits.push(...this.described(words, new Set(hits)));
    return hits.slice(0, most);
  }

  // The classes whose names have all words, by rank: the worst fit of a word.
  ranked(text, words) {
    const fits = words.map((word) => this.fits(word));
    const found = new Map();
    for (let i = 0; i < this.size; i += 1) {
      let worst = 0;
      for (const fit of fits) worst = Math.max(worst, fit[i]);
      if (worst === NOT_FOUND) continue;
      const rank = this.isBegun(i, text) ?? worst;
      if (!found.has(rank)) found.set(rank, []);
      found.get(rank).push(i);
    }
    return found;
  }

  // Names that begin with the query come first, then names in which a word begins with it.
  isBegun(i, text) {
    const at = this.names[i].indexOf(text);
    if (at === 0) return -2;
    return at > 0 && !WORD_PART.test(this.names[i][at - 1]) ? -1 : null;
  }

  // Somebody writes as one word what the name has as two: "topup" finds top_up_limits.
  joined(words) {
    if (!words.some((word) => word.length >= LEAST_WITH_ERROR)) return [];
    this.closed ??= this.names.map((name) => wordsOf(name).join(""));
    return this.closed.flatMap((name, i) => (words.every((word) => name.includes(word)) ? [i] : []));
  }

  // The classes whose definitions contain all words.
  described(words, without) {
    const has = (text) => words.every((word) => text.includes(word));
    return this.definitions.flatMap((text, i) => (!without.has(i) && has(text) ? [i] : []));
  }
}

// Where the words of a query stand in a text, as [start, end] of its UTF-16 units, in order.
export function matches(text, query) {
  const wanted = wordsOf(query);
  const found = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const piece = wanted.map((one) => matchIn(word, one)).find(Boolean);
    if (piece) found.push([index + piece[0], index + piece[1]]);
  }
  return found;
}

function matchIn(word, wanted) {
  const plain = normalise(word);
  const fit = fitOf(wanted, plain, mayErrIn(wanted));
  if (fit === NOT_FOUND) return null;
  const at = plain.indexOf(wanted);
  return fit < 3 && plain.length === word.length ? [at, at + wanted.length] : [0, word.length];
}
