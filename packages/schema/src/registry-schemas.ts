import { z } from "zod"
import { capabilityNames } from "./agent.ts"
import { traitsKey } from "./registry.ts"

export const registryPlatforms = [
  "darwin-aarch64",
  "darwin-x86_64",
  "linux-aarch64",
  "linux-x86_64",
  "windows-aarch64",
  "windows-x86_64",
] as const

/** How the program of an agent is started beyond its name: words after it, and variables. */
const launch = { args: z.array(z.string()).optional(), env: z.record(z.string(), z.string()).optional() }
const packaged = z.looseObject({ package: z.string().min(1), ...launch })

const binary = z.partialRecord(
  z.enum(registryPlatforms),
  z.looseObject({ archive: z.url(), cmd: z.string().min(1), ...launch }),
)

/** What we know of an agent that its registry entry cannot say; under `_meta["sandboxagent.dev"]` in a file. */
export const TraitsSchema = z.strictObject({
  /** What it can beyond the safe default, and what of that it cannot. */
  capabilities: z.partialRecord(z.enum(capabilityNames), z.boolean()).optional(),
  stability: z.enum(["stable", "experimental"]).optional(),
  /**
   * Which sessions share a process, of those with the same program and environment: none, those in one directory with
   * the same MCP servers (the default), or all.
   */
  sessions: z.enum(["one", "directory", "many"]).optional(),
  /**
   * Its modes. Those that ask before they act, only plan, or never ask are chosen by our permission mode; `hidden` ones
   * change what it asks for as well, and are never chosen. `agent` vouches for the others: they change only what it does.
   */
  modes: z
    .strictObject({
      ask: z.string().optional(),
      plan: z.string().optional(),
      bypass: z.string().optional(),
      hidden: z.array(z.string()).optional(),
      agent: z.array(z.string()).optional(),
    })
    .optional(),
  /** The config option that is its agent mode, where its `modes` are something else; `build` is its first value. */
  modeOption: z.string().optional(),
  /** It tells a change of its mode as a text of its own, `[MODE_UPDATE] <mode>`, and not by the protocol. */
  modeInWords: z.boolean().optional(),
  /** Config options of its own that change nothing of what it asks for, beside those of the category `model_config`. */
  options: z.array(z.string()).optional(),
  /** Ways to be logged in: a variable, for the method of that name, or a file in the user's home. */
  login: z
    .array(z.strictObject({ method: z.string().optional(), env: z.string().optional(), file: z.string().optional() }))
    .optional(),
  /** What it sees of the daemon's environment beside its logins: names, or beginnings of names with `*` after them. */
  variables: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, "a name, or the beginning of names with * after it"))
    .optional(),
  /** Variables that keep it quiet; what is given for a session wins. */
  env: z.record(z.string(), z.string()).optional(),
  /** It reads settings of a repository as this agent does, and is kept from them outside permission mode `bypass` as this one is. */
  distrusts: z.enum(["gemini", "qwen-code"]).optional(),
  /** What of a client's powers does it more harm than good. */
  withhold: z.array(z.enum(["fs", "terminal", "elicitation"])).optional(),
  /** For the meta of `clientCapabilities`: what this agent only does for clients that say so. */
  clientMeta: z.record(z.string(), z.unknown()).optional(),
  /** For the meta of every request that opens a session. */
  sessionMeta: z.record(z.string(), z.unknown()).optional(),
  /** Its name on PATH, where it is not that of its package. */
  binary: z.string().optional(),
  /** Words that make it print its version; without any it is not asked. */
  versionArgs: z.array(z.string()).optional(),
})

/** An agent as the ACP registry describes it, or one that is there already, by its command. */
export const RegistryEntrySchema = z.looseObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/, "lower-case letters, digits and -, a letter first"),
  name: z.string().min(1),
  version: z.string().optional(),
  description: z.string().optional(),
  distribution: z
    .looseObject({
      npx: packaged.optional(),
      uvx: packaged.optional(),
      binary: binary.optional(),
      command: z.looseObject({ cmd: z.string().min(1), ...launch }).optional(),
    })
    .refine((d) => [d.npx, d.uvx, d.binary, d.command].some((kind) => kind !== undefined), {
      message: "names no npx, uvx, binary or command",
    }),
  _meta: z.looseObject({ [traitsKey]: TraitsSchema.optional() }).optional(),
})

/** The registry's own file, and ours. */
export const RegistryFileSchema = z.looseObject({
  version: z.string().optional(),
  agents: z.array(RegistryEntrySchema),
})
