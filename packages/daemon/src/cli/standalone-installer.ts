import { mkdir } from "node:fs/promises"
import { createInstaller, type Installer } from "../install/installer.ts"
import { bunLauncher } from "../install/launcher.ts"
import { mirrorsFrom } from "../install/mirrors.ts"
import { namedPaths, registryEntries } from "../registry/agent-registry.ts"
import { installable } from "../registry/installable.ts"
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
  constructor(dataDir: string, directory: string) {
    const log = (level: string, message: string, fields: Record<string, unknown> = {}): void => {
      if (level !== "warn" && level !== "error") return
      this.notes.push([message, fields.source, fields.what, fields.error].filter(Boolean).join(": "))
    }
    this.#supervisor = createSupervisor({ daemonId: `install-${process.pid}`, log })
    const entries = registryEntries(dataDir)
    this.installer = createInstaller({
      directory,
      table: installable(entries),
      paths: namedPaths(entries),
      bun: bunLauncher(selfCommand()),
      supervisor: this.#supervisor,
      log,
      mirrors: mirrorsFrom(process.env),
    })
    for (const signal of signals) process.on(signal, this.#interrupt)
  }

  static async open(dataDir: string, programsDir: string): Promise<StandaloneInstaller> {
    // The daemon's folder is its user's alone, also when it is made here. Where it cannot be made, the install says so.
    await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(() => {})
    return new StandaloneInstaller(dataDir, programsDir)
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
