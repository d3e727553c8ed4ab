import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { afterAll, expect, test } from "vitest"
import { scriptedClaude } from "../src/agents/claude.ts"
import { scriptedCodex } from "../src/agents/codex.ts"
import { scriptedOpencode } from "../src/agents/opencode.ts"
import { Api } from "../src/api.ts"
import { onPath, started } from "./starts.ts"

const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-slow-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The real program, on a machine on which nothing happens for longer than an opening has by default. */
function slow(name: string, program: string): string {
  const path = join(folder, name)
  const wait = `sleep ${limits.openMs / 1_000 + 2}`
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --version ] || ${wait}\nexec '${program}' "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

const agents = [
  ["claude", scriptedClaude, claudeBinary],
  ["codex", scriptedCodex, codexBinary],
  ["opencode", scriptedOpencode, opencodeBinary],
] as const

test.concurrent.each(agents)(
  "--interval openMs gives %s more time to open",
  { timeout: 180_000 },
  async (agent, make, program) => {
    const { stage, stop } = await started(
      (home) => make(home),
      onPath(agent, () => slow(agent, program())),
    )()
    mkdirSync(stage.directory, { recursive: true })
    const daemon = await stage.start()
    try {
      const api = new Api(daemon.url, daemon.token)
      const created = await api.call("POST", "/v1/sessions/slow", { agent, directory: stage.directory })
      expect(created).toMatchObject({ status: 201, body: { healthy: true } })
    } finally {
      await daemon.stop()
      await stop?.()
    }
  },
)
