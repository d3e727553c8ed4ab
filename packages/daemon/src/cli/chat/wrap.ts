import { printable } from "../print.ts"

/** Colours and styles that are ours; everything else of a text was made printable before. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes are what is looked for
const codes = /\x1b\[[0-9;]*m/g

/** Rows of at most `width` columns, broken between words where there are any; styles go on in the next row. */
export function wrapped(text: string, width: number, indent = ""): string[] {
  const rows: string[] = []
  let row = ""
  let used = 0
  let style = ""
  for (const word of text.split(/(?<= )/)) {
    const size = Bun.stringWidth(word.trimEnd())
    if (used > 0 && used + size > width) {
      rows.push(row)
      row = `${indent}${style}`
      used = Bun.stringWidth(indent)
    }
    for (const piece of pieces(word, width - used, width - Bun.stringWidth(indent))) {
      if (used + Bun.stringWidth(piece.trimEnd()) > width) {
        rows.push(row)
        row = `${indent}${style}`
        used = Bun.stringWidth(indent)
      }
      row += piece
      used += Bun.stringWidth(piece)
    }
    for (const [code] of word.matchAll(codes)) style = code === "\x1b[0m" ? "" : style + code
  }
  rows.push(row)
  return rows
}

/** A word that no row has room for is cut. */
function pieces(word: string, first: number, next: number): string[] {
  if (Bun.stringWidth(word.trimEnd()) <= Math.max(first, next) || word.includes("\x1b")) return [word]
  const found: string[] = []
  let piece = ""
  let room = first
  for (const letter of word) {
    const size = Bun.stringWidth(letter)
    if (size > room) {
      found.push(piece)
      piece = ""
      room = next
    }
    piece += letter
    room -= size
  }
  return [...found, piece]
}

export const cleanLines = (text: string): string[] => printable(text).replaceAll("\t", "  ").split("\n")
