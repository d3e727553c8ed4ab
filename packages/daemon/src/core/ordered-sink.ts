import { withDeadline } from "./deadline.ts"
import type { Sink } from "./driver-sink.ts"
import { isUnread, withImages } from "./images.ts"
import type { Session } from "./session.ts"

type Method = Exclude<keyof Sink, "passOn" | "image" | "after" | "close" | "mcpFailed">

/**
 * Lets a driver read a file in the middle of its reports, without the session getting out of order: what is reported
 * meanwhile waits, and the agent's pipe is not read (`Session.held`).
 */
export function orderedSink(s: Session, sink: Omit<Sink, "after" | "mcpFailed">): Sink {
  let waiting: (() => void)[] | undefined

  const later = (what: () => void): void => {
    const { raw } = s // it still belongs to the line it came with
    waiting?.push(() => {
      const outer = s.raw
      s.raw = raw
      try {
        what()
      } catch (error) {
        s.fault("held_call_failed", String(error)) // the next ones are not to be lost with it
      } finally {
        s.raw = outer
      }
    })
  }

  /** Until everything is reported, or something else has to be waited for. */
  const releaseHeld = (held: (() => void)[]): void => {
    waiting = undefined
    for (let what = held.shift(); what !== undefined; what = held.shift()) {
      what()
      const again = waiting as (() => void)[] | undefined
      if (again === undefined) continue
      again.push(...held)
      return
    }
  }

  function after<T>(work: Promise<T>, then: (value?: T) => void): void {
    if (waiting !== undefined) return later(() => after(work, then))
    const held: (() => void)[] = []
    let value: T | undefined
    waiting = held
    later(() => then(value))
    const read = withDeadline(work, s.context.deadlines.heldMs, "a file could not be read").then(
      (found) => {
        value = found
      },
      (error: unknown) => s.context.log("warn", "an agent's file could not be read", { error: String(error) }),
    )
    const done: Promise<void> = read.then(() => {
      if (s.held === done) s.held = undefined
      releaseHeld(held)
    })
    s.held = done
  }

  const close: Sink["close"] = (key, end) => {
    const { content } = end
    if (waiting !== undefined) return later(() => close(key, end))
    if (content === undefined || !content.some(isUnread)) return sink.close(key, end)
    after(withImages(s, content), (found = content) => sink.close(key, { ...end, content: found }))
  }

  const mcpFailed: Sink["mcpFailed"] = (name, reason) => {
    const report = (said?: string) => all.status("mcp_failed", `${name}: ${reason}${said ? `\n${said}` : ""}`)
    if (s.mcpStderr === undefined) return report()
    after(s.mcpStderr.tail(name), report)
  }

  const inOrder =
    <M extends Method>(name: M) =>
    (...given: Parameters<Sink[M]>): void => {
      const method = sink[name] as (...given: Parameters<Sink[M]>) => void
      if (waiting === undefined) method(...given)
      else later(() => method(...given))
    }
  const names = Object.keys(sink) as Method[]
  const all = Object.fromEntries(names.map((name) => [name, inOrder(name)])) as Pick<Sink, Method>
  return { ...all, image: sink.image, passOn: sink.passOn, close, mcpFailed, after }
}
