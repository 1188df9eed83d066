// The card of the work: a chart of decisions by day and person, and a table of people.

import { byId } from "../shared/dom.js";
import { count, date, decimal, percent } from "../shared/format.js";
import { t } from "../shared/messages.js";
import { dayChart } from "./day_chart.js";
import { byDay, lastActive } from "./days.js";
import { number, paragraph, table } from "./tables.js";

const HEADINGS = ["n_decided", "n_second", "n_corrected", "n_changed", "seconds", "last"];
const NARROWEST = 260;

function row(person) {
  const read = person.n_decided + person.n_second;
  const corrected = read ? `${count(person.n_corrected)} (${percent(person.n_corrected / read)})` : "0";
  const last = lastActive(person);
  return [
    person.name,
    number(count(person.n_decided)),
    number(count(person.n_second)),
    number(corrected),
    number(count(person.n_changed)),
    number(person.seconds_per_document == null ? "\u2013" : decimal(person.seconds_per_document)),
    number(last ? date(last) : "\u2013"),
  ];
}

export function showWork(people) {
  const card = byId("work");
  if (!people.length) {
    card.replaceChildren(paragraph(t("manage.nothing_decided"), "muted"));
    return;
  }
  const found = byDay(people, t("manage.other_people"));
  const headings = [t("manage.person"), ...HEADINGS.map((name) => number(t(`manage.column_${name}`)))];
  card.replaceChildren(
    ...(found.days.length ? [dayChart(found, Math.max(NARROWEST, card.clientWidth))] : []),
    table(t("manage.work_table"), headings, people.map(row)),
  );
}
