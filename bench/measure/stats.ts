/** The value at `p` (0…1) of the sorted figures. */
export function percentile(figures: readonly number[], p: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? Number.NaN
}

export const median = (figures: readonly number[]): number => percentile(figures, 0.5)

/** How much `y` rises per step of the index: the median over all pairs, so that a late collection of garbage is no slope. */
export function slope(ys: readonly number[]): number {
  return median(ys.flatMap((y, j) => ys.slice(0, j).map((x, i) => (y - x) / (j - i))))
}
