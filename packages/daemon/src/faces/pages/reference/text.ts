import { escapeHtml } from "../page.ts"

/** Words of the contract: what stands between backticks is code. */
export const inline = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")

export const code = (text: string): string => `<code>${escapeHtml(text)}</code>`

/** A block that can be copied. */
export const block = (label: string, text: string): string =>
  `<figure><figcaption>${escapeHtml(label)}</figcaption><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>`

export const json = (value: unknown): string => JSON.stringify(value, null, 2)
