import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { expect, test } from "vitest"
import { root, startDaemon } from "../harness/daemon.ts"
import { startWith } from "./lines.ts"

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

/** An agent that is known by its command alone, and says every word by itself. */
const command = [process.execPath, join(root, "bench/peer/agent.ts")]

test.each([
  ["mock", "Node", node],
  ["words", "Node", node],
  ["mock", "Bun", process.execPath],
])(
  `the public SDK 0.4.2 with %s on %s: ${turns} turns in a row are whole when \`prompt\` resolves`,
  async (agent, _, runtime) => {
    if (runtime === null) throw new Error("there is no node on PATH")
    await using daemon = await (agent === "mock" ? startDaemon() : startWith(agent, command))
    const given = [pathToFileURL(sdk).href, daemon.url, daemon.token, agent, String(turns)]
    const child = Bun.spawn([runtime, program, ...given], { stdout: "pipe", stderr: "pipe" })
    const [out, said, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([code, said]).toEqual([0, ""])
    expect(JSON.parse(out)).toEqual([])
  },
  600_000,
)
