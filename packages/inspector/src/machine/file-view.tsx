import { Fragment, useEffect, useState } from "react"
import { ProblemError, type Session } from "sandbox-agent"
import { Highlight } from "../content/code-block.tsx"
import { Diff } from "../content/diff.tsx"
import { languageOf } from "../content/language.ts"
import { useDaemon } from "../daemon-context.ts"
import { Icon } from "../ui/icon.tsx"
import { attempt, failed, notify } from "../ui/notices.tsx"
import { bytes, commandKey } from "../ui/words.ts"

/** Larger files are downloaded, not shown. */
const mostBytes = 1024 * 1024

interface Loaded {
  text?: string
  etag?: string | undefined
  size: number
}

/** One file: read, changed only over what was read, compared with git, downloaded. */
export function FileView({
  path,
  session,
  onClose,
}: {
  path: string
  session: Session | undefined
  onClose: () => void
}) {
  const { client } = useDaemon()
  const [loaded, setLoaded] = useState<Loaded>()
  const [draft, setDraft] = useState<string>()
  const [diff, setDiff] = useState<string>()
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when it was written
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const load = async () => {
      const { size, etag } = await client.fs.head(path, { signal })
      if (size > mostBytes) return setLoaded({ size })
      const content = await client.fs.read(path, { signal })
      // What has a zero in it is no text.
      setLoaded({ size, etag, ...(content.includes(0) ? {} : { text: new TextDecoder().decode(content) }) })
    }
    load().catch((error: unknown) => {
      if (!signal.aborted) failed(error)
    })
    return () => stop.abort()
  }, [client, path, round])
  const save = async () => {
    try {
      await client.fs.write(path, draft ?? "", loaded?.etag ? { ifMatch: loaded.etag } : {})
      notify("Saved")
      setDraft(undefined)
      setRound((n) => n + 1)
    } catch (error) {
      if (error instanceof ProblemError && error.status === 412)
        failed(
          new Error(
            "Somebody changed the file meanwhile: nothing was written. Copy what you typed, close it and open it again.",
          ),
        )
      else failed(error)
    }
  }
  const download = async () => {
    const address = URL.createObjectURL(new Blob([await client.fs.read(path)]))
    const link = document.createElement("a")
    link.href = address
    link.download = path.split("/").at(-1) ?? "file"
    link.click()
    URL.revokeObjectURL(address)
  }
  const compare = async () => {
    const folder = path.replace(/\/[^/]*$/, "") || "/"
    const { stdout, stderr, exitCode } = await client.processes.run({
      command: "git",
      args: ["diff", "--no-ext-diff", "--no-color", "HEAD", "--", path],
      cwd: folder,
      ...(session && { sessionId: session.id }),
    })
    if (exitCode !== 0) throw new Error(stderr.trim() || "git does not know this file")
    if (stdout === "") notify("The same as in HEAD")
    else setDiff(stdout)
  }
  return (
    <div className="files">
      <div className="filters">
        <button type="button" className="icon-button file-back" aria-label="Back to the folder" onClick={onClose}>
          <Icon name="back" />
        </button>
        <b className="path grow" title={path}>
          {path.split("/").at(-1)}
        </b>
        <span className="soft">{loaded && bytes(loaded.size)}</span>
        <span className="file-actions">
          {/* Keys: a button that became another one would keep the focus. */}
          {draft === undefined ? (
            <Fragment key="read">
              {loaded?.text !== undefined && (
                <button type="button" className="edit" onClick={() => setDraft(loaded.text)}>
                  <Icon name="edit" size={14} /> Edit
                </button>
              )}
              <button
                type="button"
                aria-pressed={diff !== undefined}
                onClick={() => (diff === undefined ? attempt(compare()) : setDiff(undefined))}
              >
                Diff to HEAD
              </button>
              <button type="button" className="icon-button" aria-label="Download" onClick={() => attempt(download())}>
                <Icon name="download" />
              </button>
            </Fragment>
          ) : (
            <Fragment key="change">
              <button
                type="button"
                className="primary"
                title={`Save (${commandKey} S)`}
                onClick={() => attempt(save())}
              >
                Save
              </button>
              <button type="button" className="quiet" onClick={() => setDraft(undefined)}>
                Cancel
              </button>
            </Fragment>
          )}
        </span>
      </div>
      {loaded === undefined ? (
        <div className="shape late" />
      ) : draft !== undefined ? (
        <textarea
          autoFocus
          className="editor mono"
          aria-label={`Content of ${path}`}
          spellCheck={false}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return
            event.preventDefault()
            attempt(save())
          }}
        />
      ) : diff !== undefined ? (
        <Diff diff={diff} path={path} />
      ) : loaded.text === undefined ? (
        <p className="empty">{loaded.size > mostBytes ? "Too large to be shown" : "No text"}: download it.</p>
      ) : (
        <pre className="file-text" tabIndex={0} role="group" aria-label={`Content of ${path}`}>
          <Highlight code={loaded.text} language={languageOf(path)} />
        </pre>
      )}
    </div>
  )
}
