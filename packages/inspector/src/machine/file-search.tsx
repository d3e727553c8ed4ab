import { useEffect, useState } from "react"
import { useDaemon } from "../daemon-context.ts"
import { Icon } from "../ui/icon.tsx"
import { plural } from "../ui/words.ts"

interface Found {
  path: string
  line?: number
  text?: string
}

const most = 200

/** Names first, then lines, as they are found; another word ends it. */
export function FileSearch({
  pattern,
  path,
  onOpen,
}: {
  pattern: string
  path: string
  onOpen: (path: string) => void
}) {
  const { client } = useDaemon()
  const [found, setFound] = useState<readonly Found[]>([])
  const [state, setState] = useState("Searching")
  useEffect(() => {
    const stop = new AbortController()
    setFound([])
    setState("Searching")
    const search = async () => {
      const options = { path, signal: stop.signal, ignoreCase: true }
      for await (const event of client.fs.search(pattern, { ...options, mode: "names", limit: 20 }))
        if (event.type === "name") setFound((all) => [...all, { path: event.path }])
      for await (const event of client.fs.search(pattern, { ...options, mode: "text", limit: most })) {
        if (event.type === "match")
          setFound((all) => [...all, { path: event.path, line: event.line, text: event.text }])
        if (event.type === "done")
          setState(
            `${plural(event.matches, "line")}${event.truncated ? ", and there are more" : ""}; ${plural(event.files, "file")} searched`,
          )
      }
    }
    const timer = setTimeout(() => {
      search().catch((error: unknown) => {
        if (!stop.signal.aborted) setState(error instanceof Error ? error.message : String(error))
      })
    }, 200)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [client, pattern, path])
  return (
    <div className="entries">
      <p className="empty" role="status">
        {state}
      </p>
      <ul aria-label="Found">
        {found.map(({ path: at, line, text }) => (
          <li key={`${at}:${line ?? 0}`}>
            <button type="button" className="event" onClick={() => onOpen(at)}>
              <Icon name={line === undefined ? "file" : "search"} size={14} />
              <span className="glance">
                {at.startsWith(`${path}/`) ? at.slice(path.length + 1) : at}
                {line !== undefined && `:${line}`}
                {text && <span className="soft"> {text.trim()}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
