import type { KeyboardEvent } from "react"

/** Keys of a list that has the focus as a whole: one is chosen, and arrows choose its neighbours. */
export function pickKeys(length: number, at: number, choose: (at: number) => void) {
  return (event: KeyboardEvent<HTMLElement>): void => {
    const last = length - 1
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, Home: 0, End: last }[event.key]
    if (to === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    // What was clicked had the focus, and may be out of sight by now.
    event.currentTarget.focus()
    if (to >= 0 && to <= last) choose(to)
  }
}
