/** What is really on the screen: a box that is laid out may lie below the window, or in the part that is scrolled away. */

/** Edges lie between pixels. */
const ROUNDING_PX = 1;

/**
 * @param {Element | null} item
 * @param {Element | null} scrolled the box that scrolls it, null: none does
 * @returns {boolean} whether its whole height can be seen, or of one that is higher than the room, as much as there is room
 */
export function isOnScreen(item, scrolled) {
  if (item === null) return false;
  const { top, bottom } = item.getBoundingClientRect();
  if (bottom <= top) return false;
  const room = scrolled?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
  const [from, to] = [Math.max(0, room.top), Math.min(innerHeight, room.bottom)];
  const shownPx = Math.min(to, bottom) - Math.max(from, top);
  return shownPx > 0 && shownPx >= Math.min(bottom - top, to - from) - ROUNDING_PX;
}
