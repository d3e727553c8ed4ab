import { mkdir, stat, symlink } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { cacheDirectory, compiled, executable, offline } from "./real.ts"
import { openTestInstaller } from "./test-installer.ts"

/** No Node, no npm, no Bun: what a shell needs and nothing else. */
async function bareFolder(directory: string): Promise<string> {
  const folder = join(directory, "bare")
  await mkdir(folder)
  const words = ["sh", "grep", "sleep"].map((name) => [Bun.which(name) ?? "", join(folder, name)] as const)
  for (const [from, to] of words) await symlink(from, to)
  return folder
}

describe.skipIf(offline)("real packages of the registry", () => {
  test("codex: the whole folder, run by itself", async () => {
    await using shop = await openTestInstaller({ bun: compiled(), cacheDirectory, sources: ["npm"] })
    const { version, path = "", command = [] } = await shop.installer.install("codex", { version: "0.166.0" })
    expect(version).toBe("0.166.0")
    const ran = Bun.spawnSync([...command, "--version"], { env: { PATH: "/nonexistent" } })
    expect(ran.stdout.toString().trim()).toBe("codex-cli 0.166.0")
    for (const sibling of ["codex-code-mode-host", "../codex-path/rg"])
      expect((await stat(join(path, "..", sibling))).mode & 0o111).not.toBe(0)
  }, 180_000)

  test("a sandbox without Node and npm installs a JavaScript agent and runs it, all by our executable", async () => {
    await using shop = await openTestInstaller()
    const env = {
      PATH: await bareFolder(shop.directory),
      HOME: shop.directory,
      BUN_BE_BUN: "1",
      // The registry settings of whoever runs the tests.
      npm_config_userconfig: join(homedir(), ".npmrc"),
    }
    compiled()
    const options = {
      directory: shop.bin,
      agent: "pi",
      install: { version: "0.87.1" },
      sources: ["npm"],
      cacheDirectory,
    }
    const script = join(import.meta.dirname, "second.ts")
    const made = Bun.spawn([executable, script, JSON.stringify(options)], { env, stderr: "inherit" })
    expect(await new Response(made.stdout).text()).toContain("done 0.87.1")

    const { command = [], env: more } = await shop.another({ bun: compiled() }).locate("pi")
    expect(command[0]).toBe(executable)
    const rpc = [...command, "--mode", "rpc", "--no-session", "--offline"]
    const pi = Bun.spawn(rpc, { env: { ...env, ...more, PI_OFFLINE: "1" }, stdin: "pipe", stderr: "inherit" })
    pi.stdin.write('{"id":"1","type":"get_state"}\n')
    await pi.stdin.flush()
    const reader = pi.stdout.getReader()
    let said = ""
    while (!said.includes('"get_state"')) {
      const { value, done } = await reader.read()
      if (done) break
      said += new TextDecoder().decode(value)
    }
    expect(said).toContain('"success":true')
    pi.kill("SIGKILL")
    await pi.exited
  }, 180_000)
})
