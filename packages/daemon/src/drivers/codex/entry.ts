import { common } from "../../install/platform-builds.ts"
import type { NativeAgent } from "../native-agent.ts"
import { discoverCodex } from "./credentials.ts"

/** Static on Linux: one build for both kinds of libc. */
const codexTargets = {
  "linux-x64-static": "x86_64-unknown-linux-musl",
  "linux-arm64-static": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
}
const codexReleases = "openai/codex/releases/download/{tag}"

/** Everything about Codex beside how its driver speaks to it. */
export const codex: NativeAgent = {
  id: "codex",
  driver: async ({ programs, version }) => (await import("./driver.ts")).createCodexDriver({ programs, version }),
  isScripted: true,
  variables: ["OPENAI_*", "CODEX_*", "AWS_*", "RUST_LOG"],
  credentials: {
    discover: discoverCodex,
    variable: "OPENAI_API_KEY",
    login: "`codex login`",
  },
  install: {
    ...common,
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
  },
}
