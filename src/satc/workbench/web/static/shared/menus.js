// Menus: a `details` element with the class "menu" closes on Escape, on a click
// elsewhere, and when the focus leaves it.

const close = (menu) => menu.removeAttribute("open");

function listen(menu) {
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.preventDefault();
    event.stopPropagation();
    close(menu);
    menu.querySelector("summary").focus();
  });
  // After a click the keys belong to the page again: Enter does not open the menu once more.
  const summary = menu.querySelector("summary");
  summary.addEventListener("click", ({ detail }) => detail > 0 && summary.blur());
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !menu.contains(relatedTarget)) close(menu);
  });
}

export function prepareMenus(root = document) {
  root.querySelectorAll("details.menu").forEach(listen);
  document.addEventListener("pointerdown", ({ target }) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) close(menu);
  });
  // Escape closes an open menu wherever the focus is.
  document.addEventListener("keydown", (event) => {
    const open = document.querySelectorAll("details.menu[open]");
    if (event.key !== "Escape" || !open.length || event.defaultPrevented) return;
    event.preventDefault();
    open.forEach(close);
  }, { capture: true });
}
