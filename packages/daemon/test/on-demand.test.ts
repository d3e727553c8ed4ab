import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { expect, test } from "vitest"
import { root } from "./harness/daemon.ts"

const scanner = new Bun.Transpiler({ loader: "ts" })

/** Files of ours that are loaded with one, types and what is imported on demand left out. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const { kind, path } of scanner.scanImports(readFileSync(file, "utf8"))) {
    if (kind !== "import-statement") continue
    const ours = /^@sandbox-agent\/schema\/(.+)$/.exec(path)?.[1]
    if (ours !== undefined) loadedWith(join(root, "packages/schema/src", `${ours}.ts`), seen)
    else if (path.startsWith(".") && path.endsWith(".ts")) loadedWith(join(dirname(file), path), seen)
  }
  return seen
}

test("a daemon that only serves makes no schemas: neither those of its answers nor those of what it is asked", () => {
  const files = [
    "main.ts",
    "cli/cli.ts",
    "cli/print.ts",
    "cli/commands.ts",
    "cli/command.ts",
    "cli/server.ts",
    "daemon.ts",
  ]
  const seen = new Set<string>()
  for (const file of files) loadedWith(join(root, "packages/daemon/src", file), seen)
  const loaded = [...seen]
  expect(loaded.map((file) => relative(root, file))).toContain("packages/schema/src/contract/on-demand.ts")
  expect(loaded.length).toBeGreaterThan(100)
  const imports = (file: string) => scanner.scanImports(readFileSync(file, "utf8")).map(({ path }) => path)
  const making = loaded.filter((file) => imports(file).includes("zod"))
  expect(making.map((file) => relative(root, file))).toEqual([])
})

test("what serves the config of directories is loaded when it is first asked for, or a directory has one", () => {
  const loaded = [...loadedWith(join(root, "packages/daemon/src/daemon.ts"))].map((file) => relative(root, file))
  expect(loaded).toContain("packages/daemon/src/faces/universal/config.ts")
  const shown = loaded.filter((file) => file.includes("daemon/src/core/config/"))
  expect(shown).toEqual(["packages/daemon/src/core/config/applied.ts"])
})

test("what serves processes is loaded when the first is asked for", () => {
  const loaded = [...loadedWith(join(root, "packages/daemon/src/daemon.ts"))].map((file) => relative(root, file))
  const shown = /daemon\/src\/(host\/processes\/|faces\/universal\/(run-stream|process-logs|terminal-socket))/
  expect(loaded).toContain("packages/daemon/src/faces/universal/processes.ts")
  expect(loaded.filter((file) => shown.test(file))).toEqual([])
})
