import { type ReactNode, type RefObject, useEffect, useId, useRef } from "react"
import { Icon } from "./icon.tsx"

/**
 * The browser's own dialog: focus stays in it, Escape closes it, and what was focused before is focused again. It begins at the first
 * thing that takes the focus, or at `begin`.
 */
export function Dialog(props: {
  title: string
  onClose: () => void
  children: ReactNode
  wide?: boolean
  bare?: boolean
  begin?: RefObject<HTMLElement | null>
}) {
  const { title, onClose, children, wide, bare, begin } = props
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    // What is in a closed dialog takes no focus: `autoFocus` comes too early.
    begin?.current?.focus()
    return () => dialog?.close()
  }, [begin])
  return (
    <dialog
      ref={ref}
      className={`${wide ? "wide " : ""}${bare ? "bare" : ""}`}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div className="dialog">
        <header>
          <h2 id={id} className={bare ? "said" : ""}>
            {title}
          </h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
