import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { decides } from "../../../src/drivers/shared/place-of.ts"
import { realPath } from "../../../src/files/confinement.ts"
import { scratch } from "../../harness/daemon.ts"

/** A workspace whose `.of/rules` decides. */
function workspace() {
  const directory = scratch()
  const deciding = { name: /\/\.of\/rules$/iu, files: async () => [join(directory, ".of", "rules")] }
  return {
    link: (to: string, name: string) => symlinkSync(to, join(directory, name)),
    folder: (name: string) => mkdirSync(join(directory, name), { recursive: true }),
    file: (name: string) => writeFileSync(join(directory, name), ""),
    path: (name: string) => join(directory, name),
    /** Which of these names stand for it. */
    deciding: async (...names: string[]) => {
      const found = await Promise.all(names.map((name) => decides(name, directory, deciding)))
      return names.filter((_, n) => found[n])
    },
  }
}

test.each(["there", "yet to be made"])("a file that is %s is known by every name", async (state) => {
  const { link, folder, file, path, deciding } = workspace()
  folder(".of")
  folder("deep/er")
  if (state === "there") file(".of/rules")
  link(".of", "folder")
  link(".of/rules", "file")
  link("file", "of-a-link")
  link("..", "deep/up")
  link("deep/er", "down")
  const names = [
    ...[".of/rules", "./.of/../.of/rules", "deep/../.of/rules", ".OF/Rules", ".of/rule\u017f", path(".of/rules")],
    ...["folder/rules", "file", "of-a-link", "deep/up/.of/rules", "deep/up/folder/rules", path("folder/rules")],
    // Whoever follows the link first comes out in another folder.
    ...["down/../../.of/rules", "down/../.of/rules"],
  ]
  expect(await deciding(...names)).toEqual(names)
  expect(await deciding("rules", "folder", ".of/other", "deep/er/rules", "down/../none", "folder/more/rules")).toEqual(
    [],
  )
})

test("a folder that is a link has two names, of which neither hides the other", async () => {
  const { link, folder, deciding } = workspace()
  folder("kept")
  link("kept", ".of")
  expect(await deciding(".of/rules", "kept/rules", "KEPT/RULES", "kept/other")).toEqual([
    ".of/rules",
    "kept/rules",
    "KEPT/RULES",
  ])
})

test("links that lead nowhere, and in a circle, lead somewhere in the end", async () => {
  const { link, path, folder, deciding } = workspace()
  link(".of", "folder")
  link("b", "a")
  link("a/x", "b")
  link("far/../.of/rules", "unmade")
  expect(await deciding("folder/rules", "a", "b/rules", "unmade")).toEqual(["folder/rules", "unmade"])
  folder("c")
  for (let n = 0; n < 60; n++) link(`c${n + 1}`, `c${n}`)
  // Nobody follows so many.
  expect(await realPath(path("c0"))).toBe(path("c40"))
})
