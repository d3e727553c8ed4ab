import { type Difference, eachAsked, eachPart, record, without } from "./same-transcript.ts"

/** In what the transcript of Claude Code and that of claude-agent-acp differ. */
export const claudeDifferences: readonly Difference[] = [
  {
    what: "titles of calls, and what a permission calls its action",
    why: "they are the adapter's words",
    level: (entries) =>
      eachAsked(
        eachPart(entries, (part) => (part.type === "tool_call" ? without(part, "title") : part)),
        () => ({ action: undefined }),
      ),
  },
  {
    what: "a permission does not say which path a command touches, or describe a file",
    why: "the adapter leaves it out",
    level: (entries) =>
      eachAsked(entries, ({ kind, detail }) => ({
        detail: without(record(detail), kind === "command" ? "path" : "description"),
      })),
  },
  {
    what: "the result of a command that printed nothing says so",
    why: "the adapter gives the words that the model is told",
    level: (entries) => eachPart(entries, (part) => outputOf(part, /^\(Bash completed with no output\)$/)),
  },
  {
    what: "the result of a refused call says so in other words",
    why: "natively they are those the model is told, behind the adapter its own and the daemon's",
    level: (entries) =>
      eachPart(entries, (part) => outputOf(part, /^The user did not allow .* Reason: |^User refused [^:]*: /s)),
  },
]

const outputOf = (part: Readonly<Record<string, unknown>>, without: RegExp) =>
  part.type === "tool_result" ? { ...part, output: String(part.output).replace(without, "") } : part
