import type { ItemSink, SessionSink } from "../../core/driver-sink.ts"
import type { Item, Turn } from "./native.ts"
import { outcomeOf } from "./outcome.ts"
import { Thread } from "./thread.ts"

interface Child {
  thread: Thread
  /** Where it was started, and by which call. */
  from: Thread
  call: string
  /** Its first end was reported as the result of that call. */
  reported: boolean
}

/** Sub-agents: threads of their own, whose lines come to us although nobody opened them. */
export class Children {
  readonly #children = new Map<string, Child>()

  constructor(
    private readonly sink: ItemSink & SessionSink,
    /** Has lines of this thread come to us. */
    private readonly listen: (thread: string) => void,
  ) {}

  get threads(): Thread[] {
    return [...this.#children.values()].map(({ thread }) => thread)
  }

  get(id: string | null | undefined): Thread | undefined {
    return this.#children.get(id ?? "")?.thread
  }

  /** Newer versions tell of a sub-agent as an activity. */
  activity(item: Item, from: Thread): void {
    const { id, kind, agentThreadId = "", agentPath = "", model, reasoningEffort } = item
    if (kind !== "started") return this.sink.status(`subagent_${kind}`, agentPath)
    const given = from.raw.argumentsOf(id)
    // Paths of agents begin at the one the user speaks to, which needs no name.
    const name = agentPath.replace(/^\/root\//, "")
    const facts = { agent: name, ...(model && { model }), ...(reasoningEffort && { effort: reasoningEffort }) }
    from.calls.call(id, { name: "spawn_agent", arguments: given ?? facts, title: name })
    from.calls.result(id, { output: `${name} has started`, detached: true, more: [{ type: "json", json: facts }] })
    this.#add(agentThreadId, from, id)
  }

  /** Older ones as a call that names the threads it made. */
  spawned({ id, tool, receiverThreadIds = [] }: Item, from: Thread): void {
    if (tool === "spawnAgent") for (const thread of receiverThreadIds) this.#add(thread, from, id)
  }

  /** The end of what it was started for is the late result of its call. */
  completed(thread: Thread, turn: Turn): void {
    const child = this.#children.get(thread.id)
    if (child === undefined || child.reported) return
    child.reported = true
    const failed = outcomeOf(turn).stop !== "end_turn"
    const output = thread.says.last || turn.error?.message || turn.status
    child.from.calls.late(child.call, { output, failed })
  }

  #add(id: string, from: Thread, call: string): void {
    if (id === "" || this.#children.has(id)) return
    const thread = new Thread(this.sink, id, from.calls.key(call))
    this.#children.set(id, { thread, from, call, reported: false })
    this.listen(id)
  }
}
