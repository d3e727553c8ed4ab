import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { program, startWith } from "./lines.ts"
import { text, Wire } from "./wire.ts"

test("a prompt that no agent takes is answered with why: in the body, and to whoever reads it later", async () => {
  const folder = scratch()
  const gone = join(folder, "gone")
  const agent = program("lines-agent.ts", join(folder, "lines"))
  const first = await startWith("brief", ["sh", "-c", `test ! -e ${gone} && exec "$@"`, "sh", ...agent])
  const begun = new Wire(first, "/v1/acp/mine")
  await begun.initialize({}, "brief")
  const { result } = await begun.ask("session/new", { cwd: "/tmp", mcpServers: [] })
  await first.stop()
  writeFileSync(gone, "")

  await using daemon = await startDaemon({ dataDir: first.dataDir })
  const wire = new Wire(daemon, "/v1/acp/mine")
  const stream = await wire.stream()
  const sessionId = String(result?.sessionId)
  const answer = await wire.ask("session/prompt", { sessionId, prompt: text("hello") }, 7)
  expect(answer).toMatchObject({ id: 7, error: { data: { code: "agent_process_exited", exitCode: 1 } } })
  expect(await stream.until(({ id }) => id === 7)).toEqual(answer)
  const [place] = stream.received
  await stream.cut()
  const again = await wire.stream({ "last-event-id": `${Number(place?.id.split(".")[0]) - 1}.0` })
  expect(await again.until(({ id }) => id === 7)).toEqual(answer)
  await again.cut()
})
