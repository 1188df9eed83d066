// Sends forms with files. XMLHttpRequest, because fetch does not say how much has been sent.

import { Api, ApiError } from "../shared/api.js";
import { t } from "../shared/messages.js";

const session = new Api("", document.querySelector('meta[name="csrf-token"]').content);

export const getJson = (path) => session.request("GET", path);

export const remove = (path) => session.request("DELETE", path);

function formData(fields) {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value != null) data.append(name, value);
  return data;
}

function answerOf(request) {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return {};
  }
}

function sendOnce(path, fields, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRF-Token", session.token);
    request.upload.onprogress = (event) => onProgress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onerror = () => reject(new ApiError(0, t("common.server_unreachable")));
    request.onload = () => {
      const answer = answerOf(request);
      if (request.status < 300) return resolve(answer);
      const said = answer.detail ?? t("common.answered_with_status", { status: request.status });
      return reject(new ApiError(request.status, said));
    };
    request.send(formData(fields));
  });
}

// A login in another tab makes the token of this page invalid: fetch it, and send again.
export async function sendForm(path, fields, onProgress = () => {}) {
  try {
    return await sendOnce(path, fields, onProgress);
  } catch (error) {
    if (error.status !== 403) throw error;
    await session.renewToken();
    return sendOnce(path, fields, onProgress);
  }
}
