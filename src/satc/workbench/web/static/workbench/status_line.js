// The line at the top: how many documents are checked, how accurate the labels
// are now, and how many documents are left to the target. If a part is not known
// yet, the line says what is missing.

import { byId, setVisible } from "../shared/dom.js";
import { measureName, range } from "../shared/format.js";
import { t } from "../shared/messages.js";

// Where every document has one class, "accuracy" is a measure of its own, so the line names its measure.
function accuracyText({ accuracy, accuracy_unknown: unknown }, isSingle) {
  if (!accuracy) return unknown ?? t("workbench.accuracy_unknown");
  const { average, measure } = accuracy;
  const values = { p: accuracy[average].value, range: range(accuracy[average]) };
  const name = measureName(average, measure, isSingle);
  return isSingle && name !== "accuracy"
    ? t("workbench.line_measure", { name, ...values })
    : t("workbench.line_accuracy", values);
}

// About so many documents are left, but never more than there are. The estimate can be at the
// target before it is reached with sufficient probability.
function leftText({ accuracy, n_documents: all, n_validated: done }, { documents, target }) {
  if (!accuracy || documents == null) return "";
  if (done >= all) return t("workbench.line_all_checked");
  const n = Math.min(documents, all - done);
  if (!n) return t("workbench.line_reached", { target });
  const isNear = Math.round(100 * accuracy[accuracy.average].value) >= Math.round(100 * target);
  return t(isNear ? "workbench.line_left_sure" : "workbench.line_left", { n, target });
}

function put(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
  setVisible(node, Boolean(text));
}

// `plan` has the `target` and the `documents` that are left until it is reached.
export function showStatusLine(status, plan, isSingle) {
  put("progress-short", t("common.checked", { n: status.n_validated, total: status.n_documents }));
  put("accuracy-short", accuracyText(status, isSingle));
  put("left-short", leftText(status, plan));
}
