import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { unifiedDiff } from "../../../shared/unified-diff.ts"
import { type Command, firstWord, required } from "./command.ts"
import { allowed, asksFirst } from "./permission.ts"

export const edit: Command = {
  hint: "PATH TEXT",
  description: "Asks for permission, then writes the text into a file",
  async run(argument, turn) {
    const [name, text] = firstWord(argument)
    required(name, "PATH")
    required(text, "TEXT")
    const path = resolve(name)
    const call = turn.blocks.call({
      name: "Edit",
      tool: "edit",
      title: name,
      arguments: JSON.stringify({ path, text }),
    })
    try {
      const before = contentOf(path)
      const diff = unifiedDiff(diffName(path), before, text)
      const request = {
        kind: "file_change",
        action: `Edit ${name}`,
        detail: { path, diff },
        rule: `file_change:${path}`,
      } as const
      if (asksFirst(turn) && !(await allowed(turn, call, request))) return
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      turn.blocks.result(call, {
        text: `Wrote ${Buffer.byteLength(text)} bytes to ${name}.`,
        file: { path, action: before === undefined ? "write" : "patch", diff },
      })
    } catch (error) {
      if (!isSystemError(error)) throw error
      turn.blocks.result(call, { text: error.message, isError: true })
    }
  },
}

const contentOf = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, "utf8") : undefined

/** As `git` writes it: relative to where the agent works. */
function diffName(path: string): string {
  const inside = relative(process.cwd(), path)
  return inside.startsWith("..") ? path : inside
}

const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error
