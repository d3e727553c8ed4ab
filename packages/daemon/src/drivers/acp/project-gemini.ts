import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Json } from "../shared/json.ts"
import type { Distrust, Place } from "./project.ts"
import { isHome, keysIn, settingsOf, variablesOf } from "./project-settings.ts"

const TRUST = "GEMINI_CLI_TRUST_WORKSPACE"

/**
 * Gemini CLI trusts a folder or it does not: in one that it does not trust it reads no GEMINI.md and starts no MCP
 * servers either. So only a repository that brings something is distrusted.
 */
export const gemini: Distrust = {
  async brings(place) {
    if (await isHome(place.directory, place.environment)) return []
    const found = await Promise.all([
      settingsOf(place, join(".gemini", "settings.json"), powersOf),
      variablesOf(place, ".gemini", isObeyed),
      filled(place, join(".gemini", "policies")),
      filled(place, join(".gemini", "extensions")),
    ])
    return found.flat()
  },
  env: async (brings): Promise<Record<string, string>> => (brings ? { [TRUST]: "false" } : {}),
  trustedBy: TRUST,
  more: ", and with them GEMINI.md, skills and agents of the project and all MCP servers: this agent has no other way",
}

/** They run nothing and allow nothing. Whatever else there is, also in later versions, counts. */
const harmless: ReadonlySet<string> = new Set([
  ...["$schema", "ui", "context.fileName", "context.importFormat", "context.includeDirectoryTree"],
  ...["context.discoveryMaxDirs", "context.fileFiltering", "model.name", "model.maxSessionTurns"],
  ...["model.compressionThreshold", "model.summarizeToolOutput", "general.vimMode", "general.preferredEditor"],
  ...["mcp.excluded", "tools.exclude", "tools.useRipgrep", "tools.truncateToolOutputThreshold", "skills.disabled"],
])

const powersOf = (settings: Json): string[] =>
  Object.keys(settings)
    .filter((section) => !harmless.has(section))
    .flatMap((section) => keysIn(settings, section))
    .filter((key) => !harmless.has(key))

/** Those it takes also where it trusts nothing, and the model. */
const free = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GEMINI_MODEL"]

/** What Gemini CLI, its runtime, or what it starts by itself goes by. Others are for the project's own programs. */
const obeyed = new RegExp(
  [
    "^(GEMINI|GOOGLE|GCLOUD|CLOUD|CODE_ASSIST|CLOUDSDK|OTEL|OAUTH|ANTIGRAVITY|IDE|VSCODE|SANDBOX|SEATBELT|BUILD_SANDBOX)",
    "^(NODE|BUN|NPM|UV|V8|SSL|LD|DYLD|GIT|SSH|XDG|BASH|ZDOTDIR|ENV$|IFS$|PS4$|SHELL|HOME|PATH|TMP|TEMP|DOCKER|PODMAN)",
    "^(EDITOR|VISUAL|PAGER|TERM|RIPGREP|DEBUG|PROMPT_COMMAND)|PROXY",
  ].join("|"),
  "i",
)

const isObeyed = (name: string): boolean => obeyed.test(name) && !free.includes(name)

async function filled({ directory }: Place, name: string): Promise<string[]> {
  const found = await readdir(join(directory, name)).catch(() => [])
  return found.length === 0 ? [] : [name]
}
