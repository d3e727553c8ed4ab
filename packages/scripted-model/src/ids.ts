import { randomBytes } from "node:crypto"

export interface Ids {
  next(prefix: string): string
}

/** Ids that stay apart when an agent's history meets a second model, as after a restart. */
export function createIds(): Ids {
  const run = randomBytes(4).toString("hex")
  let count = 0
  return {
    next: (prefix) => {
      count += 1
      return `${prefix}_${run}${String(count).padStart(6, "0")}`
    },
  }
}
