import { common, glibc, musl, perPlatform, same } from "../../install/platform-builds.ts"
import type { Variables } from "../../supervisor/environment.ts"
import type { NativeAgent } from "../native-agent.ts"
import { discoverClaude } from "./credentials.ts"

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

/** Everything about Claude Code beside how its driver speaks to it. */
export const claude: NativeAgent = {
  id: "claude",
  driver: async ({ programs }) => (await import("./driver.ts")).createClaudeDriver({ programs }),
  isScripted: true,
  variables: ["ANTHROPIC_*", "CLAUDE_*", ...clouds, ...claudeSettings],
  credentials: {
    discover: discoverClaude,
    variable: "ANTHROPIC_API_KEY",
    login: "`claude auth login`",
    variablesFor: ({ kind }) => [
      { api_key: "ANTHROPIC_API_KEY", auth_token: "ANTHROPIC_AUTH_TOKEN", oauth: "CLAUDE_CODE_OAUTH_TOKEN" }[kind],
    ],
  },
  install: {
    ...common,
    binary: "claude",
    tested: "2.1.325",
    versionEnv: { DISABLE_AUTOUPDATER: "1" },
    // The wrapper package needs its install script; the platform package is the program itself.
    npm: [
      {
        runtime: "native",
        builds: perPlatform([...glibc, ...musl], (platform) => ({
          name: `@anthropic-ai/claude-code-${platform}`,
          path: "claude",
        })),
      },
    ],
    vendor: {
      base: "claude",
      address:
        "https://storage.googleapis.com/claude-code-dist-86c565f3-f756-42ad-8dfa-d59b1c096819/claude-code-releases",
      latest: { kind: "text", path: "latest" },
      layouts: [
        {
          platforms: same([...glibc, ...musl]),
          path: "{version}/{platform}/claude",
          archive: "raw",
          program: "claude",
          digest: { kind: "manifest", path: "{version}/manifest.json" },
        },
      ],
    },
  },
}
