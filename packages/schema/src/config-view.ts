import { z } from "zod"

const text = z.string()
const texts = z.record(text, text)
const shared = {
  enabled: z.boolean().nullish(),
  timeoutMs: z.number().int().nullish(),
  agents: z.array(text).nullish(),
}

export const LocalMcpSchema = z.object({
  type: z.literal("local"),
  command: text,
  args: z.array(text).optional(),
  cwd: text.nullish(),
  env: texts.nullish().describe("each value is `********`"),
  ...shared,
})

export const RemoteMcpSchema = z.object({
  type: z.literal("remote"),
  url: text,
  transport: text.nullish(),
  headers: texts.nullish().describe("each value is `********`"),
  envHeaders: texts.nullish().describe("names of variables"),
  bearerTokenEnvVar: text.nullish(),
  oauth: z.null().optional(),
  ...shared,
})

export const McpServerConfigSchema = z.discriminatedUnion("type", [LocalMcpSchema, RemoteMcpSchema])
export type McpServerConfig = z.infer<typeof McpServerConfigSchema>

export const McpServerListSchema = z.object({
  servers: z.array(z.object({ name: text, config: McpServerConfigSchema })),
})

export const SkillSourceViewSchema = z.object({
  type: text,
  source: text,
  ref: text.nullish(),
  subpath: text.nullish(),
  skills: z.array(text).nullish(),
  files: texts.nullish(),
})
export const SkillsConfigViewSchema = z.object({
  sources: z.array(SkillSourceViewSchema),
  agents: z.array(text).nullish(),
})
export const SkillsListSchema = z.object({
  entries: z.array(z.object({ name: text, config: SkillsConfigViewSchema })),
})
