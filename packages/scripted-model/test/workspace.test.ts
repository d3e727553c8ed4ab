import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { beforeAll, expect, test } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))
// `bun --bun` puts a `node` of its own before the real one.
const PATH = (process.env.PATH ?? "")
  .split(":")
  .filter((folder) => !folder.includes("bun-node"))
  .join(":")

function run(program: string, words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, PATH },
  })
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${stdout}${stderr}`)
  return stdout.trim()
}

beforeAll(() => {
  for (const name of ["scripted-model", "acp-http-client"]) run(process.execPath, [`packages/${name}/scripts/build.ts`])
}, 300_000)

const runtimes = [
  { runtime: "Node", program: "node", bun: "undefined", folder: "dist" },
  { runtime: "Bun", program: process.execPath, bun: "object", folder: "src" },
]

test.each(runtimes)("$runtime imports the packages of the workspace by name", ({ program, bun, folder }) => {
  const code = `
    const { startScriptedModel } = await import("@sandbox-agent/scripted-model")
    const { text } = await import("@sandbox-agent/scripted-model/script")
    const { AcpHttpClient } = await import("acp-http-client")
    const { SseParser } = await import("acp-http-client/sse")
    const model = await startScriptedModel()
    const answer = await fetch(model.url + "/v1/models", { headers: { authorization: "Bearer x" } })
    await model.close()
    console.log(JSON.stringify({
      bun: typeof globalThis.Bun,
      status: answer.status,
      client: typeof AcpHttpClient,
      events: typeof SseParser,
      part: typeof text,
      model: import.meta.resolve("@sandbox-agent/scripted-model").split("/").at(-2),
    }))`
  const reported = JSON.parse(run(program, ["--input-type=module", "-e", code].slice(program === "node" ? 0 : 1)))
  expect(reported).toEqual({
    bun,
    status: 200,
    client: "function",
    events: "function",
    part: "function",
    model: folder,
  })
})
