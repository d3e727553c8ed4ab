import { common, glibc, musl, perPlatform, same } from "../../install/platform-builds.ts"
import { modelProviders } from "../../registry/model-providers.ts"
import type { NativeAgent } from "../native-agent.ts"
import { discoverOpencode } from "./credentials.ts"

const opencodeKeys = [...glibc, ...musl, "linux-x64-baseline", "linux-x64-baseline-musl", "darwin-x64-baseline"]
const opencodeReleases = "anomalyco/opencode/releases/download/{tag}"
const zipped = { archive: "zip", path: `${opencodeReleases}/opencode-{platform}.zip` } as const

/** Everything about OpenCode beside how its driver speaks to it. */
export const opencode: NativeAgent = {
  id: "opencode",
  driver: async ({ programs }) => (await import("./driver.ts")).createOpencodeDriver({ programs }),
  isScripted: true,
  variables: ["OPENCODE_*", ...modelProviders],
  credentials: {
    discover: discoverOpencode,
    variable: "ANTHROPIC_API_KEY",
    login: "`opencode auth login`",
  },
  install: {
    ...common,
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
  },
}
