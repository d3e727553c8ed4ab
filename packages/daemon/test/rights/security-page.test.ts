import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { root } from "../harness/daemon.ts"

test("every test that docs/security.mdx names is there", () => {
  const page = readFileSync(join(root, "docs/security.mdx"), "utf8")
  const named = [...page.matchAll(/`([a-z-]+\/[a-z-]*(?:\.test\.ts)?)`/g)].map(([, path = ""]) => path)
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((path) => !existsSync(join(root, "packages/daemon/test", path)))).toEqual([])
})
