// The card of the audit: how many drawn documents are decided, and who has the others.

import { projectAddress } from "../shared/addresses.js";
import { byId, element } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { projectName } from "./requests.js";
import { documentsLink, paragraph, table } from "./tables.js";

const settingsLink = () =>
  element("p", {}, element("a", { href: projectAddress(projectName, "/settings#audit") }, t("manage.audit_settings")));

export function showAudit(audit) {
  const card = byId("audit");
  const { share, n_drawn: n, n_decided: decided, n_undecided: left } = audit;
  if (!n) {
    const text = share ? t("manage.audit_not_begun", { share }) : t("manage.no_audit");
    card.replaceChildren(paragraph(text), ...(share ? [] : [settingsLink()]));
    return;
  }
  const nodes = [paragraph(t("manage.audit_counts", { n, decided })), paragraph(t("manage.audit_share", { share }), "muted")];
  if (left) {
    const rows = audit.undecided.map(({ id, who }) => [documentsLink({ q: id }, id), who ?? t("manage.audit_nobody")]);
    const headings = [t("manage.open_document"), t("manage.audit_who")];
    nodes.push(
      paragraph(t("manage.audit_undecided", { n: left }), "headline warning"),
      table(t("manage.audit_table"), headings, rows),
    );
  }
  card.replaceChildren(...nodes);
}
