/** Where the daemon's own data lives inside `_meta`. */
export const NAMESPACE = "sandboxagent.dev"

/** What the daemon put beside a message of the protocol. */
export interface DaemonMeta {
  itemId?: string
  /** The item this hangs on. */
  parentId?: string
  reset?: boolean
  item?: { itemId: string; kind: string; content?: unknown }
  turnId?: string
  messageId?: string
  healthy?: boolean
  error?: unknown
}

export function daemonMetaIn(value: unknown): DaemonMeta {
  const meta = (value as { _meta?: Record<string, unknown> | null } | null | undefined)?._meta
  return (meta?.[NAMESPACE] ?? {}) as DaemonMeta
}

export const ours = (fields: Record<string, unknown>) => ({ _meta: { [NAMESPACE]: fields } })
