/**
 * What an agent may do wrong, and right. An agent and whoever reads of a failed run make the same steps from the same
 * seed. `$SESSION` is the agent's own name of its session, `$PROMPT` the id of the prompt, `$HERE` the folder it works in.
 */
export type Step =
  | { kind: "line"; text: string }
  /** Without its end; the next line goes on with it. */
  | { kind: "half"; text: string }
  | { kind: "bytes"; base64: string }
  | { kind: "long"; head: string; char: string; times: number; tail: string }
  | { kind: "noise"; bytes: number }
  | { kind: "wait"; ms: number }
  | { kind: "shell"; script: string }
  | { kind: "signal"; name: "SIGKILL" | "SIGTERM" | "SIGSEGV" | "SIGSTOP" }
  | { kind: "exit"; code: number }
  | { kind: "close" }
  /** Answers the prompt now; the steps that follow come after its end. */
  | { kind: "answer"; stopReason: string }
  | { kind: "hang" }

export type Random = () => number

export const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1))

const json = (value: unknown): Step => ({ kind: "line", text: JSON.stringify(value) })
const update = (body: unknown, sessionId: unknown = "$SESSION"): Step =>
  json({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update: body } })
const ask = (random: Random, method: string, params: object): Step =>
  json({ jsonrpc: "2.0", id: `ask-${upTo(random, 30)}`, method, params: { sessionId: "$SESSION", ...params } })

/** Where a value of one kind is expected, any of these. */
const wrong: readonly unknown[] = [null, true, -1, 1e308, "", "x", "\u0000", "\ud800", [], {}, [[]], { type: "text" }]
const ids = ["c1", "c2", "c3", ""]
const statuses = ["pending", "in_progress", "completed", "failed", "done?", null]
const content = (random: Random): unknown =>
  pick(random, [
    { type: "text", text: "word ".repeat(upTo(random, 40)) },
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "image", uri: pick(random, named), mimeType: "image/png" },
    { type: "resource_link", uri: "file:///etc/passwd", name: "n" },
    pick(random, wrong),
  ])
const named = ["file://$HERE/fifo", "file:///dev/zero", "file:///proc/self/environ", "file://$HERE/link", "nonsense:"]
const paths = ["$HERE/a.txt", "$HERE/fifo", "$HERE/link", "/proc/self/environ", "../../x", "", "/", "$HERE/none/b.txt"]

const wellFormed: readonly ((random: Random) => Step)[] = [
  (r) => update({ sessionUpdate: "agent_message_chunk", content: content(r), messageId: pick(r, [...ids, ...wrong]) }),
  (r) => update({ sessionUpdate: "agent_thought_chunk", content: content(r) }),
  (r) =>
    update({
      sessionUpdate: "tool_call",
      toolCallId: pick(r, ids),
      title: pick(r, ["t", ...wrong]),
      kind: pick(r, ["edit", "execute", "read", ...wrong]),
      status: pick(r, statuses),
      rawInput: pick(r, [{ command: "ls" }, ...wrong]),
    }),
  (r) =>
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: pick(r, ids),
      status: pick(r, statuses),
      content: pick(r, [
        [{ type: "content", content: content(r) }],
        [{ type: "terminal", terminalId: "no" }],
        ...wrong,
      ]),
    }),
  (r) =>
    update({
      sessionUpdate: "plan",
      entries: pick(r, [[{ content: "x", priority: "high", status: "pending" }], ...wrong]),
    }),
  (r) =>
    update({ sessionUpdate: pick(r, ["current_mode_update", "available_commands_update", "usage_update", "", "?"]) }),
  (r) => update(pick(r, wrong)),
  (r) => update({ sessionUpdate: "agent_message_chunk", content: content(r) }, pick(r, ["nobody", ...wrong])),
]

const asked: readonly ((random: Random) => Step)[] = [
  (r) =>
    ask(r, "session/request_permission", {
      toolCall: pick(r, [{ toolCallId: pick(r, ids), title: "t" }, ...wrong]),
      options: pick(r, [
        [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
        [
          { optionId: "yes", name: "Yes", kind: "allow_always" },
          { optionId: "yes", name: "Twice", kind: "allow_once" },
        ],
        ...wrong,
      ]),
    }),
  (r) =>
    ask(r, "fs/read_text_file", { path: pick(r, paths), line: pick(r, [1, ...wrong]), limit: pick(r, [1, ...wrong]) }),
  (r) => ask(r, "fs/write_text_file", { path: pick(r, paths), content: pick(r, ["text", ...wrong]) }),
  (r) =>
    ask(r, "terminal/create", { command: pick(r, ["sh", "no-such-program", ""]), args: ["-c", "echo $$; sleep 1000"] }),
  (r) =>
    ask(r, pick(r, ["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"]), {
      terminalId: pick(r, ["t", ...wrong]),
    }),
  (r) => ask(r, pick(r, ["session/new", "initialize", "no/such", ""]), pick(r, [{}, { cwd: 1 }])),
]

const broken: readonly ((random: Random) => Step)[] = [
  (r) => ({
    kind: "line",
    text: pick(r, ["", " ", "{", "[]", "null", '{"jsonrpc":"2.0"}', "not json", '"text"', "{}{}"]),
  }),
  (r) => ({ kind: "half", text: pick(r, ['{"jsonrpc":"2.0","method":"session/upd', "{", "…"]) }),
  (r) => ({ kind: "bytes", base64: Buffer.from(Array.from({ length: 40 }, () => upTo(r, 255))).toString("base64") }),
  (r) => json({ jsonrpc: "2.0", id: pick(r, [1, 2, "$PROMPT", "ask-1", ...wrong]), result: pick(r, wrong) }),
  (r) =>
    json({ jsonrpc: "2.0", id: "$PROMPT", error: { code: -32000, message: pick(r, ["no", "not found", "log in"]) } }),
  (r) => {
    const depth = upTo(r, 5_000)
    return { kind: "line", text: `{"jsonrpc":"2.0","method":"x","params":${"[".repeat(depth)}${"]".repeat(depth)}}` }
  },
  (r) => ({
    kind: "long",
    head: '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"',
    char: pick(r, ["x", "é", "\\u0000"]),
    times: pick(r, [100, 10_000, 100_000, 1_000_000]),
    tail: '"}}}}',
  }),
  (r) => ({ kind: "noise", bytes: pick(r, [10, 1_000, 300_000]) }),
]

const deeds: readonly ((random: Random) => Step)[] = [
  (r) => ({
    kind: "shell",
    script: pick(r, [
      "sleep 1000 &",
      "setsid sleep 1000 &",
      "setsid env -i sh -c 'sleep 1000 & sleep 1000' </dev/null >/dev/null 2>&1 &",
      "nohup sh -c 'trap \"\" TERM HUP INT; sleep 1000' >/dev/null 2>&1 &",
      "mkfifo fifo",
      // Out of its folder, to a file of the test: in some modes the daemon may write there, and it may be root.
      'echo outside >"$PWD-outside"; ln -sf "$PWD-outside" link',
      "rm -f a.txt; mkdir -p a.txt",
    ]),
  }),
  (r) => ({ kind: "wait", ms: upTo(r, 8) }),
]

const ends: readonly ((random: Random) => Step)[] = [
  (r) => ({ kind: "answer", stopReason: pick(r, ["end_turn", "cancelled", "max_tokens", "refusal", "what?"]) }),
  (r) => ({ kind: "signal", name: pick(r, ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGSTOP"]) }),
  (r) => ({ kind: "exit", code: pick(r, [0, 1, 255]) }),
  () => ({ kind: "close" }),
  () => ({ kind: "hang" }),
]

/** So many steps of one turn; most turns then end as they should. */
export function stepsOf(random: Random, count: number): Step[] {
  return Array.from({ length: count }, () => {
    const chance = random()
    if (chance < 0.5) return pick(random, wellFormed)(random)
    if (chance < 0.7) return pick(random, asked)(random)
    if (chance < 0.88) return pick(random, broken)(random)
    return chance < 0.98 ? pick(random, deeds)(random) : pick(random, ends)(random)
  })
}
