import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isExactVersion, wantedVersion } from "@sandbox-agent/schema/exact-version"
import { expect, test } from "vitest"
import { bases } from "../../src/install/bases.ts"
import { scrub } from "../../src/install/failure.ts"
import { mirrorsFrom } from "../../src/install/mirrors.ts"
import { npmTarget } from "../../src/install/npm.ts"
import type { Platform } from "../../src/install/platform.ts"
import { installTable } from "../../src/registry/installable.ts"
import { root } from "./test-installer.ts"

const platforms: Platform[] = (["x64", "arm64"] as const).flatMap((arch) => [
  { os: "linux", arch, libc: "glibc" },
  { os: "linux", arch, libc: "musl" },
  { os: "darwin", arch },
])

test("every agent can be had on every platform from one source at least, with a tested version", () => {
  for (const entry of installTable.values()) {
    expect(isExactVersion(entry.tested)).toBe(true)
    for (const platform of platforms) {
      const ways = entry.npm.filter((one) => {
        try {
          return npmTarget(one, platform, "1.0.0").name !== ""
        } catch {
          return false
        }
      })
      expect(ways.length, `${entry.agent} on ${JSON.stringify(platform)}`).toBeGreaterThan(0)
    }
  }
})

test("codex takes the same static build for both kinds of libc, under the version of its platform", () => {
  const [source] = installTable.get("codex")?.npm ?? []
  if (!source) throw new Error("no codex")
  const target = npmTarget(source, { os: "linux", arch: "x64", libc: "musl" }, "0.166.0")
  expect(target).toMatchObject({ name: "@openai/codex", spec: "0.166.0-linux-x64", version: "0.166.0" })
  expect(target.program).toEqual({ path: "vendor/x86_64-unknown-linux-musl/bin/codex" })
})

test("no registry is named in our code, and vendors only in the entries of agents and among the bases", () => {
  const folder = join(root, "packages/daemon/src/install")
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), "utf8")
    expect(text, name).not.toMatch(/registry\.[a-z]+\.(?:org|com)|npmjs|npmmirror/)
    if (name !== "bases.ts")
      expect(text.replace(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, ""), name).not.toMatch(/https?:\/\/[a-z]/)
  }
})

test.each([
  ["1.2.3", "1.2.3"],
  ["v1.2.3", "1.2.3"],
  ["0.0.1777897475-g2324e1", "0.0.1777897475-g2324e1"],
  ["latest", undefined],
])("version %s is understood", (given, wanted) => expect(wantedVersion("x", given)).toBe(wanted))

test.each([
  "",
  "1",
  "../1.2.3",
  "1.2.3/../..",
  "npm:evil@1.0.0",
  "git+ssh://host/x",
  "^1.2.3",
  "1.2.3 --registry x",
  `1.2.3-${"a".repeat(200)}`,
  "--help",
])("version %j is refused", (given) => expect(() => wantedVersion("x", given)).toThrow(/is not an exact version/))

test("mirrors come from the environment", () => {
  expect(mirrorsFrom({ SANDBOX_AGENT_MIRROR_GITHUB_API: "http://m/api", SANDBOX_AGENT_MIRROR_CLAUDE: "" })).toEqual({
    githubApi: "http://m/api",
  })
  expect(Object.keys(bases)).toEqual(["github", "githubApi", "claude", "amp"])
})

test.each([
  ["GET https://bob:pw@host/x - 401", "GET https://***@host/x - 401"],
  ["https://host/file?X-Signature=abc&y=1 failed", "https://host/file?… failed"],
  ["//host/:_authToken=npm_abc123", "//host/:_authToken=***"],
  ["Authorization: Bearer abc.def", "Authorization: Bearer ***"],
])("scrubbed: %s", (text, clean) => expect(scrub(text)).toBe(clean))
