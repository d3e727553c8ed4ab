import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Supervisor } from "../../src/core/supervisor.ts"
import { createInstaller, type Installer, type InstallerOptions } from "../../src/install/installer.ts"
import { bunLauncher } from "../../src/install/launcher.ts"
import type { InstallProgress } from "../../src/install/progress.ts"
import { installTable } from "../../src/registry/installable.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"

/** A list has as long as a test, where that is not the matter of the test. */
const slowLists = { versionListMs: 60_000 }

export const root = join(import.meta.dirname, "../../../..")
/** The real thing, whatever runs the tests. */
export const bunProgram = join(root, "node_modules/.bin/bun")

/** A folder, a supervisor and an installer, all gone at the end of the test. */
export interface TestInstaller extends AsyncDisposable {
  directory: string
  bin: string
  supervisor: Supervisor
  installer: Installer
  log: string[]
  /** A second installer on the same folder, as another request of the same machine would have it. */
  another(options?: Partial<InstallerOptions>): Installer
}

export async function openTestInstaller(options: Partial<InstallerOptions> = {}): Promise<TestInstaller> {
  const directory = await mkdtemp(join(tmpdir(), "sa-install-"))
  const bin = join(directory, "bin")
  const log: string[] = []
  const write = (level: string, message: string, fields?: object) => {
    if (level !== "debug") log.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
  }
  const supervisor = createSupervisor({ daemonId: `install-${process.pid}`, log: write })
  const another = (more: Partial<InstallerOptions> = {}) =>
    createInstaller({
      directory: bin,
      table: installTable,
      bun: bunLauncher([bunProgram]),
      supervisor,
      log: write,
      env: { ...process.env, PATH: "/usr/bin:/bin" },
      ...options,
      ...more,
      bounds: { ...slowLists, ...options.bounds, ...more.bounds },
    })
  const installer = another()
  return {
    directory,
    bin,
    supervisor,
    installer,
    log,
    another,
    async [Symbol.asyncDispose]() {
      installer.close()
      await supervisor.stopAll()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function collect(): {
  seen: InstallProgress[]
  on: (progress: InstallProgress) => void
  phases: () => string[]
} {
  const seen: InstallProgress[] = []
  return { seen, on: (progress) => seen.push(progress), phases: () => [...new Set(seen.map(({ phase }) => phase))] }
}

/** The typed error of an install that must fail. */
export async function failure(promise: Promise<unknown>): Promise<SandboxAgentError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!SandboxAgentError.is(error)) throw new Error(`expected a typed error, got ${String(error)}`)
  return error
}
