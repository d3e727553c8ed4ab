/** Whether keys go to what is here and not to the page: a terminal, a menu, or an open dialog, wherever the focus is in it. */
export const hasOwnKeys = (target: Element): boolean =>
  target.closest(".screen, [role=menu]") !== null || document.querySelector("dialog[open]") !== null
