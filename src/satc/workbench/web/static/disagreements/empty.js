// What the page says where there is nothing to settle.

import { byId } from "../shared/dom.js";
import { t } from "../shared/messages.js";

function whyNothing(counts, documents, overlap) {
  if (counts.open) return t("disagreements.only_others", { n: counts.open });
  if (counts.settled) return t("disagreements.all_settled", { n: counts.settled });
  if (documents) return t("disagreements.all_agree", { n: documents });
  return overlap ? t("disagreements.nothing_read_twice") : t("disagreements.nobody_reads_twice");
}

export function showNothing(counts, agreement, overlap) {
  byId("nothing-text").textContent = whyNothing(counts, agreement?.documents ?? 0, overlap);
}
