import type { Conversation } from "./conversation.ts"
import type { Turn } from "./native.ts"
import { outcomeOf } from "./outcome.ts"
import { stopCommands } from "./terminals.ts"
import type { Thread } from "./thread.ts"

/** A turn has ended, that of the session or that of a sub-agent. */
export function turnCompleted(c: Conversation, thread: Thread, turn: Turn): void {
  if (thread === c.main) c.afterCalls(() => completed(c, thread, turn))
  else completed(c, thread, turn)
}

function completed(c: Conversation, thread: Thread, turn: Turn): void {
  const interrupted = turn.status === "interrupted"
  // Codex says each answer anew or not at all; what is left was never finished.
  if (!interrupted && turn.status !== "failed") thread.says.retry()
  if (interrupted) thread.commands.drop()
  else thread.commands.detach()
  c.asks.withdraw(thread)
  if (thread === c.main) {
    for (const { calls } of c.children.threads)
      if (interrupted) calls.drop()
      else calls.detach()
    // Before the end, which may have the session opened anew.
    c.countBackground(true)
    threadTurnCompleted(c, turn)
  } else {
    thread.calls.end(`no result: ${turn.status}`)
    c.children.completed(thread, turn)
  }
  thread.clear()
  c.countBackground()
}

function threadTurnCompleted(c: Conversation, turn: Turn): void {
  const { sink, turns, failure, diff } = c
  const outcome = outcomeOf(turn, failure)
  c.failure = undefined
  c.diff = undefined
  c.noteDurable()
  if (diff) sink.status("turn_diff", diff)
  if (outcome.error !== undefined && failure === undefined) sink.error(outcome.error)
  turns.completed(turn, outcome)
  void c.kept.look()
  c.member.turnEnded(outcome.stop !== "error")
}

/** An interrupt leaves the commands of the turn running: the turn is over when they are dead. */
export function endAfterCommands(c: Conversation, thread: Thread, turn: Turn): void {
  thread.ending = true
  const end = () => {
    thread.ending = false
    // A sub-agent may have been given something else by then.
    if (thread !== c.main && thread.turn !== undefined && thread.turn !== turn.id) return
    const line = { method: "turn/completed", params: { threadId: thread.id, turn } }
    c.sink.line(JSON.stringify(line), () => turnCompleted(c, thread, turn))
  }
  // Also those whose items have not come yet.
  stopCommands(c, thread, new Set(thread.commands.detached)).then(end, end)
}
