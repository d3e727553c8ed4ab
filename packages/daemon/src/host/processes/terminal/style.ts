/** How characters that are written next will look. */
export interface Attributes {
  isBold(): number
  isDim(): number
  isItalic(): number
  isUnderline(): number
  isBlink(): number
  isInverse(): number
  isInvisible(): number
  isStrikethrough(): number
  isFgPalette(): boolean
  isFgRGB(): boolean
  getFgColor(): number
  isBgPalette(): boolean
  isBgRGB(): boolean
  getBgColor(): number
}

const flags = [
  ...([
    [1, "isBold"],
    [2, "isDim"],
    [3, "isItalic"],
    [4, "isUnderline"],
    [5, "isBlink"],
    [7, "isInverse"],
  ] as const),
  ...([
    [8, "isInvisible"],
    [9, "isStrikethrough"],
  ] as const),
] as const

/** The sequence that makes them look so, whatever they looked like before. */
export function styleOf(attributes: Attributes): string {
  const codes: (number | string)[] = [0, ...flags.flatMap(([code, is]) => (attributes[is]() ? [code] : []))]
  if (attributes.isFgPalette()) codes.push(`38;5;${attributes.getFgColor()}`)
  if (attributes.isFgRGB()) codes.push(`38;2;${rgb(attributes.getFgColor())}`)
  if (attributes.isBgPalette()) codes.push(`48;5;${attributes.getBgColor()}`)
  if (attributes.isBgRGB()) codes.push(`48;2;${rgb(attributes.getBgColor())}`)
  return `\x1b[${codes.join(";")}m`
}

const rgb = (colour: number): string => `${(colour >> 16) & 255};${(colour >> 8) & 255};${colour & 255}`
