import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import type { Variables } from "../supervisor/environment.ts"

/** Model providers: what an agent gets that lets its user choose among them. */
export const providers: Variables = [
  ...["ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "VERTEX_*", "AWS_*", "AZURE_*", "OPENROUTER_*", "GROQ_*"],
  ...["XAI_*", "MISTRAL_*", "DEEPSEEK_*", "CEREBRAS_*", "TOGETHER_*", "FIREWORKS_*", "MOONSHOT_*", "KIMI_*", "ZAI_*"],
  ...["MINIMAX_*", "PERPLEXITY_*", "COHERE_*", "HF_*", "DASHSCOPE_*", "NVIDIA_API_KEY", "OPENCODE_API_KEY"],
  ...["OLLAMA_*", "LMSTUDIO_*", "LITELLM_*", "AI_GATEWAY_*"],
]

/** Clouds that serve an agent's models under the cloud's own login. */
const clouds: Variables = [
  ...["AWS_*", "AZURE_*", "VERTEX_*", "CLOUD_ML_REGION"],
  ...["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_*"],
]

/** Settings of Claude Code that do not have its name in theirs. */
const claudeSettings: Variables = [
  ...["API_TIMEOUT_MS", "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "BASH_MAX_OUTPUT_LENGTH"],
  ...["MAX_THINKING_TOKENS", "MAX_MCP_OUTPUT_TOKENS", "MCP_TIMEOUT", "MCP_TOOL_TIMEOUT", "ENABLE_TOOL_SEARCH"],
  ...["DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_PROMPT_CACHING", "USE_BUILTIN_RIPGREP"],
]

/** Of agents with a driver of their own: login, providers, settings. One that is not here gets what all get. */
const native: Readonly<Record<string, Variables>> = {
  claude: ["ANTHROPIC_*", "CLAUDE_*", ...clouds, ...claudeSettings],
  codex: ["OPENAI_*", "CODEX_*", "AWS_*", "RUST_LOG"],
  opencode: ["OPENCODE_*", ...providers],
  amp: ["AMP_*"],
  pi: ["PI_*", ...providers],
}

/** Adapters are what they adapt: they log in as it does, and it is started by them. */
export const adapted: Readonly<Record<string, string>> = {
  "claude-agent-acp": "claude",
  "codex-acp": "codex",
  "pi-acp": "pi",
}

export const nativeVariables = (agent: string): Variables => native[agent] ?? []

/** Of an agent of the registry: what it logs in with, and what else its entry names. */
export function entryVariables(entry: RegistryEntry): Variables {
  const { login = [], variables = [] } = traitsOf(entry)
  const names = login.flatMap(({ env }) => (env === undefined ? [] : [env]))
  return [...nativeVariables(adapted[entry.id] ?? ""), ...names, ...variables]
}
