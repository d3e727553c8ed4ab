/** Characters that a value has, about what its JSON would: of a text its length, without writing any. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 4
  let size = 2
  if (Array.isArray(value)) for (const one of value) size += sizeOf(one) + 1
  else for (const [name, one] of Object.entries(value)) size += name.length + 4 + sizeOf(one)
  return size
}
