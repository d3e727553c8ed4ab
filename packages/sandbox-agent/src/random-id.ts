/** Names that nobody else gives. Not `randomUUID`, which pages have only behind TLS. */
export function randomId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `${prefix}_${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
