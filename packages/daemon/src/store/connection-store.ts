import type { Store } from "./store.ts"

/** What a face that keeps connections may do with the store: their logs and rows are its own. */
export type ConnectionStore = Pick<
  Store,
  "append" | "write" | "saveRow" | "committed" | "flush" | "nextPos" | "settle" | "failing" | "waitingChanges"
>
