import { delimiter } from "node:path"

/** Node itself: `bun --bun`, which tests run under, puts Bun in its place. */
export function nodeProgram(): string {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("bun-node"))
  const found = Bun.which("node", { PATH: folders.join(delimiter) })
  if (found === null) throw new Error("there is no node here")
  return found
}
