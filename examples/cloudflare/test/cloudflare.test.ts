import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMusl } from "@sandbox-agent/test-agents/fetched"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, expect, test } from "vitest"
import { writeExecutable } from "../../../packages/sandbox-agent/test/harness/executable.ts"
import { CloudflareEdge, startWorker } from "../../../packages/sandbox-agent/test/sandbox/cloudflare-edge.ts"

const work = mkdtempSync(join(tmpdir(), "sandbox-agent-example-cloudflare-"))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** To the edge of the network: the real runtime and the real package, with processes of this machine for a container. */
test("an agent answers, and the sandbox is gone", { timeout: 240_000 }, async ({ skip }) => {
  if (isMusl) skip("workerd has no build for musl")
  await using edge = await new CloudflareEdge().listen()
  const main = join(import.meta.dirname, "../src/main.ts")
  const worker = await startWorker(work, edge, { "worker.js": join(import.meta.dirname, "worker.js"), "main.ts": main })
  try {
    const daemon = writeExecutable(join(work, "sandbox-agent"))
    // In place of the image, which has it.
    const install = `mkdir -p $HOME/.local/bin && cp ${daemon} $HOME/.local/bin/sandbox-agent`
    expect(await worker.ask({ question: "hello", install, port: await keptPort() })).toEqual({ answer: "hello" })
    expect(edge.ended).toHaveLength(1)
    expect(edge.running).toEqual([])
  } finally {
    await worker.stop()
  }
})

test("the same at Cloudflare", { timeout: 600_000 }, async ({ skip }) => {
  const { CLOUDFLARE_WORKER_URL: url, WORKER_TOKEN = "" } = process.env
  if (!url) return skip("CLOUDFLARE_WORKER_URL, the address of the Worker when it is deployed, is not set")
  const headers = { authorization: `Bearer ${WORKER_TOKEN}` }
  const answer = await fetch(`${url}?agent=mock`, { method: "POST", headers, body: "hello" })
  expect(await answer.text()).toBe("hello")
})
