// The menu of languages: the choice is kept in a cookie, because the server
// renders the page, too.

import { root } from "./addresses.js";

const COOKIE = "satc_language";
const YEAR = 365 * 24 * 3600;

document.getElementById("language")?.addEventListener("change", ({ target }) => {
  document.cookie = `${COOKIE}=${target.value}; path=${root}; max-age=${YEAR}; samesite=strict`;
  location.reload();
});
