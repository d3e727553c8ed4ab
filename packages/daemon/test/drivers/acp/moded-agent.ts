import { createInterface } from "node:readline"

/**
 * An agent with modes and options that nobody knows: in its mode `yolo`, or with `approval` never, it asks for nothing. `do`
 * does something and tells whether it asked; `move MODE` moves it there by itself, `go MODE` too, and it does something once it
 * is put elsewhere; `insist MODE` moves it back each time. `word MODE` tells in words that it has moved.
 */
const modes = ["code", "architect", "yolo"]
const state = { mode: process.env.FIRST_MODE ?? "code", approval: "always", verbosity: "low", insists: "" }
const send = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const update = (body: object): void => send({ method: "session/update", params: { sessionId: "native", update: body } })
const select = (id: "approval" | "verbosity", values: string[], more: object = {}) => ({
  ...{
    id,
    name: id,
    type: "select",
    currentValue: state[id],
    options: values.map((value) => ({ value, name: value })),
  },
  ...more,
})
const configOptions = () => [
  select("approval", ["always", "never"]),
  select("verbosity", ["low", "high"], { category: "model_config" }),
]
const listed = () => ({
  currentModeId: state.mode,
  availableModes: modes.map((id) => ({ id, name: id })),
})
const move = (mode: string): void => {
  state.mode = mode
  update({ sessionUpdate: "current_mode_update", currentModeId: mode })
}
const asks = (): boolean => state.mode !== "yolo" && state.approval !== "never"
const answers = new Map<number, () => void>()
let count = 0
let cancelled = false
let held: (() => void) | undefined

async function act(): Promise<void> {
  if (asks()) {
    const id = ++count
    const toolCall = { toolCallId: `call-${id}`, title: "do", kind: "execute", rawInput: { command: "do" } }
    const options = [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ]
    await new Promise<void>((resolve) => {
      answers.set(id, resolve)
      send({ id, method: "session/request_permission", params: { sessionId: "native", toolCall, options } })
    })
    update({ ...toolCall, sessionUpdate: "tool_call_update", status: "completed", rawOutput: "done" })
    return say(`asked in ${state.mode}`)
  }
  say(`unasked in ${state.mode}`)
}

const say = (text: string): void =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n` } })

async function prompt(words: string): Promise<object> {
  const [verb = "", mode = ""] = words.split(" ")
  cancelled = false
  if (verb === "go" || verb === "insist") {
    state.insists = verb === "insist" ? mode : ""
    move(mode)
    // Until it is put elsewhere, or told to stop.
    await new Promise<void>((resolve) => {
      held = resolve
    })
  }
  if (cancelled) return { stopReason: "cancelled" }
  if (verb === "move") move(mode)
  else if (verb === "word") {
    if (modes.includes(mode)) state.mode = mode
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `[MODE_UPDATE] ${mode}` } })
    say(" was said")
  } else await act()
  return { stopReason: "end_turn" }
}

const serve: Record<string, (params: Record<string, unknown>) => unknown> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  "session/new": () => ({ sessionId: "native", modes: listed(), configOptions: configOptions() }),
  "session/load": () => ({ modes: listed(), configOptions: configOptions() }),
  "session/set_mode": ({ modeId }) => {
    state.mode = String(modeId)
    if (state.insists !== "") setImmediate(() => move(state.insists))
    else held?.()
    return {}
  },
  "session/set_config_option": ({ configId, value }) => {
    state[configId as "approval"] = String(value)
    return { configOptions: configOptions() }
  },
  "session/prompt": ({ prompt: blocks }) => prompt((blocks as { text: string }[])[0]?.text ?? ""),
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === undefined) return answers.get(id)?.()
  if (method === "session/cancel") {
    cancelled = true
    held?.()
    for (const answered of answers.values()) answered()
    return
  }
  if (id !== undefined) send({ id, result: await serve[method]?.(params) })
})
