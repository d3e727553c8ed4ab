/** A stretch of a terminal's output that looks the same. */
export interface Stretch {
  text: string
  className: string
  color?: string
  background?: string
}

interface Look {
  fg?: string
  bg?: string
  bold?: boolean
  faint?: boolean
  italic?: boolean
  underline?: boolean
  inverse?: boolean
}

const sequence =
  /\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|[ -/]*[0-~]?)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/** Colours are kept, everything else that a terminal would obey is left out. */
export function ansi(raw: string): Stretch[] {
  const text = overwritten(raw)
  const out: Stretch[] = []
  let look: Look = {}
  let at = 0
  const add = (piece: string) => {
    if (piece !== "") out.push({ text: piece, ...styled(look) })
  }
  for (const found of text.matchAll(sequence)) {
    add(text.slice(at, found.index))
    at = found.index + found[0].length
    if (found[2] === "m") look = changed(look, found[1] ?? "")
  }
  add(text.slice(at))
  return out
}

/** A line that was written again shows what was written last, as progress bars mean it. */
function overwritten(text: string): string {
  if (!text.includes("\r")) return text
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.replace(/^.*\r(?=[^\r])/s, "").replaceAll("\r", ""))
    .join("\n")
}

function changed(before: Look, codes: string): Look {
  const look = { ...before }
  const list = codes.split(/[;:]/).map(Number)
  for (let i = 0; i < list.length; i++) {
    const code = list[i] ?? 0
    if (code === 0) for (const key of Object.keys(look)) delete look[key as keyof Look]
    else if (code === 1) look.bold = true
    else if (code === 2) look.faint = true
    else if (code === 3) look.italic = true
    else if (code === 4) look.underline = true
    else if (code === 7) look.inverse = true
    else if (code === 22) look.bold = look.faint = false
    else if (code === 23) look.italic = false
    else if (code === 24) look.underline = false
    else if (code === 27) look.inverse = false
    else if (code === 39) delete look.fg
    else if (code === 49) delete look.bg
    else if (code === 38 || code === 48) {
      const [color, used] = longColor(list.slice(i + 1))
      i += used
      if (color !== undefined) look[code === 38 ? "fg" : "bg"] = color
    } else if (code >= 30 && code <= 37) look.fg = `a${code - 30}`
    else if (code >= 90 && code <= 97) look.fg = `a${code - 82}`
    else if (code >= 40 && code <= 47) look.bg = `a${code - 40}`
    else if (code >= 100 && code <= 107) look.bg = `a${code - 92}`
  }
  return look
}

function longColor([kind, ...rest]: number[]): [color: string | undefined, used: number] {
  const byte = (n: number | undefined) => Math.min(255, Math.max(0, Math.trunc(n ?? 0) || 0))
  if (kind === 2) return [`rgb(${byte(rest[0])} ${byte(rest[1])} ${byte(rest[2])})`, 4]
  if (kind !== 5) return [undefined, 1]
  const n = byte(rest[0])
  if (n < 16) return [`a${n}`, 2]
  if (n >= 232) return [`rgb(${[0, 1, 2].map(() => (n - 232) * 10 + 8).join(" ")})`, 2]
  const step = (v: number) => (v === 0 ? 0 : v * 40 + 55)
  const cube = n - 16
  return [`rgb(${step(Math.floor(cube / 36))} ${step(Math.floor(cube / 6) % 6)} ${step(cube % 6)})`, 2]
}

function styled(look: Look): Omit<Stretch, "text"> {
  const [fg, bg] = look.inverse ? [look.bg ?? "bg", look.fg ?? "fg"] : [look.fg, look.bg]
  const names = [
    look.bold && "bold",
    look.faint && "faint",
    look.italic && "italic",
    look.underline && "underline",
    fg !== undefined && !fg.startsWith("rgb") && `fg-${fg}`,
    bg !== undefined && !bg.startsWith("rgb") && `bg-${bg}`,
  ]
  return {
    className: names.filter(Boolean).join(" "),
    ...(fg?.startsWith("rgb") && { color: fg }),
    ...(bg?.startsWith("rgb") && { background: bg }),
  }
}
