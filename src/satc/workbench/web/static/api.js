// The HTTP interface: one call, and one kind of error that carries the
// server's own sentence. Status 0 means that no answer came at all.

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }

  // What may go away by itself: no network, too many requests, a server that restarts.
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  get loggedOut() {
    return this.status === 401;
  }
}

async function detail(response) {
  const answer = await response.json().catch(() => ({}));
  return typeof answer.detail === "string"
    ? answer.detail
    : `The server answered with status ${response.status}.`;
}

export class Api {
  constructor(project, token) {
    this.base = `/api/v1/projects/${encodeURIComponent(project)}`;
    this.token = token;
  }

  async call(method, path, body) {
    const headers = { Accept: "application/json" };
    if (method !== "GET") headers["X-CSRF-Token"] = this.token;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const request = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await fetch(path, request).catch(() => {
      throw new Refused(0, "The server cannot be reached.");
    });
    if (!response.ok) throw new Refused(response.status, await detail(response));
    return response.json().catch(() => {
      throw new Refused(0, "The answer of the server was cut short.");
    });
  }

  // A login in another tab voids the page's token: on 403 the one that holds now is tried.
  async send(method, path, body) {
    const request = () => this.call(method, `${this.base}/${path}`, body);
    try {
      return await request();
    } catch (error) {
      if (error.status !== 403) throw error;
      await this.renewToken();
      return request();
    }
  }

  get(path = "") {
    return this.call("GET", path ? `${this.base}/${path}` : this.base);
  }

  async renewToken() {
    this.token = (await this.call("GET", "/api/v1/me")).csrf_token;
  }
}
