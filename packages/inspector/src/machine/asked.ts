import { type DependencyList, useCallback, useEffect, useState } from "react"
import { useLatest } from "../store.ts"

/** Asked for now, again every so often, and whenever `again` says so. */
export function useAsked<T>(
  ask: () => Promise<T>,
  of: DependencyList,
  everyMs?: number,
): { value: T | undefined; error: string | undefined; again: () => void } {
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<string>()
  const [round, setRound] = useState(0)
  const latest = useLatest(ask)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it depends on is named by whoever asks
  useEffect(() => {
    let isWanted = true
    const look = () => {
      latest.current().then(
        (found) => {
          if (!isWanted) return
          setValue(found)
          setError(undefined)
        },
        (thrown: unknown) => isWanted && setError(thrown instanceof Error ? thrown.message : String(thrown)),
      )
    }
    look()
    const timer = everyMs === undefined ? undefined : setInterval(look, everyMs)
    return () => {
      isWanted = false
      clearInterval(timer)
    }
  }, [...of, round, everyMs])
  const again = useCallback(() => setRound((n) => n + 1), [])
  return { value, error, again }
}
