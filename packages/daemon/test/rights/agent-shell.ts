import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import type { TestDaemon } from "../harness/daemon.ts"
import { until } from "../supervisor/processes.ts"

/** Ways to run a script `$SCRIPT` from an agent's shell; after the first it keeps less and less of where it came from. */
export const ways: Record<string, string> = {
  "in the agent's shell": "sh $SCRIPT",
  "in a session of its own, without its environment": "setsid env -i PATH=$PATH sh $SCRIPT",
  "forked twice, its parents gone": `setsid env -i PATH=$PATH sh -c "setsid sh $SCRIPT & exec sleep 0" &`,
  "without any mark, its parents gone": `setsid env -i PATH=$PATH bash -c "ulimit -S -x unlimited; (setsid sh $SCRIPT &) ; exit" &`,
}

/** Runs a script in the shell of a session's agent, one of the ways, and returns what it wrote. */
export async function inShell(
  { api, dataDir }: TestDaemon,
  id: string,
  script: string,
  way = "sh $SCRIPT",
): Promise<string> {
  const folder = mkdtempSync(join(dataDir, "shell-"))
  chmodSync(folder, 0o777)
  const [file, draft, output] = ["script", "draft", "output"].map((name) => join(folder, name)) as [
    ...[string, string, string],
  ]
  writeFileSync(file, `exec >${draft} 2>&1\n( ${script}\n)\nmv ${draft} ${output}\n`)
  writeFileSync(`${file}.sh`, way.replaceAll("$SCRIPT", file))
  await api.turn(id, `/run sh ${file}.sh`)
  await until(() => existsSync(output), `the end of a script ${way}`)
  const written = readFileSync(output, "utf8")
  renameSync(output, `${output}.read`)
  return written
}

/** The command line of the product, for a shell. */
export const words = (...args: string[]): string => [...daemonProgram(), ...args].map((word) => `'${word}'`).join(" ")
