import { type RefObject, useEffect } from "react"

/**
 * Keeps in `pressed` whether a pointer is down in an element. What moves or appears under a pressed pointer takes the click from what was
 * pressed, so that waits until it is released.
 */
export function usePressed(
  element: RefObject<HTMLElement | null>,
  pressed: RefObject<boolean>,
  onRelease: () => void,
): void {
  useEffect(() => {
    const box = element.current
    if (box === null) return
    const end = new AbortController()
    const { signal } = end
    const press = () => {
      pressed.current = true
    }
    const release = () => {
      if (!pressed.current) return
      // The click comes after the release, and is to find everything where it was.
      requestAnimationFrame(() => {
        pressed.current = false
        if (!signal.aborted) onRelease()
      })
    }
    box.addEventListener("pointerdown", press, { signal })
    for (const type of ["pointerup", "pointercancel"]) window.addEventListener(type, release, { signal })
    return () => end.abort()
  }, [element, pressed, onRelease])
}
