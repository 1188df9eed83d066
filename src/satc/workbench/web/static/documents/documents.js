// The table of all documents: connects the address, the filters, the order and the pages.

import { FILTERS, readView, viewQuery } from "./address.js";
import { showChips } from "./chips.js";
import { Classes } from "./classes.js";
import { FilterForm } from "./filter_form.js";
import { documentRow } from "./rows.js";
import { projectAddress } from "../shared/addresses.js";
import { Api } from "../shared/api.js";
import { byId, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { showError } from "../shared/notices.js";

const project = document.body.dataset.project;
const api = new Api(project, document.querySelector('meta[name="csrf-token"]').content);
const workbench = projectAddress(project);
const wide = window.matchMedia("(min-width: 1200px)");

class DocumentTable {
  constructor(classes) {
    this.classes = classes;
    this.form = new FilterForm(classes, (changes, options) => this.change(changes, options));
    this.request = 0;
    byId("sort").addEventListener("change", () => this.change({ sort: byId("sort").value }));
    for (const head of document.querySelectorAll("th[data-sort]")) {
      head.querySelector("button").addEventListener("click", () => this.sortBy(head.dataset.sort));
    }
    for (const button of document.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => this.turn(Number(button.dataset.step)));
    }
    document.querySelector("[data-clear]").addEventListener("click", () => this.clear());
  }

  // Show the view of the address; the first time, at the place where the person left it.
  async showAddress(scroll = 0) {
    this.view = readView(location.search);
    this.form.show(this.view);
    await this.load();
    window.scrollTo(0, scroll);
  }

  // Typing replaces the address; every other change can be taken back with the Back button.
  change(changes, { isTyping = false } = {}) {
    const view = { ...this.view, page: 1, ...changes };
    if (viewQuery(view) === viewQuery(this.view)) return;
    this.view = view;
    const address = location.pathname + viewQuery(view);
    if (isTyping) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    this.form.show(view);
    this.load();
  }

  clear() {
    this.change(Object.fromEntries(FILTERS.map((name) => [name, ""])));
    byId("q").focus();
  }

  sortBy(name) {
    const first = name === "when" ? "-when" : name;
    const second = name === "when" ? "when" : `-${name}`;
    this.change({ sort: this.view.sort === first ? second : first });
  }

  turn(step) {
    this.change({ page: this.view.page + step });
    byId("results").scrollIntoView();
  }

  async load() {
    const request = (this.request += 1);
    byId("table").setAttribute("aria-busy", "true");
    try {
      const found = await api.get(`documents${viewQuery(this.view)}`);
      if (request === this.request) this.show(found);
    } catch (error) {
      if (request === this.request) showError(error.message);
    } finally {
      if (request === this.request) byId("table").removeAttribute("aria-busy");
    }
  }

  show(found) {
    const { view, classes } = this;
    const address = (index) => `${workbench}?document=${index}`;
    byId("rows").replaceChildren(...found.documents.map((row) => documentRow(row, classes, address)));
    byId("count").textContent = t("documents.found", { n: found.total });
    setVisible(byId("table"), found.documents.length > 0);
    setVisible(byId("nothing"), found.total === 0);
    this.form.showPeople(found.people, view.by);
    showChips(view, classes, { remove: (name) => this.remove(name), clear: () => this.clear() });
    this.showOrder();
    this.showPages(found);
    document.body.dataset.state = "ready";
  }

  remove(name) {
    this.change({ [name]: "" });
    byId("q").focus();
  }

  showOrder() {
    const { sort } = this.view;
    byId("sort").value = sort;
    for (const head of document.querySelectorAll("th[data-sort]")) {
      const name = head.dataset.sort;
      const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
      head.setAttribute("aria-sort", order);
    }
  }

  showPages({ page, n_pages: pages, total }) {
    setVisible(byId("pager"), pages > 1 && total > 0);
    byId("page").textContent = t("documents.page_of", { page, pages });
    for (const button of document.querySelectorAll("[data-step]")) {
      const to = page + Number(button.dataset.step);
      button.disabled = to < 1 || to > pages;
    }
  }
}

function listenToSlash() {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    byId("q").select();
    byId("q").focus();
  });
}

// In a wide window the filters are always there.
function openFilters() {
  const show = () => {
    byId("more-filters").open = wide.matches;
  };
  wide.addEventListener("change", show);
  show();
}

async function start() {
  history.scrollRestoration = "manual";
  const scroll = history.state?.scroll ?? 0;
  listenToSlash();
  openFilters();
  const table = new DocumentTable(new Classes(await api.get("classes")));
  await table.showAddress(scroll);
  window.addEventListener("popstate", () => table.showAddress());
  window.addEventListener("pagehide", () => history.replaceState({ scroll: window.scrollY }, ""));
  // A page that the browser kept shows old rows: somebody may have decided in the meantime.
  window.addEventListener("pageshow", (event) => event.persisted && table.load());
}

start().catch((error) => showError(error.message));
