// The filters, the order and the page of the table are in the address, so that a
// link or the Back button shows the same documents. The names are those of the API.

export const FILTERS = [
  "q",
  "state",
  "predicted",
  "decided",
  "by",
  "corrected",
  "source",
  "flagged",
  "noted",
  "skipped",
  "disagreed",
];

// The view that an address shows: an object of texts; what is missing has its default.
export function readView(search) {
  const given = new URLSearchParams(search);
  const view = { sort: given.get("sort") || "rank", page: Number(given.get("page")) || 1 };
  for (const name of FILTERS) if (given.get(name)) view[name] = given.get(name);
  return view;
}

// The end of the address of a view; "" shows everything in the usual order.
export function viewQuery(view) {
  const query = new URLSearchParams();
  for (const name of FILTERS) if (view[name]) query.set(name, view[name]);
  if (view.sort !== "rank") query.set("sort", view.sort);
  if (view.page > 1) query.set("page", view.page);
  return query.toString() ? `?${query}` : "";
}
