import { useEffect } from "react"
import type { Agent } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { useStore } from "../store.ts"
import { Icon } from "../ui/icon.tsx"
import { attempt } from "../ui/notices.tsx"
import { bytes, duration } from "../ui/words.ts"
import { InstallNote } from "./install-note.tsx"

const login = { available: "login found", missing: "no login found", unknown: "login not known" }

/** Agents of the daemon: what each can do, its version, login and process. */
export function AgentsPage() {
  const daemon = useDaemon()
  const agents = useStore(daemon.agents)
  useEffect(() => {
    attempt(daemon.loadAgents())
    const timer = setInterval(() => attempt(daemon.loadAgents()), 10_000)
    return () => clearInterval(timer)
  }, [daemon])
  return (
    <section className="page" aria-label="Agents">
      <h1>Agents</h1>
      <p className="soft">Each is one string of the API. Credentials are those that this machine already has.</p>
      {agents === undefined && <div className="shape" />}
      {agents?.map((agent) => (
        <AgentRow key={agent.id} agent={agent} />
      ))}
    </section>
  )
}

function AgentRow({ agent }: { agent: Agent }) {
  const { process } = agent
  const can = Object.entries(agent.capabilities)
  return (
    <article className="agent-row" aria-label={agent.name}>
      <header>
        <h2>{agent.name}</h2>
        <code>{agent.id}</code>
        {agent.stability === "experimental" && <span className="tag">experimental</span>}
        <span className="grow" />
        {agent.source !== "builtin" && <InstallNote agent={agent} reinstall={agent.installed} />}
      </header>
      <p className="facts">
        <span className={agent.installed ? "ok" : ""}>
          {agent.installed ? `installed${agent.version ? ` ${agent.version}` : ""}` : "not installed"}
        </span>
        <span className={agent.credentials === "missing" ? "wait" : ""}>
          {agent.credentialsAvailable ? "ready to use" : login[agent.credentials]}
        </span>
        <span className={process.status === "failed" ? "bad" : ""}>
          process {process.status}
          {process.pid !== undefined && ` (pid ${process.pid}`}
          {process.rssBytes !== undefined && `, ${bytes(process.rssBytes)}`}
          {process.uptimeMs !== undefined && `, ${duration(process.uptimeMs)}`}
          {process.pid !== undefined && ")"}
        </span>
        {process.restartCount > 0 && <span>{process.restartCount} restarts</span>}
      </p>
      {process.lastError && <p className="note bad">{process.lastError}</p>}
      {agent.path && <p className="path mono soft">{agent.path}</p>}
      <details>
        <summary>
          <Icon name="chevron" size={14} /> {can.filter(([, has]) => has).length} of {can.length} capabilities
        </summary>
        <ul className="capabilities">
          {can.map(([name, has]) => (
            <li key={name} className={has ? "ok" : "soft"}>
              <Icon name={has ? "check" : "close"} size={12} /> {name.replaceAll(/([A-Z])/g, " $1").toLowerCase()}
              <span className="said">{has ? "yes" : "no"}</span>
            </li>
          ))}
        </ul>
      </details>
    </article>
  )
}
