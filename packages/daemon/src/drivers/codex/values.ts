export type Table = Readonly<Record<string, unknown>>

export const asTable = (value: unknown): Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Table) : {}

export const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The text of content blocks, whatever each dialect calls them. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : JSON.stringify(content)
  return content.flatMap((block) => textIn(asTable(block).text) ?? []).join("\n")
}

export const shortHash = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16)
