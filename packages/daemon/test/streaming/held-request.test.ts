import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"

/** Longer than Bun leaves a connection alone that may be idle for a second. */
const seconds = 12

test("a request that waits for its answer is not an idle connection, however long it takes", async () => {
  const slow = join(scratch(), "claude")
  const script = `case "$*" in *--version*) echo "2.1.325 (Claude Code)";; *) sleep ${seconds}; exit 3;; esac`
  writeFileSync(slow, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "1", "--agent-path", `claude=${slow}`] })
  // A GET: of requests with a body Bun forgets the time once that is read.
  const { status, body } = await daemon.api.call("GET", "/v1/agents/claude/models")
  expect({ status, body }).toMatchObject({ status: 500, body: { detail: "claude exited with code 3" } })
})
