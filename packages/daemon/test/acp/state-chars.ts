import { join } from "node:path"
import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { expect } from "vitest"
import { scratch } from "../harness/daemon.ts"
import { LinesClient, program, startWith } from "./lines.ts"
import { overfill } from "./overfill.ts"
import { type Json, Wire } from "./wire.ts"

overfill(["stateChars"], "who resumes a session is told a longer message translated", async () => {
  const file = join(scratch(), "lines")
  await using daemon = await startWith("lines", program("lines-agent.ts", file))
  const client = await LinesClient.connect(daemon, file)
  await client.begin()
  for (const [length, whole] of [
    [acpLimits.stateChars - 1_000, true],
    [acpLimits.stateChars, false],
  ] as const) {
    await client.prompt(`plan:${length}`)
    const wire = new Wire(daemon, `/v1/acp/${crypto.randomUUID()}`)
    const stream = await wire.stream()
    await wire.initialize({}, "lines")
    await wire.ask("session/resume", { sessionId: client.sessionId, cwd: "/tmp", mcpServers: [] }, 4)
    const { params } = await stream.until(
      (message) => (message.params?.update as Json | undefined)?.sessionUpdate === "plan",
    )
    expect(params?.update).toEqual({
      ...{ sessionUpdate: "plan", entries: [] },
      ...(whole && { _meta: { x: "x".repeat(length) } }),
    })
    await stream.cut()
  }
})
