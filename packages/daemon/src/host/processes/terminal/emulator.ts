import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { TerminalSize } from "../../../core/supervisor.ts"
import { type Attributes, styleOf } from "./style.ts"

/** A terminal without a display. */
export interface Emulator {
  /** At once, and not later: whoever writes waits meanwhile. */
  parse(bytes: Uint8Array): void
  resize(cols: number, rows: number): void
  /** Whether it is between two sequences, and not within one. */
  isBetweenSequences(): boolean
  /** All that draws its screen and scrollback on an empty one. */
  serialize(): string
  onData(listener: (text: string) => void): void
  onTitleChange(listener: (title: string) => void): void
  dispose(): void
}

/** What of the library is not among its public parts; its version is pinned for this. */
interface Inside {
  _inputHandler: { parse(data: Uint8Array): unknown; _curAttrData: Attributes; _parser: { currentState: number } }
  coreService: {
    isCursorHidden: boolean
    decPrivateModes: { cursorStyle?: string; cursorBlink?: boolean; origin: boolean }
  }
  coreMouseService: { activeEncoding: string }
  _charsetService: { glevel: number; _charsets: (Record<string, string> | undefined)[] }
  buffer: Buffered
}

interface Buffered {
  scrollTop: number
  scrollBottom: number
  x: number
  y: number
  savedX: number
  savedY: number
  savedCurAttrData: Attributes
  getNullCell(): unknown
  lines: { length: number; get(index: number): { length: number; resize(cols: number, fill: unknown): void } }
}

/** Loaded with the first terminal: it costs memory that a daemon without any does not need. */
export async function newEmulator({ cols, rows }: TerminalSize): Promise<Emulator> {
  const [{ Terminal }, { SerializeAddon }] = await Promise.all([
    import("@xterm/headless"),
    import("@xterm/addon-serialize"),
  ])
  const scrollback = processLimits.terminalScrollback
  const terminal = new Terminal({ cols, rows, scrollback, allowProposedApi: true, logLevel: "off" })
  const addon = new SerializeAddon()
  terminal.loadAddon(addon as never)
  const inside = (terminal as unknown as { _core: Inside })._core
  return {
    parse: (bytes) => void inside._inputHandler.parse(bytes),
    resize: (width, height) => terminal.resize(width, height),
    isBetweenSequences: () => inside._inputHandler._parser.currentState === 0,
    serialize: () => {
      trim(inside.buffer, terminal.cols)
      return plainAtFirst(addon.serialize()) + restOf(inside, terminal)
    },
    onData: (listener) => void terminal.onData(listener),
    onTitleChange: (listener) => void terminal.onTitleChange(listener),
    dispose: () => terminal.dispose(),
  }
}

/** A screen that became narrower keeps what was beyond its edge, and the addon would write it into the next line. */
function trim(buffer: Buffered, cols: number): void {
  for (let i = 0; i < buffer.lines.length; i++) {
    const line = buffer.lines.get(i)
    if (line.length > cols) line.resize(cols, buffer.getNullCell())
  }
}

/** The addon takes it that a program's own screen begins without any style, and leaves that of the cursor in front of it. */
const plainAtFirst = (text: string): string => text.replace("\x1b[?1049h", "\x1b[?1049h\x1b[m")

const styles: Record<string, number> = { block: 1, underline: 3, bar: 5 }
const encodings: Record<string, string> = { SGR: "\x1b[?1006h", SGR_PIXELS: "\x1b[?1016h" }

/** What the addon leaves out, and programs rely on: margins, the saved cursor, line drawing, what the cursor and mouse are like. */
function restOf(
  { buffer, coreService, coreMouseService, _charsetService, _inputHandler }: Inside,
  size: TerminalSize,
): string {
  const { scrollTop, scrollBottom, x, y, savedX, savedY, savedCurAttrData } = buffer
  const { cursorStyle, cursorBlink, origin } = coreService.decPrivateModes
  const hasMargins = scrollTop !== 0 || scrollBottom !== size.rows - 1
  const at = (column: number, row: number) => `\x1b[${row + 1};${column + 1}H`
  // These move the cursor, so that it is put back last. Within margins places are counted from the first of them.
  let text = hasMargins ? `\x1b[${scrollTop + 1};${scrollBottom + 1}r` : ""
  text += `${at(savedX, savedY)}${styleOf(savedCurAttrData)}\x1b7`
  text += at(x, origin && hasMargins ? y - scrollTop : y) + styleOf(_inputHandler._curAttrData)
  const drawing = _charsetService._charsets.findIndex((set) => set !== undefined && "q" in set)
  if (drawing === 0 || drawing === 1) text += drawing === 0 ? "\x1b(0" : "\x1b)0"
  if (_charsetService.glevel === 1) text += "\x0e"
  text += encodings[coreMouseService.activeEncoding] ?? ""
  if (cursorStyle !== undefined) text += `\x1b[${(styles[cursorStyle] ?? 1) + (cursorBlink === false ? 1 : 0)} q`
  if (coreService.isCursorHidden) text += "\x1b[?25l"
  return text
}
