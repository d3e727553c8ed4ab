import type { Session } from "./session.ts"

/** Changes of a session's settings: else one that takes back what the agent is just asked for would find nothing to change. */
export function oneByOne<T>(s: Session, change: () => Promise<T>): Promise<T> {
  const changed = s.changing === undefined ? change() : s.changing.then(change)
  const changing: Promise<void> = Promise.allSettled([changed]).then(() => {
    if (s.changing === changing) s.changing = undefined
  })
  s.changing = changing
  return changed
}
