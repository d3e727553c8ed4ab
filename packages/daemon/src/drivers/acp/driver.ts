import type { Driver } from "../../core/driver.ts"
import type { Programs } from "../../core/programs.ts"
import { type Launcher, launcherOf } from "../shared/launcher.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { type AcpAgent, capabilitiesOf } from "./agent.ts"
import { CapabilityCache } from "./capability-cache.ts"
import { sharingOf } from "./sharing.ts"

export interface AcpOptions {
  agent: AcpAgent
  /** Where the program comes from. */
  programs: Programs
  /** Where what it says of itself is kept. */
  memory?: string
  /** How long a process that sessions share is kept without any. */
  lingerMs?: number
}

/** Any agent that speaks the Agent Client Protocol over stdio. */
export function createAcpDriver({ agent, programs, memory, lingerMs }: AcpOptions): Driver {
  const learned = new CapabilityCache(capabilitiesOf(agent.traits), agent.traits, memory)
  const { capabilities } = learned
  /** Loaded with the first session: a daemon without any pays nothing for it. */
  let loaded: ReturnType<typeof load> | undefined
  const inside = () => {
    loaded ??= load(agent, lingerMs)
    return loaded
  }
  const found = launcherOf(programs, agent)
  const launcher = async (version?: string, given: Readonly<Record<string, string>> = {}): Promise<Launcher> => {
    const { command, env } = await found(version)
    return { command: [...command, ...agent.args], env: { ...agent.traits.env, ...agent.env, ...env, ...given } }
  }
  return {
    spec: 1,
    agent: agent.id,
    name: agent.name,
    stability: agent.traits.stability ?? "experimental",
    capabilities,
    protocol: "acp",
    passthroughContent: learned,
    modesOfSession: true,
    forksAt: "head",
    ...(sharingOf(agent.traits) === "one" ? {} : { shared: true as const }),
    programs,
    // The protocol has no word for skills; of the rest each agent tells when it is initialized.
    takes: { skills: false },
    async open(options, sink, host) {
      const { servers, catalogs, openConnection } = await inside()
      const program = await launcher(options.agentVersion, options.env)
      const learn = () => catalogs.offer(program, host)
      const runtime = { agent, servers, learned, launcher: program, learn }
      return openConnection(runtime, options, sink, host)
    },
    async catalog(host) {
      return (await inside()).catalogs.get(await launcher(), host)
    },
    forget: (sessionId, host) => host.remove(sessionFolder(sessionId, host)),
    async *history(ref, host) {
      const { readHistory, distrusting, servers } = await inside()
      yield* await readHistory(agent, servers, await distrusting(agent, await launcher(), host), ref, host)
    },
  }
}

async function load(agent: AcpAgent, lingerMs: number | undefined) {
  const [{ Servers }, { Catalogs }, { openConnection }, { readHistory }, { distrusting }] = await Promise.all([
    import("./server.ts"),
    import("./catalog.ts"),
    import("./connection.ts"),
    import("./history.ts"),
    import("./project.ts"),
  ])
  const servers = new Servers(agent, lingerMs === undefined ? {} : { lingerMs })
  return { servers, catalogs: new Catalogs(agent, servers), openConnection, readHistory, distrusting }
}
