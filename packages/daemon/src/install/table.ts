import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { AgentEntry, BaseName } from "./entry.ts"

/** Vendors' own addresses, the only ones in our code. The registry's is known to the package manager alone. */
export const bases: Readonly<Record<BaseName, string>> = {
  claude: "https://storage.googleapis.com/claude-code-dist-86c565f3-f756-42ad-8dfa-d59b1c096819/claude-code-releases",
  github: "https://github.com",
  githubApi: "https://api.github.com",
  amp: "https://storage.googleapis.com/amp-public-assets-prod-0/cli",
}

const semver = /\d+\.\d+\.\d+(?:[-+][0-9A-Za-z][0-9A-Za-z.+-]*)?/
const versionCommands = [["--version"], ["version"], ["-V"]] as const
const common = { versionCommands, versionPattern: semver }

/** `{platform}` filled in for each platform. */
function perPlatform<T>(keys: readonly string[], make: (platform: string) => T): Record<string, T> {
  return Object.fromEntries(keys.map((key) => [key, make(key)]))
}

const same = (keys: readonly string[]) => perPlatform(keys, (platform) => platform)
const glibc = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]
const musl = ["linux-x64-musl", "linux-arm64-musl"]

const claude: AgentEntry = {
  ...common,
  agent: "claude",
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
}

/** Static on Linux: one build for both kinds of libc. */
const codexTargets = {
  "linux-x64-static": "x86_64-unknown-linux-musl",
  "linux-arm64-static": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
}
const codexReleases = "openai/codex/releases/download/{tag}"

const codex: AgentEntry = {
  ...common,
  agent: "codex",
  binary: "codex",
  tested: "0.166.0",
  npm: [
    {
      runtime: "native",
      // The program finds its siblings (code-mode host, rg, bwrap) by its place: the folder stays as it is.
      builds: Object.fromEntries(
        Object.entries(codexTargets).map(([key, target]) => [
          key,
          {
            name: "@openai/codex",
            versionSuffix: `-${key.replace("-static", "")}`,
            path: `vendor/${target}/bin/codex`,
          },
        ]),
      ),
    },
  ],
  vendor: {
    base: "github",
    latest: { kind: "github", repository: "openai/codex", tagPrefix: "rust-v" },
    layouts: [
      {
        platforms: codexTargets,
        path: `${codexReleases}/codex-package-{platform}.tar.gz`,
        archive: "tar.gz",
        program: "bin/codex",
        digest: { kind: "sums", path: `${codexReleases}/codex-package_SHA256SUMS` },
      },
      {
        platforms: codexTargets,
        path: `${codexReleases}/codex-{platform}.tar.gz`,
        archive: "tar.gz",
        program: "codex-{platform}",
        digest: { kind: "github", repository: "openai/codex" },
      },
    ],
  },
}

const opencodeKeys = [...glibc, ...musl, "linux-x64-baseline", "linux-x64-baseline-musl", "darwin-x64-baseline"]
const opencodeReleases = "anomalyco/opencode/releases/download/{tag}"
const zipped = { archive: "zip", path: `${opencodeReleases}/opencode-{platform}.zip` } as const

const opencode: AgentEntry = {
  ...common,
  agent: "opencode",
  binary: "opencode",
  tested: "1.18.18",
  // From 2 on its server has other addresses and events; the vendor's newest release is one of these.
  supported: { from: "1.0.0", below: "2.0.0" },
  versionEnv: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  // The version is the platform package's own: the launcher's runs ahead of it on partial mirrors.
  npm: [
    {
      runtime: "native",
      builds: perPlatform(opencodeKeys, (platform) => ({ name: `opencode-${platform}`, path: "bin/opencode" })),
    },
  ],
  vendor: {
    base: "github",
    latest: { kind: "github", repository: "anomalyco/opencode", tagPrefix: "v" },
    layouts: [
      {
        platforms: same(opencodeKeys),
        path: `${opencodeReleases}/opencode-{platform}.tar.gz`,
        archive: "tar.gz",
        archiveOf: { "darwin-x64": zipped, "darwin-arm64": zipped, "darwin-x64-baseline": zipped },
        program: "opencode",
        digest: { kind: "github", repository: "anomalyco/opencode" },
      },
    ],
  },
}

const amp: AgentEntry = {
  ...common,
  agent: "amp",
  binary: "amp",
  tested: "0.0.1777897475-g2324e1",
  versionEnv: { AMP_SKIP_UPDATE_CHECK: "1" },
  npm: [
    {
      runtime: "native",
      builds: perPlatform(glibc, (platform) => ({ name: `@ampcode/cli-${platform}`, path: "amp" })),
    },
    // The last one in pure JavaScript: where there is no native build, as on musl.
    { runtime: "bun", script: { name: "@sourcegraph/amp", bin: "amp" }, only: "0.0.1777897475-g2324e1" },
  ],
  vendor: {
    base: "amp",
    latest: { kind: "text", path: "cli-version.txt" },
    layouts: [
      {
        platforms: same([...glibc, "linux-x64-baseline", "darwin-x64-baseline"]),
        path: "{version}/amp-{platform}",
        archive: "raw",
        program: "amp",
        digest: { kind: "sums", path: "{version}/{platform}-amp.sha256" },
      },
    ],
  },
}

const pi: AgentEntry = {
  ...common,
  agent: "pi",
  binary: "pi",
  tested: "0.87.1",
  versionEnv: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" },
  npm: [{ runtime: "bun", script: { name: "@earendil-works/pi-coding-agent", bin: "pi" } }],
  vendor: {
    base: "github",
    latest: { kind: "github", repository: "earendil-works/pi", tagPrefix: "v" },
    layouts: [
      {
        // The program reads its themes and pages beside itself: the folder stays as it is.
        platforms: same(glibc),
        path: "earendil-works/pi/releases/download/{tag}/pi-{platform}.tar.gz",
        archive: "tar.gz",
        program: "pi/pi",
        digest: { kind: "github", repository: "earendil-works/pi" },
      },
      {
        platforms: same(glibc),
        path: "earendil-works/pi/releases/download/{tag}/pi-{platform}",
        archive: "raw",
        program: "pi",
        digest: { kind: "github", repository: "earendil-works/pi" },
      },
    ],
  },
}

/** ACP adapters: JavaScript from the registry, no download of the vendor's. */
const adapter = (agent: string, tested: string): AgentEntry => ({
  ...common,
  agent,
  binary: agent,
  tested,
  npm: [{ runtime: "bun", script: { name: `@agentclientprotocol/${agent}`, bin: agent } }],
})

const entries = [
  ...[claude, codex, opencode, amp, pi],
  adapter("claude-agent-acp", "0.99.0"),
  adapter("codex-acp", "2.6.0"),
]

export const installTable: ReadonlyMap<string, AgentEntry> = new Map(entries.map((entry) => [entry.agent, entry]))

export function entryOf(table: ReadonlyMap<string, AgentEntry>, agent: string): AgentEntry {
  const entry = table.get(agent)
  if (entry) return entry
  const known = [...table.keys()].join(", ")
  throw new SandboxAgentError("unsupported_agent", `${agent} cannot be installed; these can: ${known}`, { agent })
}
