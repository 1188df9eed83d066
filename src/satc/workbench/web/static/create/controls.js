// Select boxes and lists of tick boxes.

import { element } from "../shared/dom.js";

let number = 0;

const newId = () => `control-${++number}`;

export function selectBox(label, choices, value, onChange) {
  const id = newId();
  const options = choices.map(([code, shown]) =>
    element("option", { value: code, selected: code === (value ?? "") }, shown),
  );
  const box = element("select", { id, autocomplete: "off", onchange: () => onChange(box.value) }, ...options);
  return element("div", { class: "field" }, element("label", { for: id }, label), box);
}

// Each letter is told at once, so that nothing is lost if the box is then replaced. Letters that are being
// composed, as in Chinese, are told when they are complete.
export function textBox(label, value, onChange) {
  const id = newId();
  const tell = () => onChange(box.value);
  const oninput = (event) => event.isComposing || tell();
  const box = element("input", { id, value, autocomplete: "off", maxlength: 10, oninput, oncompositionend: tell });
  return element("div", { class: "field short" }, element("label", { for: id }, label), box);
}

export function tickList(legend, names, chosen, onChange) {
  const tick = (name) => {
    const box = element("input", {
      type: "checkbox",
      checked: chosen.includes(name),
      autocomplete: "off",
      onchange: () => onChange(names.filter((_, k) => boxes[k].querySelector("input").checked)),
    });
    return element("label", { class: "tick" }, box, element("span", { dir: "auto" }, name));
  };
  const boxes = names.map(tick);
  return element("fieldset", { class: "ticks" }, element("legend", {}, legend), element("div", {}, ...boxes));
}
