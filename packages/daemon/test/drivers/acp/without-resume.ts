import { createInterface } from "node:readline"
import { Readable } from "node:stream"

/** Runs the agent named by its arguments, and keeps one thing to itself: that the agent resumes sessions. */
const child = Bun.spawn(process.argv.slice(2), { stdin: "pipe", stdout: "pipe", stderr: "inherit" })

async function up(): Promise<void> {
  for await (const chunk of Bun.stdin.stream()) {
    child.stdin.write(chunk)
    await child.stdin.flush()
  }
  await child.stdin.end()
}

async function down(): Promise<void> {
  for await (const line of createInterface({ input: Readable.fromWeb(child.stdout as never) })) {
    const reported = line.includes('"agentCapabilities"') ? line.replace('"resume":{}', '"resume":null') : line
    process.stdout.write(`${reported}\n`)
  }
}

await Promise.all([up(), down()])
process.exit(await child.exited)
