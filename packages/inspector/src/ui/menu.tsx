import { type ReactNode, useEffect, useRef, useState } from "react"
import { Icon, type IconName } from "./icon.tsx"

export interface MenuEntry {
  label: string
  icon?: IconName
  hint?: string
  bad?: boolean
  run: () => void
}

/** A button that opens a list of actions; arrow keys move in it, Escape and leaving it close it. */
export function Menu({
  label,
  entries,
  children,
}: {
  label: string
  entries: readonly MenuEntry[]
  children?: ReactNode
}) {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (open) list.current?.querySelector("button")?.focus()
  }, [open])
  const close = (focus: boolean) => {
    setOpen(false)
    if (focus) root.current?.querySelector("button")?.focus()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === "Escape") close(true)
    else if (event.key === "Home") buttons[0]?.focus()
    else if (event.key === "End") buttons.at(-1)?.focus()
    else if (step !== undefined) buttons[(at + step + buttons.length) % buttons.length]?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      className="menu"
      ref={root}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}
    >
      <button
        type="button"
        className={children === undefined ? "icon-button" : "quiet"}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {children ?? <Icon name="dots" />}
      </button>
      {open && (
        <div className="menu-list" role="menu" aria-label={label} tabIndex={-1} ref={list} onKeyDown={onKeyDown}>
          {entries.map((entry) => (
            <button
              key={entry.label}
              type="button"
              role="menuitem"
              className={entry.bad ? "bad" : ""}
              onClick={() => {
                close(true)
                entry.run()
              }}
            >
              {entry.icon && <Icon name={entry.icon} />}
              <span>{entry.label}</span>
              {entry.hint && <small>{entry.hint}</small>}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
