import { statSync } from "node:fs"
import type { Mode } from "@sandbox-agent/schema/agent"
import { limits } from "@sandbox-agent/schema/limits"
import { withDeadline } from "../../core/deadline.ts"
import type { Catalog, Host, SessionPatch } from "../../core/driver.ts"
import { environment, type Launcher, protocolFlags } from "./launch.ts"
import type { Command, Initialized } from "./native.ts"
import { startProcess } from "./process.ts"

const modes: Mode[] = [
  { id: "build", name: "Build", description: "Does the work" },
  { id: "plan", name: "Plan", description: "Is asked for a plan; restricts nothing by itself" },
]

export const commandsOf = (commands: readonly Command[] = []): NonNullable<SessionPatch["commands"]> =>
  commands.map(({ name, description, argumentHint }) => ({
    name,
    ...(description && { description }),
    ...(argumentHint && { hint: argumentHint }),
  }))

/** What Claude Code says of itself when it starts; one answer per program, as long as that is the same file. */
export class Catalogs {
  readonly #known = new Map<string, Promise<Catalog>>()

  get(launcher: Launcher, host: Host): Promise<Catalog> {
    const identity = identityOf(launcher.command)
    const known = this.#known.get(identity)
    if (known !== undefined) return known
    const asked = ask(launcher, host)
    this.#known.set(identity, asked)
    asked.catch(() => this.#known.delete(identity))
    return asked
  }
}

async function ask({ command, env }: Launcher, host: Host): Promise<Catalog> {
  const process = startProcess(
    { command: [...command, ...protocolFlags], owner: "catalog:claude", directory: host.home },
    environment({}, env),
    host,
  )
  try {
    const said = process.request({ subtype: "initialize" })
    const openMs = host.intervals?.openMs ?? limits.openMs
    return catalogOf((await withDeadline(said, openMs, "Claude Code did not say what it offers")) as Initialized)
  } finally {
    await process.child.stop()
  }
}

export function catalogOf({ models = [] }: Initialized): Catalog {
  const listed = models.map(({ value, displayName, supportedEffortLevels }) => ({
    id: value,
    name: displayName ?? value,
    variants: supportedEffortLevels ?? [],
  }))
  const [first] = listed
  const defaultModel = listed.find(({ id }) => id === "default") ?? first
  return { modes, models: listed, ...(defaultModel && { defaultModel: defaultModel.id }) }
}

function identityOf(command: readonly string[]): string {
  const found = statSync(command[0] ?? "", { throwIfNoEntry: false })
  return [...command, found?.size, found?.mtimeMs].join("\n")
}
