import type { Subprocess } from "bun"
import type { Host } from "../core/driver.ts"
import { inLimits } from "./limit-tag.ts"
import { tagInEnvironment } from "./process-tag.ts"
import { within } from "./reading.ts"
import type { ProcessMark } from "./tagged-processes.ts"

/**
 * Outlives the daemon by a moment: reads `+ <group>` and `- <group>` until its stdin closes, which happens by itself
 * when the daemon is killed, then kills the groups and every process with the tag in its environment or its limits. `q` is the daemon's clean end.
 * The tag comes over stdin, so that neither its arguments nor its environment hold it.
 */
export const watcherScript = `
trap '' INT TERM HUP QUIT PIPE
groups=' '
while read -r word value; do
  case $word in
    +) groups="$groups$value " ;;
    -) case $groups in *" $value "*) groups="\${groups%%" $value "*} \${groups#*" $value "}" ;; esac ;;
    =) processTag=$value ;;
    t) limitTag=$value ;;
    q) exit 0 ;;
  esac
done
for group in $groups; do kill -9 -"$group"; done
round=0
while [ -n "$processTag" ] && [ $round -lt 10 ]; do
  round=$((round + 1))
  if [ -r /proc/self/environ ]; then
    found=$(grep -lsF "$processTag" /proc/[0-9]*/environ; [ -z "$limitTag" ] || grep -lsE "$limitTag" /proc/[0-9]*/limits)
    [ -n "$found" ] || [ $round -lt 3 ] || exit 0
    for file in $found; do
      pid=\${file#/proc/}
      kill -9 "\${pid%/*}"
    done
  else
    ps axeww -o pid=,command= | while read -r pid command; do
      case $command in *" $processTag"*) kill -9 "$pid" ;; esac
    done
  fi
  sleep 0.1 || sleep 1
done
`

/** Starts over this often when somebody kills the watcher; then the daemon goes on without one. */
const restarts = 5

/** A halted watcher does not hold the daemon's end. */
const closeMs = 500

export interface WatcherHooks {
  /** Starts it outside of what the daemon itself may be marked with, so that it outlives a daemon inside an agent. */
  unmarked?<T>(start: () => T): T
  started?(pid: number, exited: Promise<unknown>): void
}

/** Kills the children when the daemon cannot, because it was killed itself. One for the whole daemon. */
export class Watcher {
  readonly #groups = new Set<number>()
  #process: Subprocess<"pipe", "ignore", "ignore"> | undefined
  #left = restarts
  #closed: boolean = false

  constructor(
    private readonly mark: ProcessMark,
    private readonly log: Host["log"],
    private readonly hooks: WatcherHooks = {},
  ) {}

  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** Before the first child, so that there is no moment without a watch. */
  start(): void {
    if (this.#process || this.#closed || this.#left === 0) return
    this.#left--
    try {
      const spawn = () =>
        Bun.spawn(["sh", "-c", watcherScript, "sandbox-agent-watcher"], {
          ...({ stdin: "pipe", stdout: "ignore", stderr: "ignore" } as const),
          cwd: "/",
          env: { PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin" },
          detached: true,
          onExit: (gone) => this.#exited(gone.pid),
        })
      const watcher = this.hooks.unmarked?.(spawn) ?? spawn()
      this.hooks.started?.(watcher.pid, watcher.exited)
      watcher.unref()
      this.#process = watcher
      const { processTag, limitTag } = this.mark
      const marks = [
        `= ${tagInEnvironment(processTag)}\n`,
        ...(limitTag === undefined ? [] : [`t ${inLimits(limitTag)}\n`]),
      ]
      this.#tell([...marks, ...[...this.#groups].map((group) => `+ ${group}\n`)].join(""))
    } catch (error) {
      this.#left = 0
      this.log("warn", "no watcher: agents outlive a killed daemon until its next start", { error: String(error) })
    }
  }

  add(group: number): void {
    this.#groups.add(group)
    this.#tell(`+ ${group}\n`)
  }

  remove(group: number): void {
    this.#groups.delete(group)
    this.#tell(`- ${group}\n`)
  }

  /** Clean end: there is nothing left to kill. */
  async close(): Promise<void> {
    this.#closed = true
    const watcher = this.#process
    if (!watcher) return
    this.#tell("q\n")
    if (!(await within(closeMs, watcher.exited))) watcher.kill("SIGKILL")
  }

  #tell(text: string): void {
    const sink = this.#process?.stdin
    if (!sink) return
    // A watcher that is gone is noticed by its exit and started again with all the groups.
    const ignore = () => {}
    try {
      for (const answer of [sink.write(text), sink.flush()] as unknown[]) {
        if (answer instanceof Promise) answer.catch(ignore)
      }
    } catch {
      ignore()
    }
  }

  #exited(pid: number): void {
    if (this.#process?.pid === pid) this.#process = undefined
    if (this.#closed) return
    this.log("warn", "the watcher was ended from outside", { startsAgain: this.#left > 0 })
    this.start()
  }
}
