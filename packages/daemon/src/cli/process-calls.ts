import type { RouteId } from "@sandbox-agent/schema/contract/contract"
import { answerText } from "./answer.ts"
import { type Call, call, callJson, parseAnswer } from "./client.ts"
import type { Connection } from "./connection.ts"
import { cutOff, endedEarly, textOf } from "./cut-off.ts"
import { doneWords } from "./done-words.ts"
import { follow } from "./follow.ts"
import { line, note, out, printable, terminalOf, writeTo } from "./print.ts"
import { asShellExit, runProgram } from "./run-program.ts"

type CustomCall = (connection: Connection, request: Call, json: boolean) => Promise<number>

type Body = Record<string, unknown>
const bodyOf = ({ body }: Call): Body => (body ?? {}) as Body
const stdin = () => Bun.stdin.bytes()

const run: CustomCall = async (connection, request, json) => {
  const here = { ...request, body: await asShellExit(connection, bodyOf(request), stdin) }
  return json ? printRaw(connection, here) : runProgram(connection, here)
}

const start =
  (route: RouteId): CustomCall =>
  async (connection, request, json) =>
    printed(route, connection, { ...request, body: await asShellExit(connection, bodyOf(request), stdin) }, json)

/** What is typed is text, and ends with the line. */
const input: CustomCall = async (connection, request, json) => {
  const body = bodyOf(request)
  const typed = body.encoding === undefined && typeof body.data === "string"
  const data = typed ? { data: String(body.data).replace(/\n?$/, "\n"), encoding: "utf8" } : {}
  return printed("writeProcessInput", connection, { ...request, body: { ...body, ...data } }, json)
}

/** A log as it was written: each stream to its own. With `--follow` until the process ends. */
const logs: CustomCall = async (connection, request, json) => {
  if (request.query?.get("follow") === "true") return followLogs(connection, request, json)
  if (json) return printRaw(connection, request)
  for (const entry of (await callJson<{ entries: Entry[] }>(connection, request)).entries) await printEntry(entry)
  return 0
}

async function followLogs(connection: Connection, request: Call, json: boolean): Promise<number> {
  const onDrop = (attempt: number) => void (attempt === 0 && note("connection lost, connecting again…"))
  const onConnect = (again: boolean) => void (again && note("connected again"))
  let last = ""
  for await (const { event, data, id } of follow(connection, request, { reconnect: true, onDrop, onConnect })) {
    last = id
    if (json) await line(data)
    else if (event === "log") await printEntry(JSON.parse(data) as Entry)
    else if (event === "gap") await note("what came before is no longer kept")
    else if (event === "port") await note(portText(JSON.parse(data) as Port))
    if (event === "exit") return 0
  }
  throw cutOff(endedEarly, request, last)
}

interface Entry {
  sequence: number
  stream: string
  data: string
}
interface Port {
  port: number
  address: string
  state: string
}

const printEntry = ({ stream, data }: Entry) =>
  writeTo(stream === "stderr" ? process.stderr : process.stdout, Buffer.from(data, "base64"))

const portText = ({ port, address, state }: Port): string =>
  state === "open" ? `listens on ${address}:${port}` : `no longer listens on ${address}:${port}`

async function printed(route: RouteId, connection: Connection, request: Call, json: boolean): Promise<number> {
  if (json) return printRaw(connection, request)
  const answer = await callJson<Body>(connection, request)
  const done = doneWords(route, answer, request)
  await out(done === undefined ? answerText(answer, terminalOf()) : `${printable(done)}\n`)
  return 0
}

async function printRaw(connection: Connection, request: Call): Promise<number> {
  const response = await call(connection, request)
  const text = await textOf(response, request)
  parseAnswer(text, response.url)
  await out(`${text}\n`)
  return 0
}

/** Endpoints of processes whose commands do more than to call them. */
export const processCalls: Readonly<Record<string, CustomCall>> = {
  runProcess: run,
  startProcess: start("startProcess"),
  startTerminal: start("startTerminal"),
  writeProcessInput: input,
  getProcessLogs: logs,
}
