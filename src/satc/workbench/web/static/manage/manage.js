// The overview for managers: fetches it, shows its cards, and keeps them fresh.

import { showError } from "../shared/notices.js";
import { showAttention } from "./attention_card.js";
import { showAudit } from "./audit_card.js";
import { OpenCard } from "./open_card.js";
import { showProgress } from "./progress_card.js";
import { api, clearNotices } from "./requests.js";
import { showWork } from "./work_card.js";

const REFRESH_MILLISECONDS = 15_000;
const openCard = new OpenCard(() => refresh());
let latest = null;
let failed = false;

function show(overview) {
  latest = overview;
  showWork(overview.people);
  openCard.show(overview);
  showAudit(overview.audit);
  showAttention(overview);
}

async function refresh() {
  try {
    const [overview, status] = await Promise.all([api.get("overview"), api.get("status")]);
    if (failed) clearNotices();
    failed = false;
    show(overview);
    await showProgress(status);
  } catch (error) {
    if (!failed) showError(error.message);
    failed = true;
  }
}

addEventListener("resize", () => latest && showWork(latest.people));
setInterval(() => document.hidden || refresh(), REFRESH_MILLISECONDS);
refresh();
