import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react"

/** A value that components follow. */
export class Store<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of [...this.#listeners]) listener()
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value))
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  getSnapshot = (): T => this.#value
}

export function useStore<T>(store: Pick<Store<T>, "subscribe" | "getSnapshot">): T {
  return useSyncExternalStore(store.subscribe, store.getSnapshot)
}

/** Followed once a frame at most, however often it changes. */
export function useFrames<T>(store: Pick<Store<T>, "subscribe" | "getSnapshot">): T {
  const [shown, setShown] = useState(() => ({ store, value: store.getSnapshot() }))
  const value = shown.store === store ? shown.value : store.getSnapshot()
  useEffect(() => {
    let frame = 0
    const draw = () => {
      frame = 0
      setShown({ store, value: store.getSnapshot() })
    }
    const leave = store.subscribe(() => {
      if (frame === 0) frame = requestAnimationFrame(draw)
    })
    draw()
    return () => {
      leave()
      cancelAnimationFrame(frame)
    }
  }, [store])
  return value
}

/** Kept in this browser. What cannot be read is as if it were not there. */
export function kept<T>(key: string, fallback: T): Store<T> {
  const name = `sandbox-agent.${key}`
  const store = new Store<T>(fallback)
  try {
    const text = localStorage.getItem(name)
    if (text !== null) store.set(JSON.parse(text) as T)
  } catch (error) {
    console.warn(`What was kept as ${name} cannot be read`, error)
  }
  store.subscribe(() => localStorage.setItem(name, JSON.stringify(store.value)))
  return store
}

/** The time, told again every so often, for what is shown as "2 min ago". */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** The latest of a value, for callbacks that must not be made anew. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  latest.current = value
  return latest
}

/** Whether the screen is so, told again when it changes. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query])
  const subscribe = useCallback(
    (listener: () => void) => {
      media.addEventListener("change", listener)
      return () => media.removeEventListener("change", listener)
    },
    [media],
  )
  return useSyncExternalStore(subscribe, () => media.matches)
}
