// Says in plain sentences what happens when the project is created.

import { byId, element } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const SOON = 3_000; // documents
const LONG = 50_000;

function first(source, train) {
  if (source === "train") return t("create.next_train", { n: train?.n_documents ?? 0 });
  return source === "scores" ? t("create.next_scores") : t("create.next_predictions");
}

function duration(n) {
  if (n < SOON) return t("create.next_short");
  return n < LONG ? t("create.next_minutes") : t("create.next_long");
}

function accuracy(isCold) {
  const audit = byId("audit");
  const share = Number(audit.value) / 100;
  if (share > 0) return element("li", {}, t("create.next_audit", { share }));
  if (!isCold) return null;
  const setAudit = () => {
    audit.value = "20";
    audit.dispatchEvent(new Event("change", { bubbles: true }));
    byId("create").focus();
  };
  const button = element("button", { type: "button", onclick: setAudit }, t("create.set_audit"));
  return element("li", {}, t("create.next_unknown_accuracy"), " ", button);
}

export function showNextSteps({ source, documents, labelled, task, isCold }) {
  const n = documents?.n_documents ?? 0;
  const own = source === "train" ? t("create.next_label", { n }) : t("create.next_order", { n });
  const all = n + (source === "train" ? (labelled?.n_documents ?? 0) : 0);
  const items = [first(source, labelled), own, duration(all)].map((text) => element("li", {}, text));
  items.push(accuracy(isCold));
  if (task) items.push(element("li", {}, task === "single-label" ? t("create.next_single") : t("create.next_multi")));
  const isAlone = byId("new-project").dataset.singleUser === "true";
  items.push(element("li", {}, isAlone ? t("create.next_start_alone") : t("create.next_start")));
  byId("next-steps").replaceChildren(...items.filter((item) => item !== null));
}
