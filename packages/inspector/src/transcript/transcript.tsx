import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import type { Session, TranscriptState } from "sandbox-agent"
import { Virtualizer, type VirtualizerHandle } from "virtua"
import { useRoute } from "../route.ts"
import { useLatest } from "../store.ts"
import { Icon } from "../ui/icon.tsx"
import { attempt } from "../ui/notices.tsx"
import { plural } from "../ui/words.ts"
import { ItemBody } from "./item-body.tsx"
import { ItemTools } from "./item-tools.tsx"
import { usePressed } from "./pressed.ts"
import { type Row, Rows } from "./rows.ts"
import { ToolCall } from "./tool-call.tsx"
import { TurnEnding, TurnRule } from "./turn-rule.tsx"
import { WaitingCalls, waitingCallsOf } from "./waiting-calls.ts"

/** As near to the end as counts as being there. */
const nearEnd = 40
/** The past is loaded when so much of it is left above. */
const nearBegin = 800
/** What happens so soon after the reader did something was the reader's doing. */
const movedMs = 400

const RowView = memo(({ session, row, marked }: { session: Session; row: Row; marked: boolean }) => {
  if (row.kind === "turn") return <TurnRule session={session} turn={row.turn} number={row.number} />
  if (row.kind === "ending") return <TurnEnding turn={row.turn} />
  const { item, result, inside } = row
  return (
    <article
      className={`row ${marked ? "marked" : ""}`}
      id={`item-${item.item_id}`}
      tabIndex={-1}
      data-item={item.item_id}
    >
      {item.kind === "tool_call" ? (
        <ToolCall session={session} item={item} result={result} inside={inside} />
      ) : (
        <ItemBody session={session} item={item} />
      )}
      <ItemTools session={session} item={item} result={result} />
    </article>
  )
})

export function TranscriptView({ session, state }: { session: Session; state: TranscriptState }) {
  const rowsOf = useRef(new Rows())
  const rows = rowsOf.current.of(state.items, state.turns, !state.hasOlder)
  const { permissions, questions } = state
  const waiting = useMemo(() => waitingCallsOf({ permissions, questions }), [permissions, questions])
  const { item: wanted } = useRoute()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const following = useRef(true)
  /** When the reader last did something to it. */
  const moved = useRef(Number.NEGATIVE_INFINITY)
  const pressed = useRef(false)
  const last = useLatest(rows.at(-1)?.key ?? "")
  /** The row that was the last one when the reader left the end. */
  const [seen, setSeen] = useState<string>()
  const shift = useShift(rows)
  const older = useCallback(() => {
    if (session.transcript.getSnapshot().hasOlder) attempt(session.transcript.loadOlder())
  }, [session])

  const toEnd = useCallback(() => {
    const box = scroller.current
    if (box) box.scrollTop = box.scrollHeight
  }, [])
  const onMove = useCallback(() => {
    moved.current = performance.now()
  }, [])
  /** Only who moves it leaves the end: rows that are measured move it, too. */
  const settle = useCallback(() => {
    const box = scroller.current
    if (box === null || pressed.current) return
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < nearEnd
    if (atEnd === following.current || (!atEnd && performance.now() - moved.current > movedMs)) return
    following.current = atEnd
    setSeen(atEnd ? undefined : last.current)
  }, [last])
  const onScroll = () => {
    settle()
    if ((scroller.current?.scrollTop ?? 0) < nearBegin) older()
  }
  usePressed(
    scroller,
    pressed,
    useCallback(() => {
      onMove()
      settle()
    }, [onMove, settle]),
  )
  // What grows after it was drawn, such as pictures, is followed too; what the reader opens stays where it is.
  useEffect(() => {
    const box = scroller.current
    const content = box?.firstElementChild
    if (!box || !content) return
    const watch = new ResizeObserver(() => {
      if (pressed.current || performance.now() - moved.current < movedMs) settle()
      else if (following.current) toEnd()
      if (box.scrollHeight <= box.clientHeight + nearBegin) older()
    })
    watch.observe(content)
    watch.observe(box)
    return () => watch.disconnect()
  }, [toEnd, older, settle])
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every change of the rows
  useLayoutEffect(() => {
    if (following.current && !pressed.current && performance.now() - moved.current > movedMs) toEnd()
  }, [rows, toEnd])
  useWanted(rows, wanted, state, older, (at) => {
    following.current = false
    setSeen(last.current)
    list.current?.scrollToIndex(at, { align: "center" })
  })

  const fresh = seen === undefined ? 0 : rows.length - 1 - rows.findLastIndex((row) => row.key === seen)
  return (
    <div className="transcript-frame">
      <div
        className="transcript"
        ref={scroller}
        onScroll={onScroll}
        onWheel={onMove}
        onTouchMove={onMove}
        onPointerDown={onMove}
        onKeyDown={onMove}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Transcript"
      >
        <WaitingCalls value={waiting}>
          <Virtualizer ref={list} scrollRef={scroller} shift={shift} data={rows as Row[]} bufferSize={400}>
            {(row) => (
              <RowView key={row.key} session={session} row={row} marked={row.kind === "item" && row.key === wanted} />
            )}
          </Virtualizer>
        </WaitingCalls>
      </div>
      {seen !== undefined && (
        <button
          type="button"
          className="pill"
          onClick={() => {
            following.current = true
            moved.current = Number.NEGATIVE_INFINITY
            setSeen(undefined)
            // By the list: it still goes to the item that the address names, whenever a row around it is measured.
            list.current?.scrollTo(Number.MAX_SAFE_INTEGER)
          }}
        >
          {fresh > 0 ? plural(fresh, "new item") : "To the end"} <Icon name="down" size={14} />
        </button>
      )}
    </div>
  )
}

/** True for the drawing in which older rows came in front, so that what is read stays where it is. */
function useShift(rows: readonly Row[]): boolean {
  const before = useRef<{ rows: readonly Row[]; shift: boolean }>({ rows, shift: false })
  if (before.current.rows !== rows) {
    const first = before.current.rows.find((row) => row.kind === "item")?.key
    const now = rows.find((row) => row.kind === "item")?.key
    const shift = first !== undefined && now !== first && rows.length > before.current.rows.length
    before.current = { rows, shift }
  }
  return before.current.shift
}

/** Goes to the item that the address names, once; loads the past until it is there. */
function useWanted(
  rows: readonly Row[],
  wanted: string | undefined,
  { hasOlder, loading }: TranscriptState,
  older: () => void,
  show: (at: number) => void,
): void {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (wanted === undefined || loading) shown.current = undefined
    if (wanted === undefined || loading || shown.current === wanted) return
    const at = rows.findIndex((row) => row.key === wanted || (row.kind === "item" && row.result?.item_id === wanted))
    if (at >= 0) {
      shown.current = wanted
      show(at)
    } else if (hasOlder) older()
  })
}
