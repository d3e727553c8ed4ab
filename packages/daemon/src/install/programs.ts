import { existsSync } from "node:fs"
import { installLimits } from "@sandbox-agent/schema/install-limits"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import { shellWord } from "@sandbox-agent/schema/shell-word"
import type { Program, Programs } from "../core/programs.ts"
import type { Login } from "../credentials/login.ts"
import type { Installer, InstallerOptions } from "./installer.ts"
import type { Located } from "./locate.ts"

/** The installer, loaded with the first agent that needs one: a daemon that only serves `mock` never pays for it. */
export class LazyInstaller {
  #installer: Promise<Installer> | undefined
  /** One after the other: what an earlier one has under way it ends. */
  readonly #all: Promise<Installer>[] = []
  #entries: readonly RegistryEntry[] = []

  constructor(readonly options: Omit<InstallerOptions, "bun" | "mirrors" | "table"> & { self: readonly string[] }) {}

  /** The agents of the registry, from now on. Two installs of one agent wait for each other by their lock. */
  setEntries(entries: readonly RegistryEntry[]): void {
    this.#entries = entries
    this.#installer = undefined
  }

  get(): Promise<Installer> {
    if (this.#installer === undefined) {
      this.#installer = this.#load()
      this.#all.push(this.#installer)
    }
    return this.#installer
  }

  async #load(): Promise<Installer> {
    const { self, ...options } = this.options
    const { createInstaller } = await import("./installer.ts")
    const { bunLauncher } = await import("./launcher.ts")
    const { mirrorsFrom } = await import("./mirrors.ts")
    const { installable } = await import("../registry/installable.ts")
    const { namedPaths } = await import("../registry/agent-registry.ts")
    const table = installable(this.#entries)
    const paths = { ...namedPaths(this.#entries), ...options.paths }
    return createInstaller({ ...options, paths, table, bun: bunLauncher(self), mirrors: mirrorsFrom(process.env) })
  }

  /** Ends what is under way; it does not count. */
  async close(): Promise<void> {
    for (const installer of await Promise.all(this.#all)) installer.close()
  }
}

/** The programs of one agent: the installer's answer, and whether this machine has credentials for it. */
export function programsOf(lazy: LazyInstaller, agent: string): Programs {
  return programsWith(lazy, agent, async (...given) =>
    (await import("../credentials/login.ts")).nativeLogin(agent, ...given),
  )
}

/** The same for an agent of the registry. */
export function registryPrograms(lazy: LazyInstaller, entry: RegistryEntry): Programs {
  return programsWith(lazy, entry.id, async (...given) =>
    (await import("../registry/login.ts")).entryLogin(entry, ...given),
  )
}

type FindLogin = (
  env?: Readonly<Record<string, string | undefined>>,
  directory?: string,
  program?: string,
) => Promise<Login>

/** As a shell takes it; empty while it is not installed, undefined where its name is enough. */
export function typedProgram({ installed, source, command = [], env = {}, launcher }: Located): string | undefined {
  if (!installed) return ""
  if (launcher !== undefined) return shellWord(launcher)
  if (source === "path" || command.length === 0) return undefined
  const runtime = env.BUN_BE_BUN === undefined ? [] : [`BUN_BE_BUN=${env.BUN_BE_BUN}`]
  return [...runtime, ...command.map(shellWord)].join(" ")
}

function programsWith(lazy: LazyInstaller, agent: string, login: FindLogin): Programs {
  const known = async (located: Located): Promise<Program> => {
    const { credentials, env } = await login()
    return { ...located, env: { ...env, ...located.env }, credentials }
  }
  /** Who makes a session looks, and a moment later who starts its agent; sessions often follow one another. */
  let looked: { at: number; program: Program } | undefined
  const recentlyLocated = async (): Promise<Program> => {
    const since = looked === undefined ? Number.POSITIVE_INFINITY : performance.now() - looked.at
    if (looked === undefined || since > installLimits.lookedMs || !existsSync(looked.program.path ?? ""))
      looked = {
        program: await known(await (await lazy.get()).locate(agent, undefined, "skip")),
        at: performance.now(),
      }
    return looked.program
  }
  const changed = async (located: Promise<Located>): Promise<Program> => {
    const program = await known(await located)
    looked = undefined
    return program
  }
  return {
    locate: async (version, probeWait) =>
      probeWait === "skip" && version === undefined
        ? recentlyLocated()
        : known(await (await lazy.get()).locate(agent, version, probeWait)),
    install: async (options, onProgress) => changed((await lazy.get()).install(agent, options, onProgress)),
    ensure: async (version, onProgress) => changed((await lazy.get()).ensure(agent, { version }, onProgress)),
    missingLogin: async (env, directory) => {
      const whole = { ...process.env, ...env }
      if ((await login(whole, directory)).missing === undefined) return undefined
      const located = await (await lazy.get()).locate(agent, undefined, "skip")
      return (await login(whole, directory, typedProgram(located))).missing
    },
  }
}
