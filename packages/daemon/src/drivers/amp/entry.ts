import { common, glibc, perPlatform, same } from "../../install/platform-builds.ts"
import type { NativeAgent } from "../native-agent.ts"
import { discoverAmp } from "./credentials.ts"

/** Everything about Amp beside how its driver speaks to it. */
export const amp: NativeAgent = {
  id: "amp",
  driver: async ({ programs, self }) => (await import("./driver.ts")).createAmpDriver({ programs, self }),
  ownProgram: async (words) => (await import("./delegate.ts")).runDelegate(words),
  isScripted: true,
  variables: ["AMP_*"],
  credentials: {
    discover: discoverAmp,
    variable: "AMP_API_KEY",
    provider: { name: "amp", variable: "AMP_URL", address: "https://ampcode.com" },
    login: "`amp login`",
    variablesFor: () => ["AMP_API_KEY"],
  },
  install: {
    ...common,
    binary: "amp",
    tested: "0.0.1777897475-g2324e1",
    // Before it no effort can be chosen. From the other on threads are the server's, efforts and modes others, and what asks was never tried.
    supported: { from: "0.0.1777897475", below: "0.0.1784106548" },
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
      address: "https://storage.googleapis.com/amp-public-assets-prod-0/cli",
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
  },
}
