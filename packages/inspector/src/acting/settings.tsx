import { useEffect, useState } from "react"
import type { Agent, Mode, Model, PermissionMode, Session, SessionInfo, UpdateSessionRequest } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { attempt, notify } from "../ui/notices.tsx"

export const permissionModes: Record<PermissionMode, string> = {
  default: "Ask",
  acceptEdits: "Accept edits",
  plan: "Read only",
  bypass: "Never ask",
}

export interface Catalog {
  modes: readonly Mode[]
  models: readonly Model[]
  defaultModel?: string | undefined
}

/** Modes and models of an agent, asked for when they are shown. What it cannot tell is no list. */
export function useCatalog(agent: Agent | undefined): Catalog | undefined {
  const { client } = useDaemon()
  const [found, setFound] = useState<Catalog>()
  const id = agent?.installed ? agent.id : undefined
  const { modes: hasModes = false, models: hasModels = false } = agent?.capabilities ?? {}
  useEffect(() => {
    setFound(undefined)
    if (id === undefined) return
    const stop = new AbortController()
    const { signal } = stop
    const load = async () => {
      const { modes } = hasModes ? await client.listModes(id, { signal }) : { modes: [] }
      const models = hasModels ? await client.rest.listModels(id, { signal }) : { models: [] }
      setFound({ modes, ...models })
    }
    load().catch((error: unknown) => {
      // It may need a login for that: the session tells, and its settings stay as they are.
      if (!signal.aborted) console.warn("No modes or models are listed", error)
    })
    return () => stop.abort()
  }, [client, id, hasModes, hasModels])
  return found
}

const later = { now: "", next_turn: "From the next turn on", reopen: "When the agent is started again" }

/** Mode, permission mode, model and variant of a session. */
export function Settings({ session, info, agent }: { session: Session; info: SessionInfo; agent: Agent | undefined }) {
  const { client } = useDaemon()
  const catalog = useCatalog(agent)
  const change = (what: UpdateSessionRequest) =>
    attempt(
      client.patchSession(session.id, what).then(({ applied }) => {
        if (applied !== "now") notify(later[applied])
      }),
    )
  const model = catalog?.models.find(({ id }) => id === (info.model ?? catalog.defaultModel))
  return (
    <div className="settings">
      <Choice
        label="Permission mode"
        value={info.permissionMode}
        onChange={(permissionMode) => change({ permissionMode: permissionMode as PermissionMode })}
      >
        {Object.entries(permissionModes)}
      </Choice>
      {(catalog?.modes.length ?? 0) > 1 && (
        <Choice label="Agent mode" value={info.agentMode} onChange={(agentMode) => change({ agentMode })}>
          {(catalog?.modes ?? []).map(({ id, name }) => [id, name])}
        </Choice>
      )}
      {(catalog?.models.length ?? 0) > 0 && (
        <Choice
          label="Model"
          value={info.model ?? catalog?.defaultModel ?? ""}
          onChange={(id) => change({ model: id })}
        >
          {(catalog?.models ?? []).map(({ id, name }) => [id, name])}
        </Choice>
      )}
      {(model?.variants.length ?? 0) > 0 && (
        <Choice
          label="Variant"
          value={info.variant ?? model?.defaultVariant ?? ""}
          onChange={(variant) => change({ variant })}
        >
          {(model?.variants ?? []).map((variant) => [variant, variant])}
        </Choice>
      )}
    </div>
  )
}

export function Choice(props: {
  label: string
  value: string
  children: readonly (readonly [string, string])[]
  onChange: (value: string) => void
}) {
  const { label, value, children, onChange } = props
  const known = children.some(([id]) => id === value)
  return (
    <select
      className="choice"
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {!known && <option value={value}>{value === "" ? label : value}</option>}
      {children.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}
