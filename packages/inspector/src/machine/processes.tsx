import { useEffect, useRef, useState } from "react"
import type { Process, Session } from "sandbox-agent"
import { Ansi } from "../content/output.tsx"
import { useDaemon } from "../daemon-context.ts"
import { useNow, useStore } from "../store.ts"
import { Icon } from "../ui/icon.tsx"
import { attempt, attemptRemoval } from "../ui/notices.tsx"
import { bytes, duration } from "../ui/words.ts"
import { useAsked } from "./asked.ts"
import { numberTerminals } from "./terminal-numbers.ts"

/** Programs that clients started, with their logs and ports; and those of agents, with their memory. */
export function Processes({ session }: { session: Session | undefined }) {
  const daemon = useDaemon()
  const { client, agents } = daemon
  // Their memory is told with them.
  useAsked(() => daemon.loadAgents(), [daemon], 5000)
  const { value, error, again } = useAsked(() => client.processes.list(), [client], 3000)
  const [line, setLine] = useState("")
  const [chosen, setChosen] = useState<string>()
  const all: readonly Process[] = value?.processes ?? []
  const numbers = value && numberTerminals(all.filter(({ tty }) => tty).map(({ id }) => id))
  const shown = all.find(({ id }) => id === chosen)
  const running = useStore(agents)?.filter(({ process }) => process.pid !== undefined) ?? []
  const start = async () => {
    // The next one can be typed while this one starts.
    setLine("")
    const request = { command: "/bin/sh", args: ["-c", line], ...(session && { sessionId: session.id }) }
    try {
      const { id } = await client.processes.start(request)
      setChosen(id)
      again()
    } catch (error) {
      setLine((typed) => typed || line)
      throw error
    }
  }
  return (
    <div className="processes">
      <form
        className="filters"
        aria-label="Start a process"
        onSubmit={(event) => {
          event.preventDefault()
          if (line.trim() !== "") attempt(start())
        }}
      >
        <input
          className="mono"
          aria-label="Command"
          placeholder="npm run dev"
          spellCheck={false}
          value={line}
          onChange={(event) => setLine(event.target.value)}
        />
        <button type="submit" disabled={line.trim() === ""}>
          <Icon name="play" size={14} /> Start
        </button>
      </form>
      {error && <p className="note bad">{error}</p>}
      <ul className="process-list" aria-label="Processes">
        {all.map((one) => (
          <ProcessLine
            key={one.id}
            process={one}
            number={numbers?.get(one.id)}
            chosen={one.id === chosen}
            onChoose={() => setChosen(one.id === chosen ? undefined : one.id)}
            again={again}
          />
        ))}
        {value && all.length === 0 && <li className="empty">No process was started yet.</li>}
        {running.map(({ id, name, process }) => (
          <li key={id} className="process agent">
            <Icon name="agents" size={14} />
            <span className="glance">{name}</span>
            <span className="soft">
              pid {process.pid}
              {process.rssBytes !== undefined && `, ${bytes(process.rssBytes)}`}
            </span>
          </li>
        ))}
      </ul>
      {shown && <ProcessLog key={shown.id} process={shown} />}
    </div>
  )
}

function ProcessLine({
  process,
  number,
  chosen,
  onChoose,
  again,
}: {
  process: Process
  /** Of a terminal. */
  number: number | undefined
  chosen: boolean
  onChoose: () => void
  again: () => void
}) {
  const { client } = useDaemon()
  const now = useNow(1000)
  const { id, status, exitCode, signal, createdAtMs, exitedAtMs, ports } = process
  const line =
    process.command === "/bin/sh" && process.args[0] === "-c"
      ? process.args.slice(1).join(" ")
      : [process.command, ...process.args].join(" ")
  const name = number === undefined ? line : `${number} ${process.title || line}`
  const failedIt = status === "exited" && (exitCode ?? 1) !== 0
  return (
    <li className="process">
      <button type="button" className="quiet" aria-expanded={chosen} onClick={onChoose}>
        <Icon name={process.tty ? "terminal" : "cpu"} size={14} />
        <span className="glance mono">{name}</span>
        {ports.map(({ port, address }) => (
          <span key={`${address}:${port}`} className="tag">
            :{port}
          </span>
        ))}
        <span className={failedIt ? "bad" : status === "running" ? "ok" : "soft"}>
          {status === "running" ? "running" : (signal ?? `exit ${exitCode}`)}
        </span>
        <span className="elapsed">{duration((exitedAtMs ?? now) - createdAtMs)}</span>
      </button>
      {status === "running" ? (
        <button
          type="button"
          className="icon-button"
          aria-label={`Stop ${name}`}
          onClick={() => attemptRemoval(client.processes.stop(id), again)}
        >
          <Icon name="stop" size={14} />
        </button>
      ) : (
        <button
          type="button"
          className="icon-button"
          aria-label={`Remove ${name}`}
          onClick={() => attemptRemoval(client.processes.remove(id), again)}
        >
          <Icon name="trash" size={14} />
        </button>
      )}
    </li>
  )
}

/** Kept of what it wrote. */
const mostChars = 200_000

function ProcessLog({ process }: { process: Process }) {
  const { client } = useDaemon()
  const [text, setText] = useState("")
  const box = useRef<HTMLPreElement>(null)
  useEffect(() => {
    const stop = new AbortController()
    const decoder = new TextDecoder()
    let all = ""
    let frame = 0
    const follow = async () => {
      for await (const event of client.processes.follow(process.id, { signal: stop.signal })) {
        if (event.type !== "log") continue
        all = (
          all +
          decoder.decode(
            Uint8Array.from(atob(event.data), (char) => char.charCodeAt(0)),
            { stream: true },
          )
        ).slice(-mostChars)
        if (frame === 0)
          frame = requestAnimationFrame(() => {
            frame = 0
            setText(all)
          })
      }
    }
    follow().catch((error: unknown) => {
      if (!stop.signal.aborted) setText(`${all}\n${error instanceof Error ? error.message : String(error)}`)
    })
    return () => {
      stop.abort()
      cancelAnimationFrame(frame)
    }
  }, [client, process.id])
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every change of the text
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [text])
  return (
    <pre className="output process-log" ref={box} tabIndex={0} role="group" aria-label="Log of the process">
      {text === "" ? <span className="soft">Nothing was written yet.</span> : <Ansi text={text} />}
    </pre>
  )
}
