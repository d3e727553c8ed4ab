import { z } from "zod"
import { configLimits } from "./config-limits.ts"
import { MetadataSchema } from "./json.ts"
import { environment, processText } from "./process-text.ts"
import { headers, httpAddress, McpTimeoutSchema, SkillNameSchema } from "./session.ts"

/** Stands for a secret in what is answered; sent back, it means the value that is stored. */
export const hiddenValue = "********"

const agents = z
  .array(z.string().min(1).max(128))
  .min(1)
  .max(64)
  .nullish()
  .describe("only for sessions of these agents; default: of all")
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not a name of an environment variable")
const withoutLogin = (address: string) => !/^[a-z]+:\/\/[^/?#]*@/i.test(address)
const noLogin = { message: "names a login, which would be shown: give it as a header" }

/** `null` is the same as nothing everywhere here: the public SDK allows it. */
const shared = {
  enabled: z.boolean().nullish().describe("false keeps it out of sessions"),
  timeoutMs: McpTimeoutSchema.nullish().describe(
    "how long it may take to start; 501 at create where an agent cannot be told",
  ),
  agents,
}

export const LocalMcpConfigSchema = z.strictObject({
  type: z.literal("local").describe("a program that the agent starts"),
  command: processText.min(1).describe("found on PATH unless it has a slash"),
  args: z.array(processText).optional().describe("its arguments"),
  cwd: processText.min(1).max(4096).nullish().describe("relative to the directory; default: the directory"),
  env: environment.nullish().describe("values are never returned"),
  ...shared,
})

export const RemoteMcpConfigSchema = z.strictObject({
  type: z.literal("remote").describe("a server at an address"),
  url: httpAddress.refine(withoutLogin, noLogin).describe("http or https, without a login in it"),
  transport: z.string().nullish().describe('"http" (default) or "sse"'),
  headers: headers.nullish().describe("values are never returned"),
  envHeaders: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "not a name of a header"), variable)
    .nullish()
    .describe("headers whose values are those of variables when a session is created"),
  bearerTokenEnvVar: variable.nullish().describe("the variable with the token for `Authorization: Bearer`"),
  oauth: MetadataSchema.nullish().describe("not supported: 501"),
  ...shared,
})

export const McpConfigSchema = z.discriminatedUnion("type", [LocalMcpConfigSchema, RemoteMcpConfigSchema])
export type McpConfig = z.infer<typeof McpConfigSchema>

/** Of an entry that holds sources of skills; it is no skill itself. */
export const ConfigNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "1 to 64 of [A-Za-z0-9._-]")

const below = processText
  .min(1)
  .max(1024)
  .refine(
    (path) => !path.startsWith("/") && !path.split("/").some((part) => part === "" || part === "." || part === ".."),
    {
      message: "a path below the source is expected, without . and ..",
    },
  )

export const SkillSourceSchema = z.strictObject({
  type: z
    .string()
    .describe('"local": a folder; "git": a repository; "github": one of GitHub, as owner/name; "inline": `files`'),
  source: processText.min(1).max(4096).describe("the folder, the address, owner/name, or the name of the inline skill"),
  ref: z
    .string()
    .max(256)
    .regex(/^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/+@-]*$/, "a branch, tag or commit is expected")
    .nullish()
    .describe("branch, tag or commit of a repository; default: its own default branch"),
  subpath: below.nullish().describe("where in the source to look"),
  skills: z.array(SkillNameSchema).min(1).max(100).nullish().describe("only these; default: all that are there"),
  files: z
    .record(below, z.string())
    .refine((files) => Object.keys(files).length <= configLimits.inlineFiles, {
      message: `more than ${configLimits.inlineFiles} files`,
    })
    .nullish()
    .describe("of an inline skill: texts by path, SKILL.md among them; one that begins with #! can be run"),
})
export type SkillSource = z.infer<typeof SkillSourceSchema>

export const SkillsConfigSchema = z.strictObject({
  sources: z.array(SkillSourceSchema).min(1).max(configLimits.sources).describe("where the skills are looked for"),
  agents,
})
export type SkillsConfig = z.infer<typeof SkillsConfigSchema>

export const ConfigDirectorySchema = processText.min(1).max(4096).describe("absolute; the directory of sessions")
