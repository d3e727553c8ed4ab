import { useMemo, useRef, useState } from "react"
import { VList, type VListHandle } from "virtua"
import { CodeBlock } from "../content/code-block.tsx"
import { useStore } from "../store.ts"
import { useAddressed } from "../ui/addressed.ts"
import { Icon } from "../ui/icon.tsx"
import { useKeptFocus } from "../ui/kept-focus.ts"
import { copyText } from "../ui/notices.tsx"
import { pickKeys } from "../ui/pick-keys.ts"
import { bytes } from "../ui/words.ts"
import { curlOf, httpLog, type LoggedRequest } from "./http-log.ts"

/** Every request that this page made, as a browser's own tools would show them, with a line for a shell. */
export function HttpPanel() {
  const all = useStore(httpLog)
  const [text, setText] = useAddressed("words")
  const [chosen, setChosen] = useState<number>()
  const shown = useMemo(
    () =>
      all
        .filter(({ url, method, status }) => `${method} ${url} ${status}`.toLowerCase().includes(text.toLowerCase()))
        .toReversed(),
    [all, text],
  )
  const selected = all.find(({ id }) => id === chosen)
  const list = useRef<VListHandle>(null)
  const place = useRef<HTMLDivElement>(null)
  // What was looked at is closed: one goes on in the list.
  useKeptFocus(place, () => place.current?.querySelector<HTMLElement>(".event-list"))
  const at = shown.findIndex(({ id }) => id === chosen)
  const choose = (to: number) => {
    setChosen(shown[to]?.id)
    list.current?.scrollToIndex(to, { align: "nearest" })
  }
  return (
    <div className="http-log" ref={place}>
      <div className="filters">
        <label className="search">
          <Icon name="search" size={14} />
          <input
            type="search"
            aria-label="Filter requests"
            placeholder="Filter by method, path or status"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <button type="button" className="quiet" onClick={() => httpLog.set([])}>
          Clear
        </button>
      </div>
      {shown.length === 0 && <p className="empty">No request yet.</p>}
      <VList
        ref={list}
        className="event-list"
        data={shown}
        itemSize={26}
        // Named as the one that has the focus, so it is there wherever one scrolls.
        keepMounted={at < 0 ? undefined : [at]}
        tabIndex={0}
        role="listbox"
        aria-label="Requests"
        aria-activedescendant={at < 0 ? undefined : `request-${chosen}`}
        onKeyDown={pickKeys(shown.length, at, choose)}
      >
        {(one) => (
          <RequestLine key={one.id} request={one} selected={one.id === chosen} onChoose={() => setChosen(one.id)} />
        )}
      </VList>
      {selected && <RequestDetail request={selected} onClose={() => setChosen(undefined)} />}
    </div>
  )
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function RequestLine({
  request,
  selected,
  onChoose,
}: {
  request: LoggedRequest
  selected: boolean
  onChoose: () => void
}) {
  const { method, url, status, ms, error } = request
  const bad = error !== undefined || (status ?? 0) >= 400
  return (
    <button
      type="button"
      id={`request-${request.id}`}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      className="event"
      onClick={onChoose}
    >
      <span className={`method ${method}`}>{method}</span>
      <span className="glance">{pathOf(url)}</span>
      <span className={bad ? "bad" : "soft"}>{error === undefined ? (status ?? "…") : "failed"}</span>
      <span className="elapsed">{ms === undefined ? "" : `${Math.round(ms)} ms`}</span>
    </button>
  )
}

function RequestDetail({ request, onClose }: { request: LoggedRequest; onClose: () => void }) {
  const curl = curlOf(request)
  return (
    <div className="event-detail" role="region" aria-label="Request">
      <div className="head">
        <b>
          {request.method} {request.status ?? ""}
        </b>
        <span className="glance soft">
          {new Date(request.at).toLocaleTimeString()} {request.type}{" "}
          {request.bytes === undefined ? "" : bytes(request.bytes)}
        </span>
        <button type="button" onClick={() => void copyText(curl, "Copied; set SANDBOX_AGENT_TOKEN to run it")}>
          <Icon name="copy" size={14} /> Copy as curl
        </button>
        <button type="button" className="icon-button" aria-label="Close the request" onClick={onClose}>
          <Icon name="close" size={14} />
        </button>
      </div>
      {request.error && <p className="note bad">{request.error}</p>}
      <CodeBlock code={curl} language="bash" />
    </div>
  )
}
