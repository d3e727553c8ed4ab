/** Numbers by which terminals of the same program are told apart, by their ids. */
const numbers = new Map<string, number>()

/** The smallest number that no other open one has. A terminal keeps its own as long as it is open and the page is. */
export function numberTerminals(ids: readonly string[]): ReadonlyMap<string, number> {
  for (const id of [...numbers.keys()]) if (!ids.includes(id)) numbers.delete(id)
  const taken = new Set(numbers.values())
  let next = 1
  for (const id of ids) {
    if (numbers.has(id)) continue
    while (taken.has(next)) next++
    taken.add(next)
    numbers.set(id, next)
  }
  return numbers
}
