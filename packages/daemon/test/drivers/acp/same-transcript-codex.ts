import { type Difference, type Entry, eachAsked, eachPart, type Fields, record, without } from "./same-transcript.ts"

/** Items of these calls and of their results. */
function withoutCalls(entries: readonly Entry[], names: readonly string[]): Entry[] {
  const ids = entries.flatMap(({ parts }) =>
    parts.flatMap(({ name, call_id }) => (names.includes(String(name)) ? [call_id] : [])),
  )
  return entries.filter(({ parts }) => !parts.some(({ call_id }) => ids.includes(call_id)))
}

/**
 * Codex counts the last tokens of an interrupted turn while that ends, and the adapter may have answered by then: it tells them
 * with that turn or with the next. So they are held against the next, on both sides.
 */
export function usedByTheNext(entries: readonly Entry[]): Entry[] {
  let before: Fields = {}
  return entries.map((one, at) => {
    if (one.what !== "ended") return one
    const used = sum(before, record(one.used))
    const isLast = !entries.slice(at + 1).some(({ what }) => what === "ended")
    const isHeld = one.stop_reason === "cancelled" && !isLast
    before = isHeld ? used : {}
    return { ...one, used: isHeld ? {} : used }
  })
}

const sum = (one: Fields, other: Fields): Fields =>
  Object.fromEntries(
    [...Object.keys(one), ...Object.keys(other)].map((name) => [
      name,
      Number(one[name] ?? 0) + Number(other[name] ?? 0),
    ]),
  )

/** In the details of a permission. */
const untold = ["cwd", "reason", "server", "tool", "description"]

const questions = ["request_user_input", "question"]

/** In what the transcript of Codex and that of codex-acp differ. */
export const codexDifferences: readonly Difference[] = [
  {
    what: "titles and kinds of calls, and what a permission calls its action",
    why: "they are the adapter's words",
    level: (entries) =>
      eachAsked(
        eachPart(entries, (part) => (part.type === "tool_call" ? without(part, "title", "kind") : part)),
        () => ({ action: undefined }),
      ),
  },
  {
    what: "a patch is a call of `edit` without arguments, and its result has no words",
    why: "the adapter tells only the files and their diffs",
    level: (entries) =>
      eachPart(entries, (part) =>
        part.name === "apply_patch" || part.name === "edit" ? { ...part, name: "edit", arguments: {} } : part,
      ).map((one) =>
        one.parts.some(({ type }) => type === "file_ref") ? { ...one, parts: one.parts.map(wordless) } : one,
      ),
  },
  {
    what: "the hunks of diffs count lines that need no count",
    why: "the adapter gives the two texts, and the diff is made by the daemon",
    level: (entries) =>
      eachPart(entries, (part) => (part.diff ? { ...part, diff: uncounted(String(part.diff)) } : part)),
  },
  {
    what: "a command that was asked for is called `execute`",
    why: "the adapter asks before it tells the name of the call",
    level: (entries) =>
      eachPart(entries, (part) => (part.name === "execute" ? { ...part, name: "exec_command" } : part)),
  },
  {
    what: "a permission does not say the folder of a command, why the model wants it, or what a tool is for",
    why: "the adapter leaves it out",
    level: (entries) => eachAsked(entries, ({ detail }) => ({ detail: without(record(detail), ...untold) })),
  },
  {
    what: "a question is a call of `question` with the daemon's words for it, and its answer is required",
    why: "the adapter asks with a form that wants an answer, and shows no call",
    level: (entries) =>
      withoutCalls(entries, questions).map((one) =>
        Array.isArray(one.questions)
          ? { ...one, questions: one.questions.map((each) => without(each, "required")) }
          : one,
      ),
  },
  {
    what: "calls that fail before they run, and `update_plan` beside its plan, are not shown",
    why: "they have no items in Codex, and the adapter does not ask it for the calls as the model made them",
    level: (entries) => withoutCalls(entries, ["update_plan", "no_such_tool"]),
  },
  {
    what: "entries of a plan have the priority `medium`",
    why: "ACP wants one and Codex has none",
    level: (entries) =>
      entries.map((one) =>
        one.what === "plan" ? { ...one, parts: one.parts.map((part) => without(part, "priority")) } : one,
      ),
  },
  {
    what: "reasoning is private",
    why: "ACP does not tell a summary from the model's own thinking",
    level: (entries) => eachPart(entries, (part) => without(part, "visibility")),
  },
  {
    what: "how long a command took is not told",
    why: "ACP has no word for it",
    level: (entries) =>
      eachPart(entries, (part) =>
        part.type === "json" ? { ...part, json: without(record(part.json), "durationMs") } : part,
      ),
  },
  {
    what: "the diff of the whole turn (`codex.turn_diff`) is not told",
    why: "the adapter keeps it",
    level: (entries) => entries.filter(({ parts }) => !parts.some(({ label }) => label === "turn_diff")),
  },
  {
    what: "the result of a refused call says so in other words",
    why: "Codex has words for it, behind the adapter they are the daemon's",
    level: (entries) =>
      eachPart(entries, (part) =>
        part.type === "tool_result"
          ? { ...part, output: String(part.output).replace(/^(?:rejected by user|The user refused): /, "") }
          : part,
      ),
  },
  {
    what: "a command that was interrupted is ended by the daemon, and has no exit code",
    why: "the adapter tells nothing of it once the turn is over",
    level: (entries) => entries.map((one) => (isInterrupted(one) ? ended(one) : one)),
  },
  {
    what: "an error of the model is also said as a text",
    why: "the adapter tells it as one",
    level: (entries) => entries.filter(({ role }, i) => role !== "assistant" || entries[i + 1]?.what !== "error"),
  },
]

const wordless = (part: Fields): Fields => (part.type === "tool_result" ? { ...part, output: "" } : part)

/** A count of 1 may be left out. */
const uncounted = (diff: string): string => diff.replace(/^@@ .*$/gm, (range) => range.replaceAll(/,1(?= )/g, ""))

function isInterrupted({ kind, reason, parts }: Entry): boolean {
  return kind === "tool_result" && (reason === "cancelled" || parts.some(({ json }) => killed(record(json).exitCode)))
}

/** -1 where the shell dies first, 137 where its command does and the shell lives to tell. */
const killed = (exitCode: unknown): boolean => exitCode === -1 || exitCode === 137

const ended = (one: Entry): Entry => ({
  ...one,
  reason: "cancelled",
  parts: one.parts.filter(({ type }) => type !== "json").map((part) => without(part, "is_error")),
})
