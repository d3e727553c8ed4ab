import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { itemsOf, resultsOf, textOf } from "../events.ts"
import { has, same } from "../expect.ts"
import { mcpProbe } from "../mcp-probe.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"

const bypass = { permissionMode: "bypass" }

/** Does something while this is configured for a new directory; a daemon that is not ours keeps nothing of it. */
async function configured(
  scene: Scene,
  kind: "mcp" | "skills",
  name: string,
  make: (directory: string) => object,
  run: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = join(scene.stage.directory, `config-${crypto.randomUUID()}`)
  mkdirSync(directory)
  const query = new URLSearchParams({ directory, [kind === "mcp" ? "mcpName" : "skillName"]: name })
  const path = `/v1/config/${kind}?${query}`
  await scene.api.ok("PUT", path, make(directory))
  try {
    await run(directory)
  } finally {
    await scene.api.ok("DELETE", path)
  }
}

export const config: readonly Scenario[] = [
  {
    name: "an MCP server configured for the directory is called",
    proves: ["mcp.config"],
    async run(scene) {
      const server = (directory: string) => ({ type: "local", ...mcpProbe(directory), cwd: directory })
      await configured(scene, "mcp", "probe", server, async (directory) => {
        const { id } = await scene.session({ ...bypass, directory })
        const [result, ...more] = resultsOf(itemsOf(await scene.turn(id, "mcpTool")))
        has(result?.[0], "ping", "the call")
        has(result?.[1], "pong", "the result")
        same(more, [])
      })
    },
  },
  {
    name: "an MCP server that does not start is told",
    proves: ["mcp.broken"],
    means: ["brokenServers"],
    async run(scene) {
      const server = () => ({ type: "local", command: "sh", args: ["-c", "echo out of order >&2; exit 3"] })
      await configured(scene, "mcp", "broken", server, async (directory) => {
        const { id } = await scene.session({ ...bypass, directory })
        same(textOf(itemsOf(await scene.turn(id, "say", "hello"))), "hello")
        const label = `${scene.agent}.mcp_failed`
        const expected = await scene.api.until(id, "item.completed", ({ data }) =>
          data.item.content.some((part) => part.type === "status" && part.label === label),
        )
        const [part] = expected.data.item.content
        const detail = part?.type === "status" ? part.detail : undefined
        has(detail, "broken: ", "the status")
        // An agent that tells once, while the server is still being started, tells before that has said anything.
        if (!detail?.includes("has not started yet")) has(detail, "out of order", "what the server said of it")
      })
    },
  },
  {
    name: "skills configured for the directory are offered to the model",
    proves: ["skills.config"],
    means: ["skills"],
    async run(scene) {
      const expected = "Counts zebras for the conformance suite"
      const files = { "SKILL.md": `---\nname: zebra-count\ndescription: ${expected}\n---\nCount them.` }
      const skills = () => ({ sources: [{ type: "inline", source: "zebra-count", files }] })
      await configured(scene, "skills", "zebras", skills, async (directory) => {
        const { id } = await scene.session({ ...bypass, directory })
        has(textOf(itemsOf(await scene.turn(id, "offers", "zebra-count", expected))), expected, "the answer")
      })
    },
  },
]
