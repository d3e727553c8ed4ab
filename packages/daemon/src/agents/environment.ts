/** What a child may see of the daemon's own environment. Everything else stays with the daemon. */
const names = new Set([
  ...[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "TZ",
    "TMPDIR",
    "IS_SANDBOX",
  ],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO"],
  ...["GITHUB_TOKEN", "GH_TOKEN", "SSH_AUTH_SOCK"],
  // Where toolchains live in the usual container images: without these an agent cannot build what it edits.
  ...["CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT", "JAVA_HOME", "NVM_DIR", "BUN_INSTALL", "PNPM_HOME"],
  ...["VOLTA_HOME", "DENO_DIR", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "GEM_HOME"],
])

const prefixes = [
  ...["LC_", "XDG_", "SSL_CERT_", "npm_config_"],
  ...["ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_", "OPENCODE_", "AMP_", "CURSOR_", "PI_"],
  ...["GEMINI_", "GOOGLE_", "VERTEX_", "AWS_", "AZURE_"],
  ...["OPENROUTER_", "GROQ_", "XAI_", "MISTRAL_", "DEEPSEEK_", "CEREBRAS_", "TOGETHER_", "FIREWORKS_", "MOONSHOT_"],
  ...["KIMI_", "ZAI_", "MINIMAX_", "PERPLEXITY_", "COHERE_", "HF_", "OLLAMA_", "LMSTUDIO_", "LITELLM_", "AI_GATEWAY_"],
]

/** Set in every child and so in all it starts, whatever group or session they move to. */
export const cookieName = "SANDBOX_AGENT_COOKIE"
const tokenName = "SANDBOX_AGENT_TOKEN"

export function isAllowed(name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
}

/** The allow-listed part of `own`, then what was given, then the cookie; the daemon's token under no name of ours. */
export function childEnvironment(
  given: Readonly<Record<string, string>>,
  cookie: string,
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  // First in the block, so that a sweep finds it in the first bytes.
  const env: Record<string, string> = { [cookieName]: cookie }
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && isAllowed(name)) env[name] = value
  }
  for (const [name, value] of Object.entries(given)) {
    if (name !== tokenName && name !== cookieName) env[name] = value
  }
  return env
}
