import { useMemo, useState } from "react"
import type { CreateSessionRequest, PermissionMode } from "sandbox-agent"
import { permissionModes, useCatalog } from "../acting/settings.tsx"
import { speakNext } from "../acting/speak-next.ts"
import { useDaemon } from "../daemon-context.ts"
import { go } from "../route.ts"
import { kept, useStore } from "../store.ts"
import { Icon } from "../ui/icon.tsx"
import { failed } from "../ui/notices.tsx"
import { Field, jsonField } from "./field.tsx"
import { InstallNote } from "./install-note.tsx"

interface Last {
  agent: string
  directory: string
  permissionMode: PermissionMode
  agentMode: string
  model: string
  variant: string
}

const last = kept<Last>("new-session", {
  agent: "mock",
  directory: "",
  permissionMode: "default",
  agentMode: "",
  model: "",
  variant: "",
})

/** Every option of the API; what was chosen last time is chosen. */
export function NewSession() {
  const daemon = useDaemon()
  const all = useStore(daemon.agents)
  // What is there comes first.
  const agents = useMemo(() => all?.toSorted((a, b) => Number(b.installed) - Number(a.installed)), [all])
  const [form, setForm] = useState<Last>(last.value)
  const [more, setMore] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const agent = agents?.find(({ id }) => id === form.agent) ?? agents?.[0]
  const catalog = useCatalog(agent)
  const model = catalog?.models.find(({ id }) => id === (form.model || catalog.defaultModel))
  const set = (change: Partial<Last>) => setForm((all) => ({ ...all, ...change }))
  const text = (name: string) => (more[name] ?? "").trim()
  const errors = useMemo(
    () =>
      Object.fromEntries(["mcp", "skills", "env", "metadata"].map((name) => [name, jsonField(more[name] ?? "").error])),
    [more],
  )
  const create = async () => {
    setBusy(true)
    last.set(form)
    const request: CreateSessionRequest = {
      agent: agent?.id ?? form.agent,
      permissionMode: form.permissionMode,
      ...(form.agentMode && { agentMode: form.agentMode }),
      ...(form.model && { model: form.model }),
      ...(form.variant && { variant: form.variant }),
      ...(form.directory.trim() && { directory: form.directory.trim() }),
      ...(text("title") && { title: text("title") }),
      ...(text("systemPrompt") && { systemPrompt: text("systemPrompt") }),
      ...(text("agentVersion") && { agentVersion: text("agentVersion") }),
      ...(text("nativeSessionId") && { nativeSessionId: text("nativeSessionId") }),
      ...Object.fromEntries(
        ["mcp", "skills", "env", "metadata"].flatMap((name) => {
          const { value } = jsonField(more[name] ?? "")
          return value === undefined ? [] : [[name, value]]
        }),
      ),
    }
    try {
      const id = text("id")
      const made =
        id === "" ? await daemon.client.createSession(request) : await daemon.client.createSession(id, request)
      daemon.list.put(made.session)
      if (made.error) failed(new Error(made.error.message))
      speakNext()
      go({ session: made.session.id })
    } catch (error) {
      failed(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      className="page-form"
      aria-label="New session"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <h1>New session</h1>
      <fieldset className="agent-cards">
        <legend>Agent</legend>
        {agents === undefined && <div className="shape" />}
        {agents?.map((one) => (
          <label key={one.id} className="agent-card">
            <input
              type="radio"
              name="agent"
              value={one.id}
              checked={one.id === agent?.id}
              onChange={() => set({ agent: one.id, agentMode: "", model: "", variant: "" })}
            />
            <b>{one.name}</b>
            <small>
              {one.id === "mock"
                ? "needs no account"
                : !one.installed
                  ? "not installed"
                  : one.credentials === "missing"
                    ? `${one.version ?? ""} · no login found`
                    : (one.version ?? "installed")}
            </small>
          </label>
        ))}
      </fieldset>
      {agent && !agent.installed && <InstallNote agent={agent} />}
      <div className="fields">
        <Field label="Directory" hint="Where the agent works; empty: where the daemon runs">
          <input
            value={form.directory}
            placeholder="/workspace"
            spellCheck={false}
            onChange={(event) => set({ directory: event.target.value })}
          />
        </Field>
        <Field label="Permission mode" hint={modeWords[form.permissionMode]}>
          <select
            value={form.permissionMode}
            onChange={(event) => set({ permissionMode: event.target.value as PermissionMode })}
          >
            {Object.entries(permissionModes).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Select
          label="Agent mode"
          value={form.agentMode}
          options={catalog?.modes.map(({ id, name }) => [id, name])}
          onChange={(agentMode) => set({ agentMode })}
        />
        <Select
          label="Model"
          value={form.model}
          options={catalog?.models.map(({ id, name }) => [id, name])}
          onChange={(id) => set({ model: id, variant: "" })}
        />
        <Select
          label="Variant"
          value={form.variant}
          options={model?.variants.map((name) => [name, name])}
          onChange={(variant) => set({ variant })}
        />
      </div>
      <details className="more">
        <summary>
          <Icon name="chevron" size={14} /> More options
        </summary>
        <div className="fields">
          {extra.map(([name, label, hint, kind]) => (
            <Field key={name} label={label} hint={errors[name] ?? hint} bad={errors[name] !== undefined}>
              {kind === "line" ? (
                <input
                  value={more[name] ?? ""}
                  spellCheck={false}
                  onChange={(event) => setMore((all) => ({ ...all, [name]: event.target.value }))}
                />
              ) : (
                <textarea
                  rows={3}
                  className={kind === "json" ? "mono" : ""}
                  value={more[name] ?? ""}
                  spellCheck={kind !== "json"}
                  onChange={(event) => setMore((all) => ({ ...all, [name]: event.target.value }))}
                />
              )}
            </Field>
          ))}
        </div>
      </details>
      <div className="answers form-end">
        <button
          type="submit"
          className="primary"
          disabled={busy || agent === undefined || Object.values(errors).some(Boolean)}
        >
          {busy ? "Creating" : agent?.installed === false ? "Install and create" : "Create session"}
        </button>
        <button type="button" className="quiet" onClick={() => history.back()}>
          Cancel
        </button>
      </div>
    </form>
  )
}

const modeWords: Record<PermissionMode, string> = {
  default: "Asks before it runs or changes anything",
  acceptEdits: "Changes files, asks for the rest",
  plan: "Cannot write",
  bypass: "Runs everything without asking",
}

const extra = [
  ["title", "Title", "", "line"],
  ["id", "Session id", "1 to 128 letters, digits, . _ : -; empty: made by the daemon", "line"],
  ["systemPrompt", "System prompt", "Added to the agent's own", "text"],
  ["agentVersion", "Agent version", "Installed if it is another", "line"],
  ["nativeSessionId", "Adopt", "Id of a session that the agent already has", "line"],
  ["mcp", "MCP servers", 'JSON: {"name": {"command": "…"}}', "json"],
  ["skills", "Skills", 'JSON: [{"name": "…", "path": "…"}]', "json"],
  ["env", "Environment", 'JSON: {"NAME": "value"}; never returned', "json"],
  ["metadata", "Metadata", "JSON of your own", "json"],
] as const

function Select({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: readonly (readonly [string, string])[] | undefined
  onChange: (value: string) => void
}) {
  if (options === undefined || options.length === 0) return null
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Default</option>
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  )
}
