import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

/**
 * An agent that keeps its sessions in its folder, and of which another option depends on its model: of `slow` no pace but its own
 * is offered. With that option `never` it would ask for nothing. `rules.json` in the folder names what it does not answer (`hangs`),
 * what it answers with nothing (`silent`) and what it fails at (`fails`): a method, or an option.
 */
interface State {
  model: string
  pace: string
  effort: string
}
export type Rules = Partial<Record<"hangs" | "fails" | "silent", string[]>>
const folder = process.argv[2] ?? ""
const paces: Record<string, string[]> = { fast: ["quick", "never"], slow: ["calm", "never"] }
const file = (name: string): string => join(folder, `${name}.json`)
const read = <T>(name: string, otherwise: T): T =>
  existsSync(file(name)) ? JSON.parse(readFileSync(file(name), "utf8")) : otherwise
const stateOf = (id: string): State => read(id, { model: "fast", pace: "quick", effort: "low" })
const rules = (): Rules => read("rules", {})

const select = (id: string, category: string | undefined, currentValue: string, values: string[]) => ({
  ...{ id, name: id, type: "select", currentValue, ...(category && { category }) },
  options: values.map((value) => ({ value, name: value })),
})
const view = ({ model, pace, effort }: State) => ({
  configOptions: [
    select("model", "model", model, Object.keys(paces)),
    select("effort", "thought_level", effort, ["low", "high"]),
    select("pace", undefined, pace, paces[model] ?? []),
  ],
})

function change(id: string, name: keyof State, value: string) {
  const state = { ...stateOf(id), [name]: value }
  const [own = ""] = paces[state.model] ?? []
  if (!paces[state.model]?.includes(state.pace)) {
    if (name === "pace") throw new Error(`${state.model} has no pace ${value}`)
    state.pace = own
  }
  writeFileSync(file(id), JSON.stringify(state))
  return view(state)
}

const serve: Record<string, (id: string, params: Record<string, string>) => unknown> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  "session/new": () => {
    const id = crypto.randomUUID()
    return { sessionId: id, ...view(stateOf(id)) }
  },
  "session/resume": (id) => view(stateOf(id)),
  "session/set_config_option": (id, { configId, value = "" }) => change(id, configId as keyof State, value),
  "session/prompt": (sessionId) => {
    const { model, pace } = stateOf(sessionId)
    const content = { type: "text", text: `${model} ${pace}` }
    const params = { sessionId, update: { sessionUpdate: "agent_message_chunk", content } }
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`)
    return { stopReason: "end_turn" }
  },
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || method === undefined) return
  const concerned = (names: string[] = []) => names.includes(method) || names.includes(params?.configId)
  if (concerned(rules().hangs)) return
  let answer: object
  try {
    if (concerned(rules().fails)) throw new Error("the network is down")
    const result = serve[method]?.(params?.sessionId, params) ?? {}
    answer = { result: concerned(rules().silent) ? {} : result }
  } catch (error) {
    answer = { error: { code: -32603, message: String(error) } }
  }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`)
})
