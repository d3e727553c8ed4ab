const WIDTH = 120

/** JSON that diffs well: what fits a line is one line, the rest is one entry per line. */
export function formatJson(value: unknown): string {
  return `${format(value, "", 0, 0)}\n`
}

/** `before` and `after`: columns on the same line that belong to others, the name and the comma. */
function format(value: unknown, indent: string, before: number, after: number): string {
  const short = JSON.stringify(value)
  if (value === null || typeof value !== "object") return short
  if (!Array.isArray(value) && Object.keys(value).length === 0) return "{}"
  const spaced = oneLine(value)
  if (indent.length + before + spaced.length + after <= WIDTH) return spaced
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    const lines = value.map((entry, index) => deeper + format(entry, deeper, 0, index < value.length - 1 ? 1 : 0))
    return `[\n${lines.join(",\n")}\n${indent}]`
  }
  const lines = Object.entries(value).map(([key, entry], index, { length }) => {
    const name = `${JSON.stringify(key)}: `
    return deeper + name + format(entry, deeper, name.length, index < length - 1 ? 1 : 0)
  })
  return `{\n${lines.join(",\n")}\n${indent}}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return "{}"
  return `{ ${entries.map(([key, entry]) => `${JSON.stringify(key)}: ${oneLine(entry)}`).join(", ")} }`
}
