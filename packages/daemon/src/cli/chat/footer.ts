import type { EventOf } from "@sandbox-agent/schema/event"

/** 950, 4.1k, 1.2M. */
export function countText(count: number): string {
  if (count < 1_000) return String(count)
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

export function durationText(ms: number): string {
  const seconds = ms / 1_000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** What a turn took: time, tokens, cost, as far as they are known. */
export function footerText({ usage, cost_usd: cost }: EventOf<"turn.ended">["data"], ms: number | undefined): string {
  const tokens = usage === undefined ? 0 : usage.input_tokens + usage.output_tokens
  const spent = cost ?? usage?.cost_usd
  return [
    ...(ms === undefined ? [] : [durationText(ms)]),
    ...(tokens > 0 ? [`${countText(tokens)} tokens`] : []),
    ...(spent === undefined ? [] : [`$${spent < 0.01 ? spent.toFixed(4) : spent.toFixed(2)}`]),
  ].join(" · ")
}
