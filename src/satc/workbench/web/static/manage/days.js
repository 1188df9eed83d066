// Decisions by day, in the time zone of the reader: the server counts them by
// quarters of an hour, because time zones differ by these.

const QUARTER = 900_000; // milliseconds
const MOST_DAYS = 31;
const MOST_PEOPLE = 6; // the others share one colour

const startOfDay = (time) => new Date(time.getFullYear(), time.getMonth(), time.getDate());

const key = (day) => `${day.getFullYear()}-${day.getMonth()}-${day.getDate()}`;

function nextDay(day) {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
}

function countsByDay(quarters) {
  const counts = new Map();
  for (const [quarter, n] of quarters) {
    const day = key(new Date(quarter * QUARTER));
    counts.set(day, (counts.get(day) ?? 0) + n);
  }
  return counts;
}

function addUp(series) {
  const total = new Map();
  for (const counts of series) {
    for (const [day, n] of counts) total.set(day, (total.get(day) ?? 0) + n);
  }
  return total;
}

export function lastActive(person) {
  const last = person.quarters.at(-1);
  return last ? new Date(last[0] * QUARTER) : null;
}

// The days from the first to the last decision, at most a month, and a series for each person.
export function byDay(people, otherName) {
  const times = people.flatMap((one) => one.quarters.map(([quarter]) => quarter * QUARTER));
  if (!times.length) return { days: [], series: [] };
  const last = startOfDay(new Date(times.reduce((a, b) => Math.max(a, b))));
  const first = startOfDay(new Date(times.reduce((a, b) => Math.min(a, b))));
  const earliest = new Date(last.getFullYear(), last.getMonth(), last.getDate() - MOST_DAYS + 1);
  const days = [];
  for (let day = first > earliest ? first : earliest; day <= last; day = nextDay(day)) days.push(day);
  const counted = people.map((one) => ({ name: one.name, counts: countsByDay(one.quarters) }));
  const shown = counted.slice(0, MOST_PEOPLE);
  const others = counted.slice(MOST_PEOPLE);
  if (others.length) shown.push({ name: otherName, counts: addUp(others.map((one) => one.counts)) });
  const values = (counts) => days.map((day) => counts.get(key(day)) ?? 0);
  return { days, series: shown.map(({ name, counts }) => ({ name, values: values(counts) })) };
}
