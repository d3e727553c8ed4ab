import { useRef, useState } from "react"
import type { FileEntry, Session, TranscriptState } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { adjust, useRoute } from "../route.ts"
import { isGone } from "../sessions/no-session.tsx"
import { useFrames } from "../store.ts"
import { useAddressed } from "../ui/addressed.ts"
import { hasFiles } from "../ui/dragged.ts"
import { Icon } from "../ui/icon.tsx"
import { useKeptFocus } from "../ui/kept-focus.ts"
import { attempt, notify } from "../ui/notices.tsx"
import { bytes, exact } from "../ui/words.ts"
import { useAsked } from "./asked.ts"
import { FileSearch } from "./file-search.tsx"
import { FileView } from "./file-view.tsx"

/** Files of the machine, from the session's directory on. */
export function Files({ session }: { session: Session | undefined }) {
  return session === undefined ? <Tree session={undefined} root="" /> : <OfSession session={session} />
}

function OfSession({ session }: { session: Session }) {
  const { session: info, error } = useFrames<TranscriptState>(session.transcript)
  if (info === undefined && error !== undefined) return <Tree session={undefined} root="" />
  return info === undefined ? (
    <div className="shape late" />
  ) : (
    <Tree key={info.directory} session={isGone(error) ? undefined : session} root={info.directory} />
  )
}

function Tree({ session, root }: { session: Session | undefined; root: string }) {
  const { client } = useDaemon()
  const { folder = root, file } = useRoute()
  /** What was opened last: one comes back to it. */
  const [last, setLast] = useState<string>()
  const [words, setWords] = useAddressed("words")
  const { value, error, again } = useAsked(() => client.fs.list(folder || undefined), [client, folder], 5000)
  const entries = (value?.entries ?? []).toSorted((a, b) =>
    a.entryType === b.entryType ? (a.name < b.name ? -1 : 1) : a.entryType === "directory" ? -1 : 1,
  )
  const here = folder || (entries[0]?.path.replace(/\/[^/]*$/, "") ?? "")
  const upload = async (files: readonly File[]) => {
    for (const one of files) await client.fs.write(`${here}/${one.name}`, one)
    if (files.length > 0) notify(`${files.length === 1 ? files[0]?.name : `${files.length} files`} uploaded`)
    again()
  }
  const place = useRef<HTMLDivElement>(null)
  // An entry that is opened goes away, and so does a file that is closed: the focus goes on in what comes.
  useKeptFocus(place, () => {
    const find = (selector: string) => place.current?.querySelector<HTMLElement>(selector)
    const ofFile = find(".editor") ?? find(".file-actions .edit") ?? find(".file-back")
    return ofFile ?? find(".entries [data-last]") ?? find(".entries button")
  })
  const goTo = (path: string) => adjust({ folder: path === root ? undefined : path, file: undefined })
  const open = (path: string, isFolder: boolean) => {
    setLast(path)
    if (isFolder) goTo(path)
    else adjust({ file: path })
  }
  if (file !== undefined)
    return (
      <div className="files-place" ref={place}>
        <FileView key={file} path={file} session={session} onClose={() => adjust({ file: undefined })} />
      </div>
    )
  return (
    <div className="files-place" ref={place}>
      <div
        className="files"
        onDragOver={(event) => hasFiles(event.dataTransfer) && event.preventDefault()}
        onDrop={(event) => {
          if (!hasFiles(event.dataTransfer)) return
          event.preventDefault()
          attempt(upload(filesOf(event.dataTransfer)))
        }}
      >
        <div className="filters">
          <label className="search">
            <Icon name="search" size={14} />
            <input
              type="search"
              aria-label="Search in files"
              placeholder="Search in files"
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
          </label>
          <label className="upload">
            <Icon name="upload" size={14} /> Upload
            <input
              type="file"
              multiple
              aria-label="Files to upload"
              onChange={(event) => event.target.files && attempt(upload([...event.target.files]))}
            />
          </label>
        </div>
        <Crumbs path={here} onGo={goTo} />
        {error && <p className="note bad">{error}</p>}
        {words.trim().length > 1 ? (
          <FileSearch pattern={words.trim()} path={here} onOpen={(found) => open(found, false)} />
        ) : (
          <ul className="entries" aria-label={`Files in ${here}`}>
            {entries.map((entry) => (
              <Entry
                key={entry.path}
                entry={entry}
                isLast={entry.path === last}
                onOpen={() => open(entry.path, entry.entryType === "directory")}
              />
            ))}
            {value && entries.length === 0 && <li className="empty">Nothing is here. Drop files to upload them.</li>}
          </ul>
        )}
      </div>
    </div>
  )
}

/** A folder is dropped as a file that cannot be read: it is named, and the others are taken. */
function filesOf({ items }: DataTransfer): File[] {
  return [...items].flatMap((item) => {
    const entry = item.webkitGetAsEntry()
    const file = item.getAsFile()
    if (entry?.isDirectory) notify(`${entry.name} is a folder; pack it, or drop its files`, { kind: "bad" })
    return file === null || entry?.isDirectory ? [] : [file]
  })
}

function Crumbs({ path, onGo }: { path: string; onGo: (path: string) => void }) {
  const parts = path.split("/").filter(Boolean)
  return (
    <nav className="crumbs" aria-label="Folder">
      <button type="button" className="quiet" onClick={() => onGo("/")}>
        /
      </button>
      {parts.map((part, at) => (
        <button
          key={parts.slice(0, at + 1).join("/")}
          type="button"
          className="quiet"
          aria-current={at === parts.length - 1 ? "page" : undefined}
          onClick={() => onGo(`/${parts.slice(0, at + 1).join("/")}`)}
        >
          {part}
        </button>
      ))}
    </nav>
  )
}

function Entry({ entry, isLast, onOpen }: { entry: FileEntry; isLast: boolean; onOpen: () => void }) {
  const isFolder = entry.entryType === "directory"
  return (
    <li>
      <button
        type="button"
        className="event"
        data-last={isLast || undefined}
        disabled={entry.special !== undefined}
        onClick={onOpen}
      >
        <Icon name={isFolder ? "folder" : "file"} size={14} />
        <span className="glance">
          {entry.name}
          {entry.symlink && ` → ${entry.symlink}`}
        </span>
        <span className="soft">{isFolder ? "" : bytes(entry.size)}</span>
        <time title={exact(entry.modified)}>{entry.modified.slice(0, 10)}</time>
      </button>
    </li>
  )
}
