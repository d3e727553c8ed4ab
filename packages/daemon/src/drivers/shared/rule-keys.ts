/**
 * One key for what counts only together: a part that was allowed must not let the rest pass. Several are a list, which no name
 * of one can look like.
 */
export function together(prefix: string, parts: readonly string[]): string {
  const [only, ...more] = [...new Set(parts)].toSorted((a, b) => (a < b ? -1 : 1))
  return more.length === 0 ? `${prefix}${only ?? ""}` : JSON.stringify([prefix, only, ...more])
}
