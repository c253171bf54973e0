/**
 * The one place where HTML becomes elements. It takes only what this server has rendered: a notice's
 * `html`, made from Markdown and sanitised there, and the standings table, whose names were escaped
 * there. Parsing it apart from the page means that even a script in it would not run, and the page's
 * Content-Security-Policy forbids inline scripts and styles anyway.
 */

/**
 * @param {HTMLElement} target
 * @param {string} html as the server sent it
 */
export function showServerHtml(target, html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  target.replaceChildren(...parsed.body.childNodes);
}
