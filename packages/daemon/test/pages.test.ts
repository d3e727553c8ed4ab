import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { generatedPages } from "../../../scripts/pages.ts"
import { root } from "./harness/daemon.ts"

test.each(Object.entries(generatedPages))("%s is what the code says; if not, run `npm run docs`", (path, make) => {
  expect(readFileSync(join(root, path), "utf8") === make()).toBe(true)
})
