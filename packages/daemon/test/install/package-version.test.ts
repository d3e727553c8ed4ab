import { execFileSync } from "node:child_process"
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
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
