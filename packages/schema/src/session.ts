import { z } from "zod"
import { fitsBytes } from "./byte-length.ts"
import { configLimits } from "./config-limits.ts"
import { MetadataSchema } from "./json.ts"
import { limits } from "./limits.ts"
import { environment, processText, variables } from "./process-text.ts"
import type { AppliedSchema, SessionSchema } from "./session-view.ts"

/** `.` and `..` are path segments that clients resolve away: such a session could never be reached. */
export const SessionIdSchema = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/, "1 to 128 of [A-Za-z0-9._:-]")
export const PermissionModeSchema = z.enum(["default", "acceptEdits", "plan", "bypass"])
export type PermissionMode = z.infer<typeof PermissionModeSchema>
export const SessionStatusSchema = z.enum(["installing", "starting", "idle", "running", "waiting", "ended"])
export type SessionStatus = z.infer<typeof SessionStatusSchema>
export const AgentProcessStateSchema = z.enum(["none", "starting", "live"])
export type AgentProcessState = z.infer<typeof AgentProcessStateSchema>

const name = processText.min(1).max(200)
const title = z.string().max(limits.titleChars)
const metadata = MetadataSchema.refine((m) => fitsBytes(JSON.stringify(m), limits.metadataBytes), {
  message: `larger than ${limits.metadataBytes} bytes`,
})

/** Headers of HTTP that a client gives, values included. */
export const headers = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "not a name of a header"),
  z.string().regex(/^[^\0\r\n]*$/, "contains a line break or NUL"),
)

export const httpAddress = z.url({ protocol: /^https?$/, error: "an http or https address is expected" })
export const McpTimeoutSchema = z.number().int().min(1).max(configLimits.mcpTimeoutMs)

export const McpProgramSchema = z.strictObject({
  type: z.literal("stdio").optional().describe("may be left out"),
  command: processText.min(1).describe("the program; found on PATH unless it has a slash"),
  args: z.array(processText).optional().describe("its arguments"),
  env: variables.optional().describe("its variables; never returned"),
  cwd: processText.min(1).max(4096).optional().describe("where it runs; relative to the session's directory"),
  timeoutMs: McpTimeoutSchema.optional().describe("how long it may take to start, where the agent can be told"),
})
export const McpAddressSchema = z.strictObject({
  type: z.enum(["http", "sse"]).describe("how it is spoken to"),
  url: httpAddress.describe("its address"),
  headers: headers.optional().describe("sent with every request; never returned"),
  timeoutMs: McpTimeoutSchema.optional().describe("how long it may take to answer first, where the agent can be told"),
})
export const McpServerSchema = z.union([McpProgramSchema, McpAddressSchema])
export type McpServer = z.infer<typeof McpServerSchema>
/** Names become parts of tools' names and of configurations: what not every agent could take there is none. */
export const McpNameSchema = z.string().regex(/^(?!__proto__$)[A-Za-z0-9_-]{1,64}$/, "1 to 64 of [A-Za-z0-9_-]")
export const McpSchema = z.record(McpNameSchema, McpServerSchema)
export type Mcp = z.infer<typeof McpSchema>
export const SkillNameSchema = z
  .string()
  .regex(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/, "1 to 64 of [a-z0-9], words joined by -")
export const SkillSchema = z
  .strictObject({
    name: SkillNameSchema.describe("as the agent calls it"),
    path: processText.min(1).optional().describe("its folder, or its SKILL.md"),
    content: z.string().optional().describe("text of its SKILL.md"),
  })
  .refine(({ path, content }) => (path === undefined) !== (content === undefined), {
    message: "either path or content is expected",
  })
export type Skill = z.infer<typeof SkillSchema>

export const CreateSessionSchema = z.strictObject({
  agent: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("agent id, such as `claude` or `mock`; default: that of the daemon (`--default-agent`)"),
  agentMode: name.optional().describe('what the agent does; default "build"'),
  permissionMode: PermissionModeSchema.optional().describe('what it may do without asking; default "default"'),
  model: name.optional().describe("as listed for the agent; default: the agent's own"),
  variant: name.optional().describe("effort of the model, as listed with it"),
  agentVersion: name
    .optional()
    .describe("exact version of the agent; default: the one that is installed, else the newest"),
  directory: z.string().min(1).max(4096).optional().describe("absolute; default: where the daemon runs"),
  title: title.optional().describe("for people"),
  mcp: McpSchema.optional().describe("MCP servers by name, beside those of the directory"),
  skills: z.array(SkillSchema).max(100).optional().describe("skills, beside those of the directory"),
  systemPrompt: z.string().max(limits.eventBytes).optional().describe("goes on top of the agent's own"),
  env: environment.optional().describe("variables of the agent, over those it sees of the daemon; never returned"),
  metadata: metadata.optional().describe("anything of yours; returned as it is"),
  nativeSessionId: processText.min(1).max(256).optional().describe("adopt a session the agent already has"),
})
/** With its agent decided. */
export type CreateSession = z.infer<typeof CreateSessionSchema> & { agent: string }

/** Where nothing is said the fork has what its parent has; with `agent` it begins with a brief of it. */
export const ForkSessionSchema = CreateSessionSchema.omit({ directory: true, nativeSessionId: true }).extend({
  id: SessionIdSchema.describe("of the new session"),
  atSequence: z.number().int().min(1).optional().describe("the fork stands at the last turn that had ended there"),
  agent: CreateSessionSchema.shape.agent.describe("goes on with this agent, which is told of the session in a brief"),
})
export type ForkSession = z.infer<typeof ForkSessionSchema>

export const PatchSessionSchema = z.strictObject({
  title: title.optional().describe("for people"),
  agentMode: name.optional().describe("what the agent does, as listed for it"),
  permissionMode: PermissionModeSchema.optional().describe("what the agent may do without asking"),
  model: name.optional().describe("as listed for the agent"),
  variant: name.optional().describe("effort of the model, as listed with it"),
  metadata: metadata.optional().describe("takes the place of what was there"),
})
export const CancelSchema = z.strictObject({
  queue: z.boolean().optional().describe("also withdraw what waits in the queue"),
  background: z.boolean().optional().describe("also end background work"),
})
/** For what takes no options yet. */
export const EmptySchema = z.strictObject({})
export type PatchSession = z.infer<typeof PatchSessionSchema>
export type Applied = z.infer<typeof AppliedSchema>
export type Session = z.infer<typeof SessionSchema>
