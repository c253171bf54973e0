/**
 * A document made of data, for parts of pages that are wired to it: as much of it as they use. Elements
 * are written as `h("p.alert-level[hidden]", …children)`; selectors are lists of simple ones.
 */

const COMPOUND = /([#.]?[\w-]+)|\[([\w-]+)(?:="?([^"\]]*)"?)?\]/g;
const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
const dashed = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `p#id.class[name="value"]` as a list of what is asked of one element. */
function asked(selector) {
  return [...selector.matchAll(COMPOUND)].map(([, word, name, value]) => {
    if (name !== undefined) return { name, value: value ?? null };
    if (word.startsWith("#")) return { name: "id", value: word.slice(1) };
    return word.startsWith(".") ? { className: word.slice(1) } : { tag: word };
  });
}

export class FakeElement extends EventTarget {
  parentNode = null;
  children = [];
  #attributes = new Map();
  #text = "";
  #value = null;

  constructor(tag) {
    super();
    this.tagName = tag.toUpperCase();
    this.dataset = new Proxy({}, {
      get: (_, name) => this.#attributes.get(`data-${dashed(name)}`),
      set: (_, name, value) => (this.setAttribute(`data-${dashed(name)}`, value), true),
      deleteProperty: (_, name) => (this.removeAttribute(`data-${dashed(name)}`), true),
      has: (_, name) => this.hasAttribute(`data-${dashed(name)}`),
    });
  }

  getAttribute(name) { return this.#attributes.get(name) ?? null; }
  hasAttribute(name) { return this.#attributes.has(name); }
  setAttribute(name, value) { this.#attributes.set(name, String(value)); }
  removeAttribute(name) { this.#attributes.delete(name); }
  toggleAttribute(name, on = !this.hasAttribute(name)) {
    if (on) this.setAttribute(name, "");
    else this.removeAttribute(name);
    return on;
  }

  get id() { return this.getAttribute("id") ?? ""; }
  set id(value) { this.setAttribute("id", value); }
  get hidden() { return this.hasAttribute("hidden"); }
  set hidden(on) { this.toggleAttribute("hidden", on); }
  get disabled() { return this.hasAttribute("disabled"); }
  set disabled(on) { this.toggleAttribute("disabled", on); }
  get value() { return this.#value ?? this.getAttribute("value") ?? ""; }
  set value(value) { this.#value = value; }

  get classList() {
    const names = () => new Set((this.getAttribute("class") ?? "").split(" ").filter(Boolean));
    const keep = (set) => this.setAttribute("class", [...set].join(" "));
    return {
      contains: (name) => names().has(name), add: (name) => keep(names().add(name)),
      remove: (name) => keep([...names()].filter((each) => each !== name)),
      replace: (name, other) => keep([...names()].map((each) => (each === name ? other : each))),
      toggle: (name, on) => keep(on ? names().add(name) : [...names()].filter((each) => each !== name)),
    };
  }

  get textContent() { return this.children.length === 0 ? this.#text : this.children.map((each) => each.textContent).join(""); }
  set textContent(text) {
    this.replaceChildren();
    this.#text = String(text);
  }

  isEqualNode(other) { return this.innerHTML === other?.innerHTML; }
  get innerHTML() { return this.children.length === 0 ? this.#text : this.children.map((each) => `<${each.tagName}>${each.innerHTML}`).join(""); }
  get childNodes() { return this.children.length === 0 && this.#text !== "" ? [this.#text] : [...this.children]; }
  get firstElementChild() { return this.children[0] ?? null; }
  get nextElementSibling() {
    const siblings = this.parentNode?.children ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }
  get isConnected() { return this === globalThis.document || (this.parentNode?.isConnected ?? false); }

  append(...items) { items.forEach((item) => this.insertBefore(item, null)); }
  insertBefore(item, place) {
    if (typeof item === "string") return void (this.#text += item);
    item.remove();
    item.parentNode = this;
    this.children.splice(place === null ? this.children.length : this.children.indexOf(place), 0, item);
  }
  replaceChildren(...items) {
    for (const child of [...this.children]) child.remove();
    this.#text = "";
    this.append(...items);
  }
  replaceWith(item) {
    this.parentNode?.insertBefore(item, this);
    this.remove();
  }
  remove() {
    const siblings = this.parentNode?.children ?? [];
    if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1);
    this.parentNode = null;
  }
  contains(other) {
    for (let each = other; each != null; each = each.parentNode) if (each === this) return true;
    return false;
  }
  cloneNode() {
    const copy = new this.constructor(this.tagName);
    for (const [name, value] of this.#attributes) copy.setAttribute(name, value);
    copy.append(...this.children.map((child) => child.cloneNode(true)));
    if (this.children.length === 0) copy.textContent = this.#text;
    return copy;
  }

  matches(selector) {
    return selector.split(",").some((one) => asked(one.trim()).every(({ tag, className, name, value }) => {
      if (tag !== undefined) return this.tagName === tag.toUpperCase();
      if (className !== undefined) return this.classList.contains(className);
      return this.hasAttribute(name) && (value === null || this.getAttribute(name) === value);
    }));
  }
  querySelectorAll(selector) {
    return this.children.flatMap((child) => [...(child.matches(selector) ? [child] : []), ...child.querySelectorAll(selector)]);
  }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  closest(selector) {
    for (let each = this; each != null; each = each.parentNode) if (each.matches(selector)) return each;
    return null;
  }

  getClientRects() { return this.isConnected && this.closest("[hidden]") === null ? [{}] : []; }
  /** At the top of the window, unless a test has put it elsewhere. */
  getBoundingClientRect() { return this.getClientRects().length === 0 ? { top: 0, bottom: 0 } : this.box ?? { top: 0, bottom: 20 }; }
  focus() { globalThis.document.activeElement = this; }
  requestSubmit() { this.submitted = fire(this, "submit"); }
  scrollIntoView() { this.isShown = true; }
}

/** Browsers' classes that pages ask for, by tag. */
const CLASSES = Object.fromEntries(["Button", "Details", "Form", "Input", "Select", "Template", "TextArea", "Time"]
  .map((name) => [name.toLowerCase(), class extends FakeElement {}]));

/** @param {string} selector @param {...(FakeElement | string)} children */
export function h(selector, ...children) {
  const [{ tag }, ...rest] = asked(selector);
  const made = new (CLASSES[tag] ?? FakeElement)(tag);
  for (const { name, value, className } of rest) {
    if (className === undefined) made.setAttribute(name, value ?? "");
    else made.classList.add(className);
  }
  if (tag === "template") made.content = h("div", ...children);
  else made.append(...children);
  return made;
}

/** Something happens to an element, and then to all around it. */
export function fire(element, type, more = {}) {
  const event = Object.assign(new Event(type, { cancelable: true }), more);
  Object.defineProperty(event, "target", { value: element });
  for (let each = element; each != null; each = each.parentNode) each.dispatchEvent(event);
  return event;
}

/** Puts a page in place, until the test is over; time is the test's. */
export function putPage(t, ...children) {
  const body = h("body", ...children);
  const document = Object.assign(h("html", body), {
    body, title: "Contest", visibilityState: "visible", activeElement: body,
    createElement: (tag) => h(tag),
  });
  const form = (element) => element.querySelectorAll("input, textarea, select").map((each) => [each.getAttribute("name"), each.value]);
  const classes = Object.entries(CLASSES).map(([tag, value]) => [`HTML${{ textarea: "TextArea" }[tag] ?? tag[0].toUpperCase() + tag.slice(1)}Element`, value]);
  const globals = {
    document, Node: FakeElement, HTMLElement: FakeElement, ...Object.fromEntries(classes),
    FormData: class extends Map {
      constructor(element) { super(element === undefined ? [] : form(element)); }
      append(name, value) { this.set(name, value); }
    },
    DOMParser: class { parseFromString(text) { return { body: h("body", h("p", text)) }; } },
    requestAnimationFrame: (run) => setTimeout(run, 16), addEventListener: () => undefined,
    innerHeight: 720,
  };
  const before = Object.fromEntries(Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  Object.assign(globalThis, globals);
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  t.after(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete globalThis[name];
      else Object.defineProperty(globalThis, name, value);
    }
  });
  return document;
}
