import { isRecord } from "./envelope.ts"

/** What of a client's capabilities changes what it is sent. Envelopes are the same for clients with the same traits. */
export interface Traits {
  /** The ACP version agreed on in `initialize`; the second projection will be 2. */
  readonly version: 1
  /** Elicitation as a form, and as an address to open; each is advertised on its own. */
  readonly form: boolean
  readonly url: boolean
  /** Live notices for the user. */
  readonly notices: boolean
  /** What an agent that speaks ACP tells of compacting its context. */
  readonly compaction?: boolean
  /** The `_meta` key under which the client takes the output of a running command, where it asked for one. */
  readonly output?: "terminal_output" | "terminal_output_delta"
}

/** The capabilities as the client sent them: whatever is not what it should be counts as absent. */
export function traitsOf(clientCapabilities: unknown): Traits {
  const at = (...path: string[]): unknown =>
    path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), clientCapabilities)
  const outputs = ["terminal_output", "terminal_output_delta"] as const
  const output = outputs.find((key) => at("_meta", key) === true)
  return {
    version: 1,
    form: isRecord(at("elicitation", "form")),
    url: isRecord(at("elicitation", "url")),
    notices: isRecord(at("session", "notices")),
    ...(isRecord(at("session", "compaction")) && { compaction: true }),
    ...(output !== undefined && { output }),
  }
}

/** Asked for with every page of every client. */
const keys = new WeakMap<Traits, string>()

/** One key for all clients that are sent the same bytes. */
export function traitsKey(traits: Traits): string {
  const known = keys.get(traits)
  if (known !== undefined) return known
  const { version, form, url, notices, compaction, output } = traits
  const named = [form && "form", url && "url", notices && "notices", compaction && "compaction"]
  const key = [version, ...named, output ?? ""].join(",")
  keys.set(traits, key)
  return key
}
