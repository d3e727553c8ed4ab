import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { afterAll, expect, test } from "vitest"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { start } from "./processes.ts"

const supervisor = createSupervisor({ daemonId: "launch-test", log: () => {} })
const folder = mkdtempSync(join(tmpdir(), "launch-"))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await supervisor.stopAll()
})

function file(name: string, content: string, mode: number): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

const plain = file("plain", "#!/bin/sh\n", 0o644)
const orphan = file("orphan", "#!/no/such/interpreter\n", 0o755)
const noFormat = file("no-format", "echo hello\n", 0o755)

test.each([
  ["no such file", ["/no/such/program"], "/", "agent_not_installed", "/no/such/program"],
  ["nothing of that name in PATH", ["no-such-program-xyz"], "/", "agent_not_installed", "no-such-program-xyz"],
  ["not executable", [plain], "/", "agent_process_exited", "not executable"],
  ["a missing interpreter", [orphan], "/", "agent_process_exited", "interpreter"],
  ["no known format", [noFormat], "/", "agent_process_exited", "neither a program"],
  ["no such directory", ["sh"], "/no/such/directory", "agent_process_exited", "/no/such/directory"],
  ["a file as directory", ["sh"], plain, "agent_process_exited", "not a directory"],
  ["no command", [], "/", "agent_process_exited", "no command"],
])("a start that fails is a typed error: %s", (_, command, directory, code, detail) => {
  let thrown: unknown
  try {
    start(supervisor, "", { command, directory })
  } catch (error) {
    thrown = error
  }
  expect(SandboxAgentError.is(thrown) && thrown.code).toBe(code)
  expect(String(thrown)).toContain(detail)
  expect(supervisor.list()).toEqual([])
})

test("a program is looked for in the PATH that was given, and runs in its directory", async () => {
  file("hello-there", "#!/bin/sh\npwd\n", 0o755)
  const { child, lines } = start(supervisor, "", {
    command: ["hello-there"],
    directory: folder,
    env: { PATH: `${folder}:${process.env.PATH}` },
  })
  expect(await child.exited).toMatchObject({ code: 0 })
  expect(lines).toEqual([folder])
})
