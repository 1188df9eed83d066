// The page of a project that is being opened: shows the step, and loads itself again once it is open.

import { Api } from "../shared/api.js";
import { byId } from "../shared/dom.js";

const WAIT_MILLISECONDS = 700;
const UNAVAILABLE = 503;

const api = new Api(document.body.dataset.project, "");

async function look() {
  try {
    await api.get();
    location.reload();
  } catch (error) {
    if (error.status === UNAVAILABLE) byId("step").textContent = error.message;
    if (error.isTemporary) setTimeout(look, WAIT_MILLISECONDS);
    else location.reload();
  }
}

setTimeout(look, WAIT_MILLISECONDS);
