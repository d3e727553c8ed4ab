import { execFileSync } from "node:child_process"
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Platform } from "../../src/install/platform.ts"
import { envWith, put } from "./programs.ts"
import { openTestInstaller, type TestInstaller } from "./test-installer.ts"

/** Pi as `npm install -g` leaves it: a link to a script of its package. Whoever runs the script leaves a line. */
async function installed(shop: TestInstaller, manifest: object): Promise<string> {
  const marks = join(shop.directory, "marks")
  const script = `#!/usr/bin/env node\nrequire("node:fs").appendFileSync(${JSON.stringify(marks)}, "x")\nconsole.log("9.9.9")\n`
  const file = await put(shop, "lib/node_modules/pi/dist/cli.js", script)
  // Of the kind that only says how its files are to be read.
  await writeFile(join(file, "../package.json"), '{ "type": "commonjs" }')
  await writeFile(
    join(file, "../../package.json"),
    JSON.stringify({ name: "pi", version: "1.2.3", bin: { pi: "dist/cli.js" }, ...manifest }),
  )
  await mkdir(join(shop.directory, "bin"))
  await symlink(file, join(shop.directory, "bin/pi"))
  return marks
}

const runs = async (marks: string): Promise<number> => (await readFile(marks, "utf8").catch(() => "")).length

/** Where nobody runs it for its version, and where it has to show that it runs. */
const cases: [string, object, { version: string; ran: boolean; bounds?: object; node?: string; part?: string }][] = [
  ["tells its version without being run", {}, { version: "1.2.3", ran: false }],
  ["is for this Node", { engines: { node: ">=22" } }, { version: "1.2.3", ran: false, node: "v22.3.0" }],
  ["is for a newer Node", { engines: { node: ">=22" } }, { version: "9.9.9", ran: true, node: "v20.1.0" }],
  ["needs no Node", { engines: { node: ">=9999" } }, { version: "1.2.3", ran: false }],
  ["has the part for this platform", parts(), { version: "1.2.3", ran: false, part: "pi-linux" }],
  ["lacks every part for a platform", parts(), { version: "9.9.9", ran: true }],
  ["is not a program of the package", { bin: "other.js" }, { version: "9.9.9", ran: true }],
  ["has no exact version", { version: "next" }, { version: "9.9.9", ran: true }],
  [
    "has a manifest that is too large",
    { long: "x".repeat(200) },
    { version: "9.9.9", ran: true, bounds: { metadataBytes: 200 } },
  ],
]

function parts(): object {
  return { optionalDependencies: { "pi-linux": "1.2.3", "pi-darwin": "1.2.3" } }
}

test.each(cases)("a script of a package that %s", async (_, manifest, { version, ran, bounds, node, part }) => {
  await using shop = await openTestInstaller()
  const marks = await installed(shop, manifest)
  if (part !== undefined) await put(shop, `lib/node_modules/${part}/package.json`, "{}")
  // One that says which version it is, and runs scripts as the runtime of this test does.
  if (node !== undefined)
    await put(
      shop,
      "node/node",
      `#!/bin/sh\n[ "$1" = --version ] && echo ${node} && exit\nexec '${process.execPath}' "$@"\n`,
    )
  const folders = [join(shop.directory, "bin"), ...(node === undefined ? [] : [join(shop.directory, "node")])]
  const env = node === undefined ? { PATH: folders[0] } : envWith(...folders)
  const installer = shop.another({ env, bounds: { versionListMs: 60_000, ...bounds } })
  expect(await installer.locate("pi", undefined, "skip")).toMatchObject({ installed: true, version })
  expect(await runs(marks)).toBe(ran ? 1 : 0)
})

const here: Platform = { os: "linux", arch: "x64", libc: "glibc" }
const build = { name: "pi-linux-x64", version: "1.2.3", os: ["linux"], cpu: ["x64"] }

/** Whose word is taken for a program proper: npm has one package for each platform. */
const builds: [string, object, Partial<Platform>, "1.2.3" | "9.9.9"][] = [
  ["is for this platform", build, {}, "1.2.3"],
  ["says for which libc it is", { ...build, libc: ["glibc"] }, {}, "1.2.3"],
  ["is for musl, by its name", { ...build, name: "pi-linux-x64-musl" }, { libc: "musl" }, "1.2.3"],
  ["is for another libc", { ...build, libc: ["musl"] }, {}, "9.9.9"],
  ["is for another libc, by its name", { ...build, name: "pi-linux-x64-musl" }, {}, "9.9.9"],
  ["is for glibc, by its silence", build, { libc: "musl" }, "9.9.9"],
  ["is for another system", { ...build, os: ["darwin"] }, {}, "9.9.9"],
  ["is for another processor", { ...build, cpu: ["arm64"] }, {}, "9.9.9"],
  ["may be for a newer processor", build, { baseline: true }, "9.9.9"],
  ["is for every platform", { name: "pi", version: "1.2.3" }, {}, "9.9.9"],
  ["has the platform behind its version", { ...build, version: "1.2.3-linux-x64" }, {}, "9.9.9"],
]

test.each(builds)("a program of a package that %s", async (_, manifest, platform, version) => {
  await using shop = await openTestInstaller()
  const marks = join(shop.directory, "marks")
  const file = await put(shop, "lib/node_modules/pi-linux/bin/pi", `#!/bin/sh\nprintf x >> ${marks}\necho 9.9.9\n`)
  await writeFile(join(file, "../../package.json"), JSON.stringify(manifest))
  await mkdir(join(shop.directory, "bin"))
  await symlink(file, join(shop.directory, "bin/pi"))
  const env = { PATH: `${join(shop.directory, "bin")}:${process.env.PATH}` }
  const installer = shop.another({ env, platform: { ...here, ...platform }, bounds: { versionListMs: 60_000 } })
  expect(await installer.locate("pi", undefined, "complete")).toMatchObject({ installed: true, version })
  expect(await runs(marks)).toBe(version === "9.9.9" ? 1 : 0)
})

test("a pipe in the place of a manifest holds nobody up", async () => {
  await using shop = await openTestInstaller()
  const marks = await installed(shop, {})
  const manifest = join(shop.directory, "lib/node_modules/pi/package.json")
  await rm(manifest)
  execFileSync("mkfifo", [manifest])
  const installer = shop.another({ env: { PATH: join(shop.directory, "bin") }, bounds: { versionListMs: 60_000 } })
  expect(await installer.locate("pi", undefined, "skip")).toMatchObject({ installed: true, version: "9.9.9" })
  expect(await runs(marks)).toBe(1)
})
