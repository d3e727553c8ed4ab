/** Between two turns: none, as a program sends them, or one past the daemon's own work at the end of a turn, as people do. */
export const pauses = [
  { name: "turn after turn", ms: 0 },
  { name: "after 5 ms of rest", ms: 5 },
] as const

export type Pause = (typeof pauses)[number]["name"]

export const restFor = (ms: number): Promise<void> => (ms === 0 ? Promise.resolve() : Bun.sleep(ms))
