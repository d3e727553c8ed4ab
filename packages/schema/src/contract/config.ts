import { ConfigDirectorySchema, ConfigNameSchema, McpConfigSchema, SkillsConfigSchema } from "../config.ts"
import { McpNameSchema } from "../session.ts"
import { route } from "./route.ts"

const directory = ConfigDirectorySchema
const mcpName = McpNameSchema.describe("its name in sessions")
const skillName = ConfigNameSchema.describe("name of the entry")
const mcp = { path: "/v1/config/mcp", tag: "config" } as const
const skills = { path: "/v1/config/skills", tag: "config" } as const
const list = "Without a name all of the directory."
const stored = { answer: "none", status: 204 } as const

export const configRoutes = {
  getMcpConfig: route({
    id: "getMcpConfig",
    method: "GET",
    ...mcp,
    summary: "An MCP server configured for a directory",
    description: `${list} Values of variables and headers are \`********\`.`,
    query: { directory, mcpName: mcpName.optional() },
    answer: "json",
    status: 200,
    errors: ["not_found", "unavailable"],
    cli: ["config", "get-mcp"],
    cliArgument: "mcpName",
  }),
  setMcpConfig: route({
    id: "setMcpConfig",
    method: "PUT",
    ...mcp,
    summary: "Configure an MCP server for a directory",
    description:
      "For sessions created there from now on, with every agent; a server of the same name given at create wins. A value `********` stands for the one that is stored. Refused to a process of an agent (`permission_denied`).",
    query: { directory, mcpName },
    body: McpConfigSchema,
    bodyRequired: true,
    ...stored,
    errors: ["conflict", "not_supported", "unavailable"],
    cli: ["config", "set-mcp"],
    cliArgument: "mcpName",
  }),
  deleteMcpConfig: route({
    id: "deleteMcpConfig",
    method: "DELETE",
    ...mcp,
    summary: "Remove an MCP server from a directory",
    description: "Sessions that have it keep it. Refused to a process of an agent (`permission_denied`).",
    query: { directory, mcpName },
    ...stored,
    errors: ["not_found", "unavailable"],
    cli: ["config", "delete-mcp"],
    cliArgument: "mcpName",
  }),
  getSkillsConfig: route({
    id: "getSkillsConfig",
    method: "GET",
    ...skills,
    summary: "Skills configured for a directory",
    description: list,
    query: { directory, skillName: skillName.optional() },
    answer: "json",
    status: 200,
    errors: ["not_found", "unavailable"],
    cli: ["config", "get-skills"],
    cliArgument: "skillName",
  }),
  setSkillsConfig: route({
    id: "setSkillsConfig",
    method: "PUT",
    ...skills,
    summary: "Configure skills for a directory",
    description:
      "For sessions created there from now on; a skill of the same name given at create wins. A repository is fetched for the first session and kept as it was then: put the entry again to have it fetched anew. Nothing is written into the directory. Refused to a process of an agent (`permission_denied`).",
    query: { directory, skillName },
    body: SkillsConfigSchema,
    bodyRequired: true,
    ...stored,
    errors: ["conflict", "unavailable"],
    cli: ["config", "set-skills"],
    cliArgument: "skillName",
  }),
  deleteSkillsConfig: route({
    id: "deleteSkillsConfig",
    method: "DELETE",
    ...skills,
    summary: "Remove skills from a directory",
    description: "Sessions that have them keep them. Refused to a process of an agent (`permission_denied`).",
    query: { directory, skillName },
    ...stored,
    errors: ["not_found", "unavailable"],
    cli: ["config", "delete-skills"],
    cliArgument: "skillName",
  }),
}
