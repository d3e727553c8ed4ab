/** Between two panes: dragged, or moved with the arrow keys. */
export function PaneEdge(props: {
  label: string
  value: number
  min: number
  max: number
  side: "left" | "right"
  onChange: (value: number) => void
}) {
  const { label, value, min, max, side, onChange } = props
  const within = (width: number) => Math.round(Math.min(max, Math.max(min, width)))
  const direction = side === "left" ? 1 : -1
  return (
    <div
      className={`edge ${side}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -16, ArrowRight: 16 }[event.key]
        if (step !== undefined) onChange(within(value + step * direction))
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
        onChange(within(side === "left" ? event.clientX : innerWidth - event.clientX))
      }}
    />
  )
}
