/** The value at `p` (0…1) of the sorted figures. */
export function percentile(figures: readonly number[], p: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? Number.NaN
}

export const median = (figures: readonly number[]): number => percentile(figures, 0.5)

/** Least squares: how much `y` rises per step of the index. */
export function slope(ys: readonly number[]): number {
  const mx = (ys.length - 1) / 2
  const my = ys.reduce((a, b) => a + b, 0) / ys.length
  let above = 0
  let below = 0
  ys.forEach((y, x) => {
    above += (x - mx) * (y - my)
    below += (x - mx) ** 2
  })
  return above / below
}
