import type { DirectoryConfig } from "../../core/config/directory-config.ts"
import { assertMayStart } from "../../core/rights.ts"
import type { Handlers } from "../http/router.ts"
import type { Services } from "../services.ts"

type ConfigHandlers = Pick<
  Handlers,
  "getMcpConfig" | "setMcpConfig" | "deleteMcpConfig" | "getSkillsConfig" | "setSkillsConfig" | "deleteSkillsConfig"
>

/** Everything behind these is loaded when it is first asked for. */
export function configHandlers({ config, log, clients }: Services): ConfigHandlers {
  /** What is configured runs in later sessions: agents have no say in it. */
  const change = async (request: Request, work: (all: DirectoryConfig) => Promise<void>) => {
    await assertMayStart({ log }, "change the config of a directory", clients.of(request))
    await work(await config())
    return new Response(null, { status: 204 })
  }
  return {
    getMcpConfig: async ({ query }) => (await config()).mcp(query.directory, query.mcpName),
    setMcpConfig: ({ query, body, request }) =>
      change(request, (all) => all.setMcp(query.directory, query.mcpName, body)),
    deleteMcpConfig: ({ query, request }) => change(request, (all) => all.deleteMcp(query.directory, query.mcpName)),
    getSkillsConfig: async ({ query }) => (await config()).skills(query.directory, query.skillName),
    setSkillsConfig: ({ query, body, request }) =>
      change(request, (all) => all.setSkills(query.directory, query.skillName, body)),
    deleteSkillsConfig: ({ query, request }) =>
      change(request, (all) => all.deleteSkills(query.directory, query.skillName)),
  }
}
