import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { shellWord } from "@sandbox-agent/schema/shell-word"
import type { Host } from "../../core/driver.ts"
import { shortHash } from "../shared/launcher.ts"
import { ownProgram } from "../shared/own-program.ts"

/** Beyond it no socket can have a name, on any system of ours. */
const SOCKET_PATH_BYTES = 103

/** Where the delegate program of a session and its socket are. */
export interface DelegateFiles {
  program: string
  socket: string
  remove(): void
}

/**
 * Beside the sessions, named by a hash: a socket cannot have a long name, and in the name of a delegate Amp takes `~` and
 * `%` for something else. A data directory that leaves no room for that has it among the temporary files.
 */
export function makeDelegateFiles(
  sessionId: string,
  self: readonly string[],
  host: Pick<Host, "home" | "asAgent">,
): DelegateFiles {
  const name = shortHash(sessionId)
  const usual = join(host.home, "asks")
  const fits = Buffer.byteLength(join(usual, `${name}.sock`)) <= SOCKET_PATH_BYTES && !/[~%]/.test(usual)
  return host.asAgent(() => {
    const folder = fits ? usual : mkdtempSync(join(tmpdir(), "amp-"))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    const [program, socket] = [join(folder, name), join(folder, `${name}.sock`)]
    // Made anew: what somebody put there is not written to.
    rmSync(program, { recursive: true, force: true })
    writeFileSync(program, script([...ownProgram(self, "amp"), socket]), { mode: 0o700, flag: "wx" })
    const remove = () => host.asAgent(() => rmSync(fits ? program : folder, { recursive: true, force: true }))
    return { program, socket, remove }
  })
}

/** Amp starts it without a word: the script knows whom to ask. What makes our executable the runtime of Amp itself ends here. */
const script = (words: readonly string[]): string =>
  `#!/bin/sh\nunset BUN_BE_BUN\nexec ${words.map(shellWord).join(" ")}\n`
