// The keys of the classes. Keys of the code book come first. Where there are few
// classes, every other class gets a key as well, which never changes: the digits in
// the order of the code book, then the letters that are no commands.

const DIGITS = "1234567890";
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

// `given` maps keys to labels, `order` lists all labels, `commands` has the keys of the page.
export function assignKeys(given, order, commands) {
  const keys = new Map(given);
  const withKey = new Set(given.values());
  const free = [...DIGITS, ...LETTERS].filter((key) => !keys.has(key) && !commands.has(key));
  for (const label of order) {
    if (!withKey.has(label) && free.length) keys.set(free.shift(), label);
  }
  return keys;
}
