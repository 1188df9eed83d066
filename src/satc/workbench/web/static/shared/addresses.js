// The addresses of this server. It may be served below a path of another site, so each address
// begins with the folder that holds `static/`, which this script knows from its own address.

const { pathname } = new URL("../..", import.meta.url);

// The path below which everything is; it ends with a slash.
export const root = pathname;

export const apiAddress = (path) => `${root}api/v1/${path}`;

export const projectAddress = (project, rest = "") => `${root}p/${encodeURIComponent(project)}${rest}`;

export const isOurs = (url) => url.origin === location.origin && url.pathname.startsWith(root);
