import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TestDaemon } from "../harness/daemon.ts"
import { until } from "../supervisor/processes.ts"

/** Writes its number down and stays. */
const hold = 'sh -c "echo \\$\\$ >$FILE; exec sleep 1000"'
const quoted = `sh -c "echo \\\\\\$\\\\\\$ >$FILE; exec sleep 1000"`.replaceAll('"', '\\"')

/** Ways out of an agent, run by its shell: none of them keeps the agent's group, parent or environment. */
export const waysOut: Record<string, string> = {
  "setsid env -i": `setsid env -i ${hold} &`,
  "forked twice": `setsid env -i sh -c "setsid ${quoted} & exec sleep 0" &`,
  "under another name": `setsid env -i bash -c "echo \\$\\$ >$FILE; exec -a kworker sleep 1000" &`,
  "nohup and disown": `bash -c "nohup env -i ${quoted} & disown" >/dev/null 2>&1`,
  "without descriptors": `setsid env -i sh -c "echo \\$\\$ >$FILE; exec <&- >&- 2>&-; exec sleep 1000" &`,
  "title over the environment": `perl -e 'use POSIX; fork and exit; POSIX::setsid(); fork and exit; $0 = "x" x 9000; open F, ">$FILE"; print F "$$\\n"; close F; close STDOUT; close STDERR; sleep 1000'`,
  "a daemon without environment": `perl -e 'use POSIX; fork and exit; POSIX::setsid(); fork and exit; open F, ">$FILE"; print F "$$\\n"; close F; %ENV = (); POSIX::close($_) for 0..63; exec {"/bin/sleep"} "systemd", "1000"'`,
}

/** Runs them in a session, `bypass`, and returns the processes once they belong to nobody but whoever adopts orphans. */
export async function takeWaysOut(
  { api, dataDir }: TestDaemon,
  id: string,
  ways: Record<string, string> = waysOut,
): Promise<number[]> {
  const folder = join(dataDir, `ways-${id}`)
  mkdirSync(folder)
  await api.create(id, { permissionMode: "bypass" })
  const files = Object.values(ways).map((_, index) => join(folder, `${index}`))
  // In a file, for its quotes; the line that runs it is one line.
  for (const [index, way] of Object.values(ways).entries()) {
    writeFileSync(`${files[index]}.sh`, `${way.replaceAll("$FILE", files[index] ?? "")}\n`)
    await api.turn(id, `/run sh ${files[index]}.sh`)
  }
  const pids: number[] = []
  for (const [index, way] of Object.keys(ways).entries()) {
    const file = files[index] ?? ""
    await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"), `a process by ${way}`)
    pids.push(Number(readFileSync(file, "utf8")))
  }
  return pids
}

export function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
}
