// Creates all nodes of the page. Strings become text nodes, so the text of a
// document is never parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

export const element = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const svgElement = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// A long name of a class may be broken after these signs, as in "card_payment_|not_recognised".
export const breakable = (name) =>
  name.split(/([_/]+)/).flatMap((piece, i) => (i % 2 ? [piece, element("wbr")] : [piece]));

export const byId = (id) => document.getElementById(id);

export function setVisible(node, visible) {
  node.hidden = !visible;
}
