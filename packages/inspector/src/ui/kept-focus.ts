import { type RefObject, useEffect, useRef, useState } from "react"
import { useLatest } from "../store.ts"

/**
 * Where what had the focus of the keyboard goes away, such as a card that was answered, the focus stays near: `next` says where. Whoever
 * points and touches needs none, and a phone would open its keyboard for it.
 */
export function useKeptFocus(place: RefObject<HTMLElement | null>, next: () => HTMLElement | null | undefined): void {
  const held = useRef<Element>(undefined)
  useEffect(() => {
    const end = new AbortController()
    const { signal } = end
    const onFocusIn = ({ target }: FocusEvent) => {
      const isOurs = target instanceof Element && place.current?.contains(target) && target.matches(":focus-visible")
      held.current = isOurs ? target : undefined
    }
    // Whoever points has left the keyboard; that an element is removed says nothing by itself.
    const onPointerDown = () => {
      held.current = undefined
    }
    document.addEventListener("focusin", onFocusIn, { signal })
    document.addEventListener("pointerdown", onPointerDown, { signal })
    return () => end.abort()
  }, [place])
  const latest = useLatest(next)
  const [box, setBox] = useState<HTMLElement | null>(null)
  // It may come later than the component, and another may come in its place.
  useEffect(() => setBox(place.current))
  useEffect(() => {
    if (box === null) return
    const watch = new MutationObserver(() => {
      if (held.current === undefined || held.current.isConnected || document.activeElement !== document.body) return
      held.current = undefined
      latest.current()?.focus()
    })
    watch.observe(box, { childList: true, subtree: true })
    return () => watch.disconnect()
  }, [box, latest])
}
