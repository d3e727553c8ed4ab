import { createInterface } from "node:readline"

/** An ACP agent with as many models as its first argument says, each with variants of its own; those tell how often it was asked for any. */
const models = Array.from({ length: Number(process.argv[2]) }, (_, n) => `model-${n}`)
let current = models[0] ?? ""
let asked = 0

const select = (id: string, category: string, currentValue: string, values: string[]) => ({
  ...{ id, category, name: id, type: "select", currentValue },
  options: values.map((value) => ({ value, name: value })),
})
const configOptions = () => [
  select("model", "model", current, models),
  select("effort", "thought_level", `${current}-low`, [`${current}-low`, `${current}-${asked}`]),
]

const serve: Record<string, (params: { value?: string }) => unknown> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "native", configOptions: configOptions() }),
  "session/set_config_option": ({ value = "" }) => {
    current = value
    asked++
    return { configOptions: configOptions() }
  },
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = serve[method]?.(params)
  const body = answer === undefined ? { error: { code: -32601, message: "no" } } : { result: answer }
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`)
})
