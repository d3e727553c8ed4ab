import { writeSync } from "node:fs"
import type { Environment } from "./config-file.ts"

/** What is known about the place a text goes to. */
export interface Terminal {
  readonly tty: boolean
  readonly colour: boolean
  readonly width: number
}

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
}

const fallbackWidth = 80

/** FORCE_COLOR over NO_COLOR over what the stream is. */
export function terminalOf(stream: Stream = process.stdout, env: Environment = process.env): Terminal {
  const tty = stream.isTTY === true
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "" && env.FORCE_COLOR !== "0"
  const refused = Boolean(env.NO_COLOR) || env.FORCE_COLOR === "0" || env.TERM === "dumb"
  const width = stream.columns || Number(env.COLUMNS) || fallbackWidth
  return { tty, colour: forced || (tty && !refused), width }
}

export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan"
const codes: Record<Colour, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

export type Paint = (colour: Colour, text: string) => string

export const paintFor = (terminal: Terminal): Paint =>
  terminal.colour ? (colour, text) => (text ? `\x1b[${codes[colour]}m${text}\x1b[0m` : "") : (_, text) => text

/** What an agent wrote must not steer the reader's terminal: only line ends and tabs pass. */
export const printable = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, "")

/** Our output cannot be written: a full disk, a device that is gone. */
export class OutputLost extends Error {
  readonly code: string | undefined
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.code = (cause as NodeJS.ErrnoException).code
  }
}

/** Resolves when the text is with the system, so that an exit right after loses nothing. */
export function writeTo(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  if (text.length === 0) return Promise.resolve()
  return new Promise((resolve, reject) =>
    stream.write(text, (error) => (error ? reject(new OutputLost(error)) : resolve())),
  )
}

let toldLost = false

/** Once, whichever write failed first; gives the exit code. */
export function tellLost(error: unknown): number {
  const { code, message } = error as NodeJS.ErrnoException
  const reason = code === "ENOSPC" ? "no space is left there" : (code ?? message)
  try {
    if (!toldLost) writeSync(2, `error: the output could not be written: ${reason}\n`)
  } catch {
    // Nor can the error.
  }
  toldLost = true
  return 1
}

export const out = (text: string | Uint8Array): Promise<void> => writeTo(process.stdout, text)
export const err = (text: string): Promise<void> => writeTo(process.stderr, text)
export const line = (text: string): Promise<void> => out(`${text}\n`)
export const note = (text: string): Promise<void> => err(`${text}\n`)

export const isBrokenPipe = (error: unknown): boolean =>
  typeof error === "object" && error !== null && (error as NodeJS.ErrnoException).code === "EPIPE"

/** The reader of our output went away (`| head`): there is nobody left to tell. Anything else is an error. */
export function onLostOutput(exit: (code: number) => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error) => exit(isBrokenPipe(error) ? 0 : tellLost(error)))
}

/** For the server: it goes on without a reader, and when the disk that its log is on is full. */
export function withoutOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}
