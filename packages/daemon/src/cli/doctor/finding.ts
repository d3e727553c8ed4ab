/** What one look at the machine found. */
export interface Finding {
  readonly area: Area
  /** What was looked at, such as an agent's id. */
  readonly name: string
  readonly state: "ok" | "warning" | "failed"
  readonly detail: string
  /** What to do about it; every finding that is not ok has one. */
  readonly hint?: string
}

export const areas = ["daemon", "data directory", "agents", "network", "machine"] as const
export type Area = (typeof areas)[number]

/** Makes the findings of one area. */
export const findingsOf = (area: Area) => ({
  ok: (name: string, detail: string): Finding => ({ area, name, state: "ok", detail }),
  warning: (name: string, detail: string, hint: string): Finding => ({ area, name, state: "warning", detail, hint }),
  failed: (name: string, detail: string, hint: string): Finding => ({ area, name, state: "failed", detail, hint }),
})

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
