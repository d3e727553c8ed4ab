import type { Program, Programs } from "../core/programs.ts"
import type { Installer, InstallerOptions } from "./install/installer.ts"
import type { Located } from "./install/locate.ts"

/** The installer, loaded with the first agent that needs one: a daemon that only serves `mock` never pays for it. */
export class LazyInstaller {
  #installer: Promise<Installer> | undefined

  constructor(readonly options: Omit<InstallerOptions, "bun" | "mirrors"> & { self: readonly string[] }) {}

  get(): Promise<Installer> {
    this.#installer ??= this.#load()
    return this.#installer
  }

  async #load(): Promise<Installer> {
    const { self, ...options } = this.options
    const { createInstaller } = await import("./install/installer.ts")
    const { bunLauncher } = await import("./install/launcher.ts")
    const { mirrorsFrom } = await import("./install/mirrors.ts")
    return createInstaller({ ...options, bun: bunLauncher(self), mirrors: mirrorsFrom(process.env) })
  }

  /** Ends what is under way; it does not count. */
  async close(): Promise<void> {
    ;(await this.#installer)?.close()
  }
}

/** The programs of one agent: the installer's answer, and whether this machine has credentials for it. */
export function programsOf(lazy: LazyInstaller, agent: string): Programs {
  const known = async (located: Located): Promise<Program> => {
    const { discover } = await import("./credentials/discover.ts")
    return { ...located, credentialsAvailable: discover(agent).available }
  }
  return {
    locate: async (version) => known(await (await lazy.get()).locate(agent, version)),
    install: async (options, onProgress) => known(await (await lazy.get()).install(agent, options, onProgress)),
    ensure: async (version, onProgress) => known(await (await lazy.get()).ensure(agent, { version }, onProgress)),
  }
}
