/** How well a path fits what was typed, the way editors have it: all letters in order, beginnings and neighbours first. */
export function fuzzyScore(typed: string, path: string): number | undefined {
  const [needle, text] = [typed.toLowerCase().replaceAll(" ", ""), path.toLowerCase()]
  const name = text.lastIndexOf("/") + 1
  // In the name itself if that has them all, else anywhere on the way.
  return scoreFrom(needle, path, text, name, 40) ?? scoreFrom(needle, path, text, 0, 0)
}

function scoreFrom(needle: string, path: string, text: string, start: number, bonus: number): number | undefined {
  let score = bonus
  let last = start - 2
  let at = start
  for (const letter of needle) {
    const direct = text[last + 1] === letter ? last + 1 : -1
    const found = direct >= at ? direct : bestOf(path, text, letter, at)
    if (found < 0) return undefined
    if (found === last + 1) score += 8
    else score -= Math.min(3, found - last)
    if (isBeginning(path, found)) score += 10
    last = found
    at = found + 1
  }
  const rest = text.length - start - needle.length
  return score + (text.slice(start) === needle ? 50 : 0) - rest * 0.2
}

/** The next beginning of a word with this letter, else the next one. */
function bestOf(path: string, text: string, letter: string, from: number): number {
  const first = text.indexOf(letter, from)
  for (let at = first; at >= 0 && at < first + 24; at = text.indexOf(letter, at + 1))
    if (isBeginning(path, at)) return at
  return first
}

function isBeginning(path: string, at: number): boolean {
  const [before = "/", here = ""] = [path[at - 1], path[at]]
  return /[/_\-. ]/.test(before) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(here))
}
