import assert from "node:assert/strict"

/** The few things scenarios claim, so that they run without a test runner. */
export function same(actual: unknown, expected: unknown, what?: string): void {
  try {
    assert.deepEqual(actual, expected)
  } catch {
    assert.fail(`${what === undefined ? "" : `${what}: `}${shown(actual)} where ${shown(expected)} is due`)
  }
}

export function holds(condition: unknown, what: string): asserts condition {
  if (!condition) assert.fail(what)
}

/** A text or a list has this in it. */
export function has(whole: string | readonly unknown[] | undefined, part: unknown, what = "it"): void {
  const found = typeof whole === "string" ? whole.includes(String(part)) : whole?.includes(part)
  if (!found) assert.fail(`${what}: ${shown(whole)} does not have ${shown(part)}`)
}

/** The object has at least these fields with these values. */
export function fits(actual: object | undefined, expected: Record<string, unknown>): void {
  const found = actual as Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(expected)) same(found?.[key], value, key)
}

const longest = 600
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
