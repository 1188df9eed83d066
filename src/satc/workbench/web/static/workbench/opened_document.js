// A document that was opened from another page: /p/NAME?document=INDEX. It comes
// first, and a link leads back to the page that the person came from.

import { isOurs } from "../shared/addresses.js";
import { byId, setVisible } from "../shared/dom.js";

const KEY = "satc.came-from";

// The number of the document in the address; null if there is none.
export function wantedDocument() {
  const wanted = new URLSearchParams(location.search).get("document");
  return /^\d+$/.test(wanted ?? "") ? Number(wanted) : null;
}

// The page of this server that the person came from. A reload keeps it.
function cameFrom() {
  const page = document.referrer ? new URL(document.referrer) : null;
  if (page && isOurs(page) && page.pathname !== location.pathname) {
    sessionStorage.setItem(KEY, page.pathname + page.search);
  }
  return sessionStorage.getItem(KEY);
}

export function showWayBack() {
  const from = wantedDocument() === null ? null : cameFrom();
  if (from) byId("way-back").href = from;
  setVisible(byId("way-back"), Boolean(from));
}

// After the document is done, a reload goes on with the next one.
export function forgetWanted() {
  if (wantedDocument() === null) return;
  history.replaceState(null, "", location.pathname);
}
