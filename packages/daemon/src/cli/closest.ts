/** Edits (insert, delete, replace, swap of neighbours) between two words. */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** The word most likely meant, if one is near enough to be worth naming. */
export function closest(word: string, words: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(word.length / 2)) + 1
  for (const candidate of words) {
    const edits = candidate.startsWith(word) && word.length > 2 ? 1 : distance(word, candidate)
    if (edits < least) {
      least = edits
      best = candidate
    }
  }
  return best
}

export function didYouMean(word: string, words: Iterable<string>, prefix = ""): string {
  const near = closest(word, words)
  return near === undefined ? "" : `; did you mean \`${prefix}${near}\`?`
}
