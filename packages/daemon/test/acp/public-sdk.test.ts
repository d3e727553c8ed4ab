import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"

const sdk = fetched({ name: "sandbox-agent-0.4.2", spec: "sandbox-agent@0.4.2", file: "sandbox-agent/dist/index.js" })
const turns = rounds(200, 1_000)
const program = join(import.meta.dirname, "public-sdk-turns.mjs")

/** The tests run under a `node` that is Bun; users have the real one. */
const node = Bun.which("node", {
  PATH: (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !folder.includes("bun-node"))
    .join(":"),
})

test.each([
  ["Node", node],
  ["Bun", process.execPath],
])(
  `the public SDK 0.4.2 on %s: ${turns} turns in a row are whole when \`prompt\` resolves`,
  async (_, runtime) => {
    if (runtime === null) throw new Error("there is no node on PATH")
    await using daemon = await startDaemon()
    const words = [program, pathToFileURL(sdk).href, daemon.url, daemon.token, "mock", String(turns)]
    const child = Bun.spawn([runtime, ...words], { stdout: "pipe", stderr: "pipe" })
    const [out, said, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([code, said]).toEqual([0, ""])
    expect(JSON.parse(out)).toEqual([])
  },
  600_000,
)
