// Requests to the HTTP API. An ApiError carries the status and the sentence of
// the server; status 0 means that there was no (complete) response.

import { apiAddress } from "./addresses.js";
import { t } from "./messages.js";

export class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }

  // Errors that may go away by themselves: no network, too many requests, a server that restarts.
  get isTemporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  get isLoggedOut() {
    return this.status === 401;
  }
}

async function errorDetail(response) {
  const answer = await response.json().catch(() => ({}));
  return typeof answer.detail === "string"
    ? answer.detail
    : t("common.answered_with_status", { status: response.status });
}

export class Api {
  constructor(project, token) {
    this.base = apiAddress(`projects/${encodeURIComponent(project)}`);
    this.token = token;
  }

  async request(method, path, body) {
    const headers = { Accept: "application/json" };
    if (method !== "GET") headers["X-CSRF-Token"] = this.token;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const options = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await fetch(path, options).catch(() => {
      throw new ApiError(0, t("common.server_unreachable"));
    });
    if (!response.ok) throw new ApiError(response.status, await errorDetail(response));
    return response.json().catch(() => {
      throw new ApiError(0, t("common.answer_incomplete"));
    });
  }

  // A login in another tab makes the CSRF token of this page invalid: on 403, fetch it and retry.
  async send(method, path, body) {
    const request = () => this.request(method, `${this.base}/${path}`, body);
    try {
      return await request();
    } catch (error) {
      if (error.status !== 403) throw error;
      await this.renewToken();
      return request();
    }
  }

  get(path = "") {
    return this.request("GET", path ? `${this.base}/${path}` : this.base);
  }

  async renewToken() {
    this.token = (await this.request("GET", apiAddress("me"))).csrf_token;
  }
}
