import { createInterface } from "node:readline"

/** Answers whatever it is asked, and says before that what stands behind its name: a text, or a line that is too long. */
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, params } = JSON.parse(line) as { id?: number; params?: { noise?: string; times?: number } }
  if (params?.noise !== undefined) process.stdout.write(`${params.noise.repeat(params.times ?? 1)}\n`)
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ id, result: {} })}\n`)
})
