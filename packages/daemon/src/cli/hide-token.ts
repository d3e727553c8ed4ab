import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs"

/**
 * Overwrites a token that came by an argument or the environment where `/proc/<pid>/cmdline` and `environ` show it to
 * other processes, and takes it out of what we hand on. False where the system does not let us.
 */
export function hideToken(token: string, flag: string, variable: string): boolean {
  delete process.env[variable]
  if (process.platform !== "linux") return false
  try {
    const memory = openSync("/proc/self/mem", "r+")
    try {
      const { words, variables } = ownBlocks()
      overwrite(
        memory,
        words,
        (word, before) => word === `${flag}=${token}` || (word === token && before === flag),
        token,
      )
      overwrite(memory, variables, (entry) => entry === `${variable}=${token}`, token)
    } finally {
      closeSync(memory)
    }
    return !["cmdline", "environ"].some((file) => readFileSync(`/proc/self/${file}`).includes(token))
  } catch {
    // No such file, or no right to it: some sandboxes have kernels of their own.
    return false
  }
}

interface Block {
  start: number
  end: number
}

/** Where the kernel put our arguments and our environment (`/proc/<pid>/stat`, fields 48 to 51). */
function ownBlocks(): { words: Block; variables: Block } {
  const stat = readFileSync("/proc/self/stat", "latin1")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [from = 0, to = 0, variablesFrom = 0, variablesTo = 0] = fields.slice(45, 49).map(Number)
  return { words: { start: from, end: to }, variables: { start: variablesFrom, end: variablesTo } }
}

/** The end of each entry that holds the token. */
function overwrite(
  memory: number,
  { start, end }: Block,
  holds: (entry: string, before: string) => boolean,
  token: string,
): void {
  const block = Buffer.alloc(end - start)
  readSync(memory, block, 0, block.length, start)
  const stars = Buffer.alloc(Buffer.byteLength(token), "*")
  let at = start
  let before = ""
  for (const entry of block.toString("latin1").split("\0")) {
    const entryEnd = at + entry.length
    if (holds(entry, before)) writeSync(memory, stars, 0, stars.length, entryEnd - stars.length)
    before = entry
    at = entryEnd + 1
  }
}
