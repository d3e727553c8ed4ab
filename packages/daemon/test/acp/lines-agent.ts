import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"

/**
 * An ACP agent that writes its lines by hand, in spellings that no serializer would choose, and keeps every line it
 * wrote (`<`) and read (`>`) in the file named by its argument: what passes through the daemon is compared with it. A second
 * argument says what it can.
 */
interface Message {
  id?: unknown
  method?: string
  params?: { sessionId?: string; prompt?: { text?: string }[]; configId?: string; value?: string | boolean }
  result?: unknown
}

const keep = (direction: "<" | ">", line: string) => appendFileSync(process.argv[2] ?? "", `${direction}${line}\n`)

function write(line: string): void {
  keep("<", line)
  process.stdout.write(`${line}\n`)
}

const update = (body: string) =>
  write(`{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId":"native-1","update":${body}}}`)

const answers = new Map<string, (line: string) => void>()

/** Resolves with the line of the answer. */
function ask(id: string, method: string, params: string): Promise<string> {
  write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`)
  return new Promise((resolve) => answers.set(id, resolve))
}

const say = (text: string) =>
  update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":${JSON.stringify(text)}}}`)

const chosen: Record<string, string | boolean> = {
  brain: "small",
  effort: "low",
  style: "plain",
  loud: false,
  mode: "x",
}
const select = (id: string, category: string, values: string[], more = "") =>
  `{"id":"${id}","name":"The ${id}","category":"${category}","type":"select","currentValue":"${chosen[id]}",` +
  `"options":[${values.map((value) => `{"value":"${value}","name":"${value}!","_meta":{"order":1.0}}`)}]${more}}`
const options = () =>
  `[${[
    select("brain", "model", ["small", "large"], ',"_meta":{"of":"model"}'),
    select("effort", "thought_level", ["low", "high"]),
    select("style", "_style", ["plain", "florid"]),
    // Its id is one of ours, and means something else here.
    select("mode", "_other", ["x", "y"]),
    `{"id":"loud","name":"Loud","category":"_voice","type":"boolean","currentValue":${chosen.loud},"_meta":{"mine":true}}`,
  ]}]`

const call = '"toolCallId":"t1","title":"Do \\u0069t","kind":"execute","rawInput":{"n":1.50,"big":12345678901234567890}'
const kinds = ["allow_always", "allow_once", "allow_once", "reject_once", "reject_always"]
const offered = kinds.map(
  (kind, i) => `{"optionId":"${i}-${kind}","name":"No. ${i}","kind":"${kind}","_meta":{"i":${i}.0}}`,
)
const permission = `{"sessionId":"native-1","toolCall":{${call},"_meta":{"mine":3}},"options":[${offered}],"_meta":{"why":"e\\u0301"}}`

let prompted = ""
const scenes: Record<string, () => Promise<void>> = {
  async talk() {
    update('{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"},"_meta":{"mine":1.0}}')
    update('{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"caf\\u00e9"}}')
    update(
      '{ "sessionUpdate": "plan", "entries": [{"content":"a","status":"pending","priority":"low","_meta":{"n":1e2}}] }',
    )
    // None of these changes the transcript.
    update('{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"figures":1.0}}')
    for (const n of [1, 2]) update(`{"sessionUpdate":"session_info_update","title":"Lines","_meta":{"n":${n}.0}}`)
    write('{"jsonrpc":"2.0","method":"_vendor/note","params":{"words":"of its own","sessionId":"native-1","n":1.0}}')
  },
  async announced() {
    update(`{"sessionUpdate":"tool_call","status":"pending",${call}}`)
    update('{"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"Doing \\u0069t","_meta":{"mine":2.0}}')
    const answer = await ask("0", "session/request_permission", permission)
    update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","rawOutput":${answer}}`)
  },
  /** The first word of the call is the question whether it may run. */
  async unannounced() {
    const answer = await ask('"of mine"', "session/request_permission", permission)
    update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","rawOutput":${answer}}`)
  },
  async form() {
    const choice =
      '{"type":"string","title":"Colour","oneOf":[{"const":"r","title":"Red"},{"const":"b","title":"Blue"}]}'
    const schema = `{"type":"object","properties":{"colour":${choice},"colour_note":{"type":"string"}},"required":["colour"]}`
    const params = `{"mode":"form","sessionId":"native-1","message":"Which?","requestedSchema":${schema},"_meta":{"n":2.0}}`
    say(await ask("7", "elicitation/create", params))
  },
  async address() {
    const params =
      '{"mode":"url","sessionId":"native-1","elicitationId":"e-1","url":"https://example.com/x","message":"Open it"}'
    say(await ask("8", "elicitation/create", params))
    write('{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e-1"}}')
  },
  async extension() {
    say(await ask("9", "_vendor/ask", '{"sessionId":"native-1","what":{"n":1.0}}'))
  },
  async louder() {
    chosen.loud = chosen.loud !== true
    update(`{"sessionUpdate":"config_option_update","configOptions":${options()}}`)
  },
  async smarter() {
    chosen.brain = "large"
    update(`{"sessionUpdate":"config_option_update","configOptions":${options()}}`)
  },
  /** Chunks of two messages, and one that says more. */
  async words() {
    const chunks = ["a:one ", 'a:two \\"x\\" ', "a:caf\\u00e9", "b:four", "b:five"]
    for (const [id, said] of chunks.map((chunk) => chunk.split(":")))
      update(
        `{"sessionUpdate":"agent_message_chunk","messageId":"${id}","content":{"type":"text","text":"${said}"},"n":1.0}`,
      )
    update('{"sessionUpdate":"agent_message_chunk","messageId":"b","content":{"type":"text","text":"six"},"n":2.0}')
  },
  /** `many:N`: so many chunks, none of which can be put together with the next. */
  async many() {
    const [, count = "0"] = /many:(\d+)/.exec(prompted) ?? []
    for (let n = 0; n < Number(count); n++)
      update(
        `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"},"n":${n % 2}.0}`,
      )
  },
  /** `plan:N`: a plan that says so much more. */
  async plan() {
    const [, length = "0"] = /plan:(\d+)/.exec(prompted) ?? []
    update(`{"sessionUpdate":"plan","entries":[],"_meta":{"x":"${"x".repeat(Number(length))}"}}`)
  },
  hold: () => new Promise<void>(() => {}),
  async compact() {
    update('{"sessionUpdate":"compaction_update","compactionId":"c1","status":"completed","summary":"s"}')
  },
}

async function served({ method, params = {} }: Message): Promise<string> {
  switch (method) {
    case "initialize":
      return `{"protocolVersion":1,"agentCapabilities":${process.argv[3] ?? "{}"}}`
    case "session/new":
      return `{"sessionId":"native-1","configOptions":${options()}}`
    case "session/set_config_option":
      chosen[params.configId ?? ""] = params.value ?? ""
      return `{"configOptions":${options()}}`
    default: {
      prompted = params.prompt?.[0]?.text ?? ""
      for (const name of prompted.split(" ")) await scenes[name.replace(/:.*/, "")]?.()
      return '{"stopReason":"end_turn","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2},"_meta":{"mine":9.0}}'
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  keep(">", line)
  const message = JSON.parse(line) as Message
  if (message.method === undefined) answers.get(JSON.stringify(message.id))?.(line)
  else if (message.id !== undefined)
    void served(message).then((result) =>
      write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`),
    )
}
