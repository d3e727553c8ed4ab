import type { SandboxAgentClient } from "sandbox-agent"
import { go } from "../route.ts"
import { Store } from "../store.ts"
import { attemptRemoval, notify } from "../ui/notices.tsx"

/** Deleted here, and not yet on the daemon: it can still be taken back. */
export const hidden = new Store<ReadonlySet<string>>(new Set())

const undoMs = 6000

export function deleteWithUndo(client: SandboxAgentClient, id: string, title: string): void {
  hidden.update((all) => new Set([...all, id]))
  const show = () => hidden.update((all) => new Set([...all].filter((one) => one !== id)))
  const timer = setTimeout(() => {
    removeEventListener("pagehide", now)
    attemptRemoval(client.deleteSession(id).finally(show))
  }, undoMs)
  // Whoever leaves the page has decided.
  const now = () => {
    clearTimeout(timer)
    attemptRemoval(client.deleteSession(id))
  }
  addEventListener("pagehide", now, { once: true })
  const remove = notify(`Deleted ${title}`, {
    forMs: undoMs,
    action: {
      label: "Undo",
      focused: true,
      run: () => {
        clearTimeout(timer)
        removeEventListener("pagehide", now)
        show()
        remove()
        go({ session: id })
      },
    },
  })
}
