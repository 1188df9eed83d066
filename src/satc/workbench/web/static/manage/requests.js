// Requests of the managers' pages: each change once, with the token of the page.

import { Api, ApiError } from "../shared/api.js";
import { t } from "../shared/messages.js";
import { announce, showError, showInfo } from "../shared/notices.js";

const token = document.querySelector('meta[name="csrf-token"]').content;

export const projectName = document.body.dataset.project ?? "";
export const api = new Api(projectName, token);

// A login in another tab makes the token of this page invalid: fetch it and try again, once.
async function withToken(request) {
  try {
    return await request();
  } catch (error) {
    const before = api.token;
    if (error.status !== 403) throw error;
    await api.renewToken();
    if (api.token === before) throw error;
    return request();
  }
}

export const change = (method, path, body) => withToken(() => api.request(method, path, body));

// Sends a form with a file.
export const upload = (method, path, form) =>
  withToken(async () => {
    const headers = { Accept: "application/json", "X-CSRF-Token": api.token };
    const response = await fetch(path, { method, headers, body: form }).catch(() => {
      throw new ApiError(0, t("common.server_unreachable"));
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw new ApiError(response.status, answer.detail ?? t("common.answered_with_status", { status: response.status }));
  });

export const clearNotices = () => document.getElementById("alerts").replaceChildren();

// Does something that the server may refuse; returns its answer, or null after a refusal.
export async function attempt(action, said) {
  clearNotices();
  try {
    const answer = await action();
    if (said) {
      showInfo(said);
      announce(said);
    }
    return answer ?? {};
  } catch (error) {
    showError(error.message);
    return null;
  }
}
