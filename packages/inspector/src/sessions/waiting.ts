import { useEffect, useRef } from "react"
import { useDaemon } from "../daemon-context.ts"
import { go, useRoute } from "../route.ts"
import { useStore } from "../store.ts"
import { notify } from "../ui/notices.tsx"
import { titleOf } from "../ui/words.ts"
import { waitsForPerson } from "./session-list.ts"

export async function askToNotify(): Promise<void> {
  if (!("Notification" in window)) return void notify("This browser has no notifications", { kind: "bad" })
  const answer = await Notification.requestPermission()
  notify(answer === "granted" ? "You will be told when something waits" : "The browser does not allow it for this page")
}

/** The title of the tab says how much waits for a person; with leave, the browser tells of what is new while nobody looks. */
export function useWaiting(): void {
  const { list } = useDaemon()
  const { sessions } = useStore(list)
  const { session: current } = useRoute()
  const known = useRef<Map<string, number>>(undefined)
  useEffect(() => {
    const now = new Map(
      sessions.flatMap((session) => (waitsForPerson(session) > 0 ? [[session.id, waitsForPerson(session)]] : [])) as [
        string,
        number,
      ][],
    )
    const count = [...now.values()].reduce((sum, n) => sum + n, 0)
    const shown = sessions.find(({ id }) => id === current)
    document.title = `${count > 0 ? `(${count}) ` : ""}${shown ? `${titleOf(shown)} · ` : ""}Sandbox Agent`
    const before = known.current
    known.current = now
    if (
      before === undefined ||
      !document.hidden ||
      !("Notification" in window) ||
      Notification.permission !== "granted"
    )
      return
    for (const [id, waits] of now) {
      if (waits <= (before.get(id) ?? 0)) continue
      const session = sessions.find((one) => one.id === id)
      const note = new Notification(session ? titleOf(session) : id, { body: "waits for you", tag: id })
      note.onclick = () => {
        focus()
        go({ session: id })
      }
    }
  }, [sessions, current])
}
