import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { typedProgram } from "../../src/install/programs.ts"
import { scratch } from "../harness/daemon.ts"

test("a program is named as a shell takes it, whatever its path has in it", () => {
  const folder = join(scratch(), "it's $HOME & more")
  mkdirSync(folder)
  const program = join(folder, "agent")
  writeFileSync(program, '#!/bin/sh\necho "ran $1 $BUN_BE_BUN"\n')
  chmodSync(program, 0o755)
  const typed = typedProgram({ installed: true, source: "managed", command: [program], env: { BUN_BE_BUN: "1" } })
  const { stdout } = Bun.spawnSync(["sh", "-c", `${typed} login`])
  expect(stdout.toString()).toBe("ran login 1\n")
})

test("it is empty while there is none, and left out where the name is enough", () => {
  expect(typedProgram({ installed: false })).toBe("")
  expect(typedProgram({ installed: true, source: "path", command: ["/usr/bin/agent"] })).toBeUndefined()
})
