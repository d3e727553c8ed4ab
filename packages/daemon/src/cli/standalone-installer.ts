import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installLimits } from "@sandbox-agent/schema/install-limits"
import { createInstaller, type Installer } from "../install/installer.ts"
import { bunLauncher } from "../install/launcher.ts"
import { mirrorsFrom } from "../install/mirrors.ts"
import { npmLatest, npmName } from "../install/npm.ts"
import { detectPlatform } from "../install/platform.ts"
import { namedPaths, registryEntries } from "../registry/agent-registry.ts"
import { installable, installTable } from "../registry/installable.ts"
import { createSupervisor, type ListingSupervisor } from "../supervisor/supervisor.ts"
import { note } from "./print.ts"
import { selfCommand } from "./self.ts"

/** An installer with its processes, for one command. The daemon's own works on the same folder behind the same lock. */
export class StandaloneInstaller implements AsyncDisposable {
  readonly installer: Installer
  /** Sources that failed, though another one may have delivered. */
  readonly notes: string[] = []
  readonly #supervisor: ListingSupervisor
  #interrupted: boolean = false

  /** Makes no folder: for who only looks. */
  constructor(
    dataDir: string,
    directory: string,
    private readonly env: Readonly<Record<string, string | undefined>> = process.env,
    /** Programs that were named by their path. */
    paths: Readonly<Record<string, string>> = {},
  ) {
    const log = (level: string, message: string, fields: Record<string, unknown> = {}): void => {
      if (level !== "warn" && level !== "error") return
      this.notes.push([message, fields.source, fields.what, fields.error].filter(Boolean).join(": "))
    }
    this.#supervisor = createSupervisor({ daemonId: `install-${process.pid}`, log })
    const entries = registryEntries(dataDir)
    this.installer = createInstaller({
      directory,
      table: installable(entries),
      paths: { ...namedPaths(entries), ...paths },
      bun: bunLauncher(selfCommand()),
      supervisor: this.#supervisor,
      log,
      mirrors: mirrorsFrom(env),
      env,
    })
    for (const signal of signals) process.on(signal, this.#interrupt)
  }

  static async open(dataDir: string, programsDir: string): Promise<StandaloneInstaller> {
    // The daemon's folder is its user's alone, also when it is made here. Where it cannot be made, the install says so.
    await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(() => {})
    return new StandaloneInstaller(dataDir, programsDir)
  }

  /** The newest version of an agent's package, asked of the registry as an install asks it: shows that installs can work. */
  async newestPackage(withinMs: number): Promise<string> {
    const [source] = [...installTable.values()].flatMap(({ npm }) => npm)
    if (source === undefined) throw new Error("no agent is a package")
    const name = npmName(source, detectPlatform())
    const bounds = { ...installLimits, npmResolveMs: withinMs }
    const folder = await mkdtemp(join(tmpdir(), "sandbox-agent-registry-"))
    try {
      const host = { bun: bunLauncher(selfCommand()), supervisor: this.#supervisor, env: this.env, bounds }
      return `${name} ${await npmLatest(name, folder, host)}`
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  get interrupted(): boolean {
    return this.#interrupted
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor.stopAll()
    for (const signal of signals) process.off(signal, this.#interrupt)
  }

  /** The install takes back what it has begun; who cannot wait for that leaves it to the next install. */
  readonly #interrupt = (): void => {
    if (this.#interrupted) process.exit(130)
    this.#interrupted = true
    this.installer.close()
    void note(`${process.stderr.isTTY ? "\n" : ""}stopping; Ctrl-C again exits at once`).catch(() => {})
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
