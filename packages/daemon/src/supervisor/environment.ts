/** Variables by their names: each a name, or the beginning of names with a `*` after it. */
export type Variables = readonly string[]

/** What every child may see of the daemon's own environment: what a program needs to work on this machine. */
export const everyChildSees: Variables = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "TZ", "TMPDIR"],
  ...["XDG_*", "IS_SANDBOX"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["SSL_CERT_*", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO"],
  // Where toolchains live in the usual container images: without these an agent cannot build what it edits.
  ...["CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT", "JAVA_HOME", "NVM_DIR", "BUN_INSTALL", "PNPM_HOME"],
  ...["VOLTA_HOME", "DENO_DIR", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "GEM_HOME", "npm_config_*"],
  // Credentials of the work, not of an agent: what is edited is fetched and pushed with them.
  ...["GITHUB_TOKEN", "GH_TOKEN", "SSH_AUTH_SOCK"],
]

/** Set in every child and so in all it starts, whatever group or session they move to. */
export const processTagVariable = "SANDBOX_AGENT_COOKIE"
const tokenName = "SANDBOX_AGENT_TOKEN"
const ours = "SANDBOX_AGENT_"

export const isAmong = (name: string, variables: Variables): boolean =>
  variables.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one))

/**
 * What a child sees: of our own environment what every child sees, and what was `declared` for it, then what was given. Nothing of
 * our own settings, whoever declares them, and the daemon's token under no name of ours.
 */
export function environmentOf(
  declared: Variables,
  given: Readonly<Record<string, string>>,
  daemonEnv: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(daemonEnv)) {
    if (value === undefined || name.startsWith(ours)) continue
    if (isAmong(name, everyChildSees) || isAmong(name, declared)) env[name] = value
  }
  for (const [name, value] of Object.entries(given)) {
    if (name !== tokenName && name !== processTagVariable) env[name] = value
  }
  return env
}

/** The tag is first in the block, so that a sweep finds it in the first bytes. */
export const withProcessTag = (env: Readonly<Record<string, string>>, processTag: string): Record<string, string> => ({
  [processTagVariable]: processTag,
  ...env,
})
