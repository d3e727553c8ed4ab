import { lazy, Suspense } from "react"
import type { Process, Session } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { adjust, useRoute } from "../route.ts"
import { Icon } from "../ui/icon.tsx"
import { attempt, attemptRemoval } from "../ui/notices.tsx"
import { useAsked } from "./asked.ts"
import { numberTerminals } from "./terminal-numbers.ts"

const Screen = lazy(() => import("./screen.tsx"))

/** Terminals of the machine: opened here or by anybody, looked at by any number. */
export function Terminals({ session }: { session: Session | undefined }) {
  const { client } = useDaemon()
  const { value, again, error } = useAsked(() => client.terminals.list(), [client], 3000)
  const { terminal: chosen } = useRoute()
  const all: readonly Process[] = value?.terminals ?? []
  const open = async () => {
    const { id } = await client.terminals.start(session ? { sessionId: session.id } : {})
    adjust({ terminal: id })
    again()
  }
  const close = (id: string) =>
    attemptRemoval(client.terminals.close(id), () => {
      if (chosen === id) adjust({ terminal: undefined }, { replace: true })
      again()
    })
  // Before the list came nothing is known to be closed.
  const numbers = value && numberTerminals(all.map(({ id }) => id))
  const shown = all.find(({ id }) => id === chosen)
  return (
    <div className="terminals">
      <div className="filters">
        {all.map((one) => {
          const name = `${numbers?.get(one.id)} ${one.title || one.command.split("/").at(-1)}`
          return (
            <span key={one.id} className="terminal-chip">
              <button
                type="button"
                className="chip"
                title={`${one.command} in ${one.cwd}`}
                aria-pressed={one.id === chosen}
                onClick={() => adjust({ terminal: one.id })}
              >
                <span className="glance">{name}</span> {one.status === "exited" && "(ended)"}
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label={`Close terminal ${name}`}
                onClick={() => close(one.id)}
              >
                <Icon name="close" size={12} />
              </button>
            </span>
          )
        })}
        <button type="button" onClick={() => attempt(open())}>
          <Icon name="plus" size={14} /> Open a terminal
        </button>
      </div>
      {error && <p className="note bad">{error}</p>}
      {shown ? (
        <Suspense fallback={<div className="shape late" />}>
          <Screen key={shown.id} id={shown.id} />
        </Suspense>
      ) : (
        <p className="empty">
          {all.length > 0
            ? "Choose one, or open another."
            : "None is open. A terminal goes on when you leave, and shows its screen when you come back."}
        </p>
      )}
    </div>
  )
}
