import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { callJson } from "./client.ts"
import { connectionFlags } from "./command.ts"
import { type Connection, connectionOf } from "./connection.ts"
import { parseFlags } from "./parse.ts"
import { err, note, out } from "./print.ts"
import { codeOf, type ProgramEnd } from "./run-program.ts"
import { UsageError } from "./usage.ts"

const words = ["terminals", "attach"] as const

/** Ctrl-], as telnet has it: no shell and hardly a program wants it. */
const DETACH = 0x1d

/** Back to what a shell expects: its own screen, a cursor, keys and mouse as they were. */
const RESTORE = "\x1b[?1049l\x1b[!p\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[m"

/** This terminal becomes one of the daemon's, until its program ends or somebody leaves. */
export async function attachTerminal(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, connectionFlags, words)
  const [id, ...rest] = parsed.positionals
  if (id === undefined) throw new UsageError("missing <id>", words)
  if (rest.length > 0) throw new UsageError(`unexpected argument \`${rest[0]}\``, words)
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError("this needs a terminal; `processes logs --follow` shows output anywhere", words)
  const connection = await connectionOf(parsed, process.env)
  // Says what is wrong in words, which a WebSocket cannot.
  await callJson(connection, { method: "GET", path: `/v1/terminals/${encodeURIComponent(id)}` })
  const end = await shown(connection, id)
  if (end === "left") {
    await note(`detached; \`sandbox-agent terminals attach ${id}\` comes back`)
    return 0
  }
  return codeOf(end)
}

async function shown(connection: Connection, id: string): Promise<ProgramEnd | "left"> {
  const socket = open(connection, id)
  const ended = Promise.withResolvers<ProgramEnd | "left">()
  const resize = () => send(socket, { type: "resize", cols: process.stdout.columns, rows: process.stdout.rows })
  const typed = (bytes: Buffer) => {
    const at = bytes.indexOf(DETACH)
    const before = at < 0 ? bytes : bytes.subarray(0, at)
    if (before.length > 0 && socket.readyState === WebSocket.OPEN) socket.send(before)
    if (at >= 0) ended.resolve("left")
  }
  socket.addEventListener("open", () => {
    process.stdin.setRawMode(true)
    process.stdin.on("data", typed)
    process.stdout.on("resize", resize)
    process.stdin.resume()
    resize()
  })
  socket.addEventListener("message", ({ data }) => {
    if (typeof data !== "string") return void process.stdout.write(new Uint8Array(data as ArrayBuffer))
    const frame = JSON.parse(data) as { type: string; message?: string } & ProgramEnd
    if (frame.type === "exit") ended.resolve(frame)
    if (frame.type === "error") void err(`\r\n${frame.message}\r\n`)
  })
  const hint = `\`sandbox-agent terminals attach ${id}\` comes back once the daemon answers (\`sandbox-agent health\`)`
  const broke = () =>
    ended.reject(new SandboxAgentError("stream_error", "the connection to the terminal broke", { hint }))
  socket.addEventListener("error", broke)
  socket.addEventListener("close", broke)
  try {
    return await ended.promise
  } finally {
    process.stdin.off("data", typed)
    process.stdout.off("resize", resize)
    process.stdin.setRawMode(false)
    process.stdin.pause()
    socket.close()
    // However it ends: what an error says is for the shell's own screen.
    await out(`${RESTORE}\r\n`)
  }
}

function open({ endpoint, token }: Connection, id: string): WebSocket {
  const url = `${endpoint.replace(/^http/, "ws")}/v1/terminals/${encodeURIComponent(id)}/ws`
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(url, { headers } as unknown as string[])
  socket.binaryType = "arraybuffer"
  return socket
}

function send(socket: WebSocket, frame: object): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
}
