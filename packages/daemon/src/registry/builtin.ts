import { codexLimits } from "@sandbox-agent/schema/driver-limits"
import { type AcpTraits, type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import { modelProviders } from "./model-providers.ts"

interface Given extends AcpTraits {
  id: string
  name: string
  version?: string
  description: string
  distribution: RegistryEntry["distribution"]
  /** The agent that it is an adapter of: it logs in as that one does, and starts it. */
  adapts?: string
}

const entry = ({ id, name, version, description, distribution, adapts: _, ...traits }: Given): RegistryEntry => ({
  id,
  name,
  ...(version !== undefined && { version }),
  description,
  distribution,
  _meta: { "sandboxagent.dev": { versionArgs: ["--version"], ...traits } },
})

const npx = (name: string, ...args: string[]): RegistryEntry["distribution"] => ({ npx: { package: name, args } })

/** On PATH already: these come by installers of their own. */
const program = (cmd: string, ...args: string[]): RegistryEntry["distribution"] => ({ command: { cmd, args } })

/** Agents of the ACP registry that we know beyond their entry, in its format. The first four are proved by the suite. */
const given: readonly Given[] = [
  {
    id: "claude-agent-acp",
    adapts: "claude",
    name: "Claude Agent (ACP)",
    version: "0.99.0",
    description: "Claude Code behind its ACP adapter; the native driver is `claude`",
    distribution: npx("@agentclientprotocol/claude-agent-acp@0.99.0"),
    stability: "stable",
    sessions: "many",
    // Its own plan mode has a classifier decide what it cannot judge; ours refuses.
    modes: { ask: "default", hidden: ["plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"] },
    login: [{ env: "ANTHROPIC_API_KEY" }, { env: "CLAUDE_CODE_OAUTH_TOKEN" }, { file: ".claude/.credentials.json" }],
    env: { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "0" },
    // Else what its sub-agents say stays between them and the main one.
    clientMeta: { "subagent-transcript": true },
    // Permission mode bypass is decided by us; its own refuses to start for root.
    sessionMeta: { claudeCode: { options: { allowDangerouslySkipPermissions: false } } },
    capabilities: {
      ...{ images: true, mcpTools: true, models: true, modes: false, variants: true, steer: true },
      ...{ resume: true, fork: true, subagents: true, usage: true },
    },
  },
  {
    id: "codex-acp",
    adapts: "codex",
    name: "Codex (ACP)",
    version: "2.6.0",
    description: "Codex behind its ACP adapter; the native driver is `codex`",
    distribution: npx("@agentclientprotocol/codex-acp@2.6.0"),
    stability: "stable",
    sessions: "many",
    modes: { ask: "read-only", bypass: "agent-full-access", hidden: ["workspace-write", "agent"] },
    // Else it asks questions only in its plan mode, tries for ever to reach a model that is down, and has no plan.
    env: {
      CODEX_CONFIG: JSON.stringify({
        features: { default_mode_request_user_input: true, unbounded_connection_retries: false },
        tools: { update_plan: { enabled: true } },
        // Else a warning of the first of these features stands in some transcripts.
        suppress_unstable_features_warning: true,
      }),
    },
    // Else it takes a message before its MCP servers have started, and has none of their tools in that turn.
    sessionMeta: { mcpStartupAwaitTimeoutMs: codexLimits.mcpStartMs },
    modeOption: "collaboration_mode",
    login: [{ method: "api-key", env: "OPENAI_API_KEY" }, { env: "CODEX_API_KEY" }, { file: ".codex/auth.json" }],
    capabilities: {
      ...{ images: true, mcpTools: true, models: true, modes: true, variants: true, steer: true },
      ...{ resume: true, fork: true, usage: true },
    },
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    version: "0.61.0",
    description: "Google's coding agent",
    distribution: npx("@google/gemini-cli@0.61.0", "--acp"),
    stability: "stable",
    // Of several sessions at once in one process one did once not run its command where it should; and it cannot resume.
    sessions: "one",
    binary: "gemini",
    modes: { ask: "default", plan: "plan", hidden: ["autoEdit", "yolo"] },
    modeInWords: true,
    // In a folder that is not trusted it starts no MCP servers and reads no GEMINI.md: only where a repository would decide.
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    distrusts: "gemini",
    // It does not understand that a file it wants to write is not there yet, when it is us who say so.
    withhold: ["fs"],
    login: [
      { method: "gemini-api-key", env: "GEMINI_API_KEY" },
      { method: "vertex-ai", env: "GOOGLE_API_KEY" },
      { env: "GOOGLE_APPLICATION_CREDENTIALS" },
      { file: ".gemini/oauth_creds.json" },
    ],
    capabilities: {
      ...{ images: true, mcpTools: true, models: true, modes: false, usage: true },
      // It loads no session that it wrote itself: it says there are none.
      ...{ questions: false, plans: false, status: false, resume: false },
    },
    variables: ["GEMINI_*", "GOOGLE_*"],
  },
  {
    id: "qwen-code",
    name: "Qwen Code",
    version: "0.24.4",
    description: "Alibaba's coding agent for Qwen and OpenAI-compatible models",
    distribution: npx("@qwen-code/qwen-code@0.24.4", "--acp"),
    stability: "stable",
    sessions: "many",
    binary: "qwen",
    modes: { ask: "default", plan: "plan", hidden: ["auto-edit", "auto", "yolo"] },
    // Else it takes a message before its MCP servers have started, and has none of their tools in that turn.
    env: { QWEN_CODE_LEGACY_MCP_BLOCKING: "1" },
    distrusts: "qwen-code",
    login: [{ method: "openai", env: "OPENAI_API_KEY" }, { file: ".qwen/oauth_creds.json" }],
    capabilities: { images: true, mcpTools: true, models: true, modes: false, resume: true, usage: true },
    variables: ["QWEN_*", ...modelProviders],
  },
  {
    id: "github-copilot",
    name: "GitHub Copilot CLI",
    version: "1.0.102",
    description: "GitHub's coding agent",
    distribution: npx("@github/copilot@1.0.102", "--acp"),
    binary: "copilot",
    login: [{ env: "COPILOT_GITHUB_TOKEN" }, { env: "GH_TOKEN" }, { env: "GITHUB_TOKEN" }],
    variables: ["COPILOT_*"],
  },
  {
    id: "auggie",
    name: "Auggie CLI",
    version: "0.36.0",
    description: "Augment Code's agent",
    distribution: npx("@augmentcode/auggie@0.36.0", "--acp"),
    binary: "auggie",
    login: [{ env: "AUGMENT_SESSION_AUTH" }, { file: ".augment/session.json" }],
    variables: ["AUGMENT_*"],
  },
  {
    id: "kilo",
    name: "Kilo Code",
    version: "7.8.1",
    description: "Kilo's coding agent",
    distribution: npx("@kilocode/cli@7.8.1", "acp"),
    binary: "kilo",
    variables: ["KILO_*", ...modelProviders],
  },
  {
    id: "pi-acp",
    adapts: "pi",
    name: "Pi (ACP)",
    version: "0.0.34",
    description: "Pi behind its ACP adapter, with `pi` on PATH; the native driver is `pi`",
    distribution: npx("pi-acp@0.0.34"),
    versionArgs: undefined,
  },
  {
    id: "cline",
    name: "Cline",
    version: "3.0.65",
    description: "Cline's coding agent",
    distribution: npx("cline@3.0.65", "--acp"),
    binary: "cline",
    variables: ["CLINE_*", ...modelProviders],
  },
  {
    id: "qoder",
    name: "Qoder CLI",
    version: "1.1.52",
    description: "Qoder's coding agent",
    distribution: npx("@qoder-ai/qodercli@1.1.52", "--acp"),
    binary: "qodercli",
    variables: ["QODER_*"],
  },
  {
    id: "junie",
    name: "Junie",
    description: "JetBrains' coding agent",
    distribution: npx("@jetbrains/junie", "--acp=true"),
    binary: "junie",
    variables: ["JUNIE_*"],
  },
  {
    id: "kimi",
    name: "Kimi CLI",
    version: "1.9.0",
    description: "Moonshot AI's coding agent",
    distribution: { binary: kimiBuilds(["darwin-aarch64", "linux-aarch64", "linux-x86_64"]) },
    variables: ["KIMI_*", "MOONSHOT_*", "OPENAI_*"],
  },
  {
    id: "mistral-vibe",
    name: "Mistral Vibe",
    version: "2.0.2",
    description: "Mistral's coding agent",
    distribution: { binary: vibeBuilds(["darwin-aarch64", "darwin-x86_64", "linux-aarch64", "linux-x86_64"]) },
    login: [{ env: "MISTRAL_API_KEY" }],
    versionArgs: undefined,
    variables: ["MISTRAL_*", "VIBE_*"],
  },
  {
    id: "cursor",
    name: "Cursor",
    description: "Cursor's coding agent, by its own installer",
    distribution: program("cursor-agent", "acp"),
    login: [{ env: "CURSOR_API_KEY" }],
    variables: ["CURSOR_*"],
  },
  {
    id: "goose",
    name: "goose",
    description: "Block's coding agent, by its own installer",
    distribution: program("goose", "acp"),
    variables: ["GOOSE_*", ...modelProviders],
  },
]

export const builtinEntries: readonly RegistryEntry[] = given.map(entry)

/** Those that the suite has proved: it has a script for the model of each. */
export const provenEntries: readonly RegistryEntry[] = builtinEntries.filter(
  (one) => traitsOf(one).stability === "stable",
)

/** By the id of an adapter, that of the agent behind it. */
export const adapted: Readonly<Record<string, string>> = Object.fromEntries(
  given.flatMap(({ id, adapts }) => (adapts === undefined ? [] : [[id, adapts]])),
)

type Binary = NonNullable<RegistryEntry["distribution"]["binary"]>
type Built = keyof Binary

function kimiBuilds(platforms: readonly Built[]): Binary {
  const targets: Partial<Record<Built, string>> = {
    "darwin-aarch64": "aarch64-apple-darwin",
    "linux-aarch64": "aarch64-unknown-linux-gnu",
    "linux-x86_64": "x86_64-unknown-linux-gnu",
  }
  const archive = (target: string) =>
    `https://github.com/MoonshotAI/kimi-cli/releases/download/1.9/kimi-1.9-${target}.tar.gz`
  return Object.fromEntries(
    platforms.map((name) => [name, { archive: archive(targets[name] ?? name), cmd: "./kimi", args: ["acp"] }]),
  )
}

function vibeBuilds(platforms: readonly Built[]): Binary {
  const archive = (name: string) =>
    `https://github.com/mistralai/mistral-vibe/releases/download/v2.0.2/vibe-acp-${name}-2.0.2.zip`
  return Object.fromEntries(platforms.map((name) => [name, { archive: archive(name), cmd: "./vibe-acp" }]))
}
