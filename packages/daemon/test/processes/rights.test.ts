import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { inShell } from "../rights/agent-shell.ts"
import { isRoot } from "../rights/users.ts"

const curl = (url: string, token: string, path: string, body: object) =>
  `curl -s -H 'authorization: Bearer ${token}' -H 'content-type: application/json' -d '${JSON.stringify(body)}' ${url}${path}`

test("a process of an agent starts no programs through the daemon, with the token or without", async () => {
  await using daemon = await startDaemon()
  const { url, token, api } = daemon
  await api.create("spy", { permissionMode: "bypass" })
  const tried = await inShell(daemon, "spy", curl(url, token, "/v1/processes/run", { command: "id" }))
  expect(JSON.parse(tried)).toMatchObject({ status: 403, detail: expect.stringMatching(/tried to run a program/) })
  const config = await api.ok("GET", "/v1/processes/config")
  const changed = await inShell(daemon, "spy", curl(url, token, "/v1/processes/config", config as object))
  expect(JSON.parse(changed)).toMatchObject({ status: 403 })
  expect(await api.ok("POST", "/v1/processes/run", { shell: "echo mine" })).toMatchObject({ stdout: "mine\n" })
})

test("a program that a client started is no client: it starts none, and decides nothing", async () => {
  await using daemon = await startDaemon()
  const { url, token, api } = daemon
  await api.create("asks")
  await api.send("asks", "/permission echo allowed")
  const { permission_id } = (await api.until("asks", "permission.requested")).data
  const reply = curl(url, token, `/v1/sessions/asks/permissions/${permission_id}/reply`, { reply: "once" })
  const nested = curl(url, token, "/v1/processes/run", { command: "id" })
  for (const shell of [reply, nested]) {
    const { stdout } = await api.ok<{ stdout: string }>("POST", "/v1/processes/run", { shell })
    expect(JSON.parse(stdout)).toMatchObject({ status: 403 })
  }
})

describe.runIf(isRoot)("where agents run as another user", () => {
  test("programs of clients do so too, and do not get into the daemon's data", async () => {
    const folder = scratch()
    await using daemon = await startDaemon({ flags: ["--agent-user", "nobody"], cwd: "/" })
    onTestFinished(() => rmSync(`${daemon.dataDir}-nobody`, { recursive: true, force: true }))
    const run = (body: object) => daemon.api.call<{ stdout: string }>("POST", "/v1/processes/run", body)
    expect((await run({ shell: "id -un; echo $HOME" })).body.stdout).toMatch(/^nobody\n(?!\/root)/)
    const { command } = await daemon.api.ok<{ command: string }>("POST", "/v1/terminals", {})
    expect(command).toBe("/bin/sh") // it has none that it could log in with
    expect((await run({ shell: `ls ${daemon.dataDir} 2>&1` })).body.stdout).toMatch(/denied/)
    mkdirSync(join(folder, "closed"), { mode: 0o700 })
    expect((await run({ command: "pwd", cwd: join(folder, "closed") })).status).toBe(403)
  })
})
