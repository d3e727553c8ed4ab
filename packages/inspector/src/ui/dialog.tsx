import { type ReactNode, useEffect, useId, useRef } from "react"
import { Icon } from "./icon.tsx"

/** The browser's own dialog: focus stays in it, Escape closes it, and what was focused before is focused again. */
export function Dialog(props: {
  title: string
  onClose: () => void
  children: ReactNode
  wide?: boolean
  bare?: boolean
}) {
  const { title, onClose, children, wide, bare } = props
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      className={`${wide ? "wide " : ""}${bare ? "bare" : ""}`}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div className="dialog">
        <header className={bare ? "hidden" : ""}>
          <h2 id={id}>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
