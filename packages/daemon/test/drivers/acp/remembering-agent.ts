import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

/**
 * An agent that keeps in its folder what was chosen in each session, and goes on with it: in its mode `yolo`, or with `approval`
 * never, it asks for nothing. A prompt does something and tells whether it asked. `rules.json` in the folder says what it no longer
 * offers (`without`) and of what it does not take a change (`refuses`) or only seems to (`ignores`); the answers to methods that
 * are `wordless` have no result, those to `silent` ones an empty one, those to `nameless` ones an empty name, and those to
 * `same` ones the name that they were asked with. Told to `move` an option it does so by itself, and does
 * something once it is set again; `late` it moves it when the turn is over; what it `insists` on it moves whenever it is set.
 */
export interface State {
  mode: string
  approval: string
  danger: boolean
}
export type Rules = Partial<
  Record<"without" | "refuses" | "ignores" | "wordless" | "silent" | "nameless" | "same" | "insists", string[]>
>
const folder = process.argv[2] ?? ""
const begun: State = { mode: "code", approval: "always", danger: false }
const file = (name: string): string => join(folder, `${name}.json`)
const read = <T>(name: string, otherwise: T): T =>
  existsSync(file(name)) ? JSON.parse(readFileSync(file(name), "utf8")) : otherwise
const has = (rule: keyof Rules, name: string): boolean => read<Rules>("rules", {})[rule]?.includes(name) === true
const write = (id: string, change: Partial<State>): void =>
  writeFileSync(file(id), JSON.stringify({ ...read(id, begun), ...change }))
const send = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const update = (sessionId: string, body: object): void =>
  send({ method: "session/update", params: { sessionId, update: body } })
const values = (names: string[]) =>
  names.filter((name) => !has("without", name)).map((value) => ({ value, name: value }))
const optionsOf = ({ approval, danger }: State) =>
  [
    { id: "approval", name: "Approval", type: "select", currentValue: approval, options: values(["never", "always"]) },
    { id: "danger", name: "Danger", type: "boolean", currentValue: danger },
  ].filter(({ id }) => !has("without", id))
const view = (id: string) => ({
  modes: {
    currentModeId: read(id, begun).mode,
    availableModes: values(["architect", "code", "yolo"]).map(({ value, name }) => ({ id: value, name })),
  },
  configOptions: optionsOf(read(id, begun)),
})
/** The name of a fork has to be told. */
const silent = (result: { sessionId?: string }) => ({ sessionId: result.sessionId })
const changed = new Map<string, () => void>()
const move = (id: string, name: string, value: unknown): void => {
  write(id, { [name]: value })
  update(id, { sessionUpdate: "config_option_update", configOptions: optionsOf(read(id, begun)) })
}
const answers = new Map<number, () => void>()
let count = 0

async function act(sessionId: string): Promise<object> {
  const { mode, approval, danger } = read(sessionId, begun)
  const asks = mode !== "yolo" && approval !== "never" && !danger
  if (asks) {
    const id = ++count
    const toolCall = { toolCallId: `call-${id}`, title: "do", kind: "execute", rawInput: { command: "do" } }
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }]
    await new Promise<void>((resolve) => {
      answers.set(id, resolve)
      send({ id, method: "session/request_permission", params: { sessionId, toolCall, options } })
    })
    update(sessionId, { ...toolCall, sessionUpdate: "tool_call_update", status: "completed", rawOutput: "done" })
  }
  const text = `${asks ? "asked" : "unasked"} in ${mode}`
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
  return { stopReason: "end_turn" }
}

/** Until it is set again, or told to stop. */
async function moved(id: string, option: string, value: unknown): Promise<object> {
  const set = new Promise<void>((resolve) => changed.set(id, resolve))
  move(id, option, value)
  await set
  return read(id, begun)[option as keyof State] === value ? { stopReason: "cancelled" } : act(id)
}

function change(id: string, name: keyof State, value: unknown, answer: () => object): object {
  if (has("refuses", name)) throw Object.assign(new Error(`no change of ${name}`), { code: -32603 })
  const before = read(id, begun)[name]
  if (!has("ignores", name)) write(id, { [name]: value })
  if (has("insists", name)) setImmediate(() => move(id, name, before))
  else changed.get(id)?.()
  return answer()
}

function opened(id: string): string {
  writeFileSync(file(id), JSON.stringify(begun))
  return id
}

const serve: Record<string, (id: string, params: Record<string, unknown>) => unknown> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {}, fork: {} } } }),
  "session/new": () => {
    const id = opened(crypto.randomUUID())
    return { sessionId: id, ...view(id) }
  },
  "session/resume": (id) => view(id),
  "session/fork": (id) => {
    const copy = opened(crypto.randomUUID())
    write(copy, read(id, begun))
    return { sessionId: copy, ...view(copy) }
  },
  "session/cancel": (id) => changed.get(id)?.(),
  "session/set_mode": (id, { modeId }) => change(id, "mode", modeId, () => ({})),
  "session/set_config_option": (id, { configId, value }) =>
    change(id, configId as keyof State, value, () => ({ configOptions: optionsOf(read(id, begun)) })),
  "session/prompt": (id, { prompt }) => {
    const words = (prompt as { text: string }[]).at(-1)?.text ?? ""
    const [, verb, option = "", value = ""] = /^(move|late) (\w+) (\S+)$/.exec(words) ?? []
    if (verb === "move") return moved(id, option, JSON.parse(value))
    if (verb === "late") setImmediate(() => setImmediate(() => move(id, option, JSON.parse(value))))
    const [, name] = /^drop (\w+)$/.exec(words) ?? []
    if (verb === "late") return { stopReason: "end_turn" }
    if (name === undefined) return act(id)
    writeFileSync(file("rules"), JSON.stringify({ without: [name] }))
    update(id, { sessionUpdate: "config_option_update", configOptions: optionsOf(read(id, begun)) })
    return { stopReason: "end_turn" }
  },
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === undefined) return answers.get(id)?.()
  try {
    const result = await serve[method]?.(params.sessionId, params)
    if (id === undefined) return
    if (has("wordless", method)) return send({ id })
    if (has("same", method)) return send({ id, result: { ...(result as object), sessionId: params.sessionId } })
    if (has("nameless", method)) return send({ id, result: { ...(result as object), sessionId: "" } })
    send({ id, result: has("silent", method) ? silent(result ?? {}) : (result ?? {}) })
  } catch (error) {
    send({ id, error: { code: (error as { code?: number }).code ?? -32603, message: String(error) } })
  }
})
