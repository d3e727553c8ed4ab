/** 40 ms, 12 s, 3 min 5 s, 2 h 4 min. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(Math.max(0, ms))} ms`
  const s = ms / 1000
  if (s < 10) return `${s.toFixed(1)} s`
  if (s < 60) return `${Math.round(s)} s`
  const min = Math.floor(s / 60)
  if (min < 60) return `${min} min${Math.round(s % 60) > 0 ? ` ${Math.round(s % 60)} s` : ""}`
  return `${Math.floor(min / 60)} h${min % 60 > 0 ? ` ${min % 60} min` : ""}`
}

export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time)
  if (Number.isNaN(ms)) return ""
  if (ms < 45_000) return "now"
  const min = Math.round(ms / 60_000)
  if (min < 60) return `${min} min`
  const h = Math.round(min / 60)
  if (h < 24) return `${h} h`
  const days = Math.round(h / 24)
  return days < 7 ? `${days} d` : new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short" })
}

export const exact = (time: string): string => new Date(time).toLocaleString()

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`
  const units = ["KB", "MB", "GB", "TB"]
  let value = n / 1024
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

export function count(n: number): string {
  if (n < 1000) return String(n)
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)}k`
  return `${(n / 1_000_000).toFixed(1)}M`
}

export const cost = (usd: number): string => `$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`

/** `one item`, `3 items`. */
export const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`

/** What stands for a session that nobody named. */
export const titleOf = ({ title, id }: { title?: string | undefined; id: string }): string => title?.trim() || id

/** As it stands on the keyboard that is likely there. */
export const commandKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl"
