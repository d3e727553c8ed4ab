import { common, glibc, same } from "../../install/platform-builds.ts"
import { modelProviders } from "../../registry/model-providers.ts"
import type { NativeAgent } from "../native-agent.ts"
import { discoverPi } from "./credentials.ts"

/** Everything about Pi beside how its driver speaks to it. */
export const pi: NativeAgent = {
  id: "pi",
  driver: async ({ programs }) => (await import("./driver.ts")).createPiDriver({ programs }),
  isScripted: true,
  variables: ["PI_*", ...modelProviders],
  credentials: {
    discover: discoverPi,
    variable: "ANTHROPIC_API_KEY",
    login: "`pi`, where you type `/login`",
    variablesFor: ({ provider, kind }) =>
      provider === "anthropic" && kind === "oauth" ? ["ANTHROPIC_OAUTH_TOKEN"] : undefined,
  },
  install: {
    ...common,
    binary: "pi",
    tested: "0.87.1",
    // Before it a message that waits in Pi cannot be taken back.
    supported: { from: "0.85.1" },
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
  },
}
