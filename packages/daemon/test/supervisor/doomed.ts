/** A small daemon for the watcher's tests: one child, one grandchild in a session of its own; stops at `stop`, answers `ping`. */
import { createSupervisor } from "../../src/supervisor/supervisor.ts"

const log = (level: string, message: string) => console.error(level, message)
const supervisor = createSupervisor({ daemonId: `doomed-${process.pid}`, log })
supervisor.spawn({
  owner: "session-1",
  label: "doomed",
  command: ["sh", "-c", "trap '' TERM; setsid sleep 1000 >/dev/null 2>&1 & echo $$ $!; while :; do sleep 0.02; done"],
  directory: "/",
  env: {},
  onLine: (line) => console.log(line),
  onExit: () => {},
})

for await (const line of console) {
  if (line === "ping") console.log("pong")
  if (line === "stop") await supervisor.stopAll()
  if (line === "exit") process.exit(3)
  if (line === "stop") break
}
