import { intervalNames } from "@sandbox-agent/schema/intervals"
import { limits } from "@sandbox-agent/schema/limits"
import { camelCase, type Flag } from "./flag.ts"

/** A setting of the server: a flag, an environment variable and a key of the config file at once. */
export interface ServerFlag extends Flag {
  readonly type: "string" | "number" | "boolean" | "list"
  readonly default?: string | number
  /** The default in words, where it is not a constant. */
  readonly defaultText?: string
  readonly min?: number
  readonly max?: number
  /** `off` is a value too, and means none. */
  readonly off?: boolean
  /** What each value must look like, and the same in words. */
  readonly pattern?: RegExp
  readonly allowed?: string
  /** Not a key of the config file. */
  readonly notInFile?: boolean
}

const hostName = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/
const httpToken = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

export const tokenPattern = /^[\x21-\x7e]{1,1024}$/
export const tokenAllowed = "1 to 1024 printable characters without spaces"

export const serverFlags = [
  {
    name: "token",
    type: "string",
    placeholder: "T",
    pattern: tokenPattern,
    allowed: tokenAllowed,
    help: "token every request must carry",
    defaultText: "one is made and printed",
  },
  { name: "no-token", type: "boolean", help: "serve without a token" },
  {
    name: "host",
    type: "string",
    placeholder: "H",
    default: "127.0.0.1",
    pattern: /^[A-Za-z0-9._:%-]{1,255}$/,
    allowed: "a host name or an address",
    help: "address to listen on",
  },
  {
    name: "port",
    type: "number",
    placeholder: "N",
    default: 2468,
    min: 0,
    max: 65535,
    help: "port to listen on; 0 takes any free one, and the address is printed",
  },
  {
    name: "data-dir",
    type: "string",
    placeholder: "DIR",
    path: true,
    defaultText: "$XDG_DATA_HOME/sandbox-agent, else ~/.local/share/sandbox-agent",
    help: "where sessions, agents and the log are kept",
  },
  {
    name: "store",
    type: "string",
    values: ["sqlite", "memory"],
    default: "sqlite",
    help: "where the event logs are kept",
  },
  {
    name: "cors-allow-origin",
    type: "list",
    placeholder: "ORIGIN",
    pattern: /^(\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+)$/i,
    allowed: "an origin such as https://app.example.com, or *",
    help: "origin whose pages may call (repeat, or separate by commas)",
  },
  {
    name: "cors-allow-method",
    type: "list",
    placeholder: "METHOD",
    pattern: httpToken,
    allowed: "HTTP methods",
    help: "method such pages may use",
    defaultText: "those the daemon serves",
  },
  {
    name: "cors-allow-header",
    type: "list",
    placeholder: "HEADER",
    pattern: httpToken,
    allowed: "HTTP header names",
    help: "request header such pages may send",
    defaultText: "those the daemon reads",
  },
  { name: "cors-allow-credentials", type: "boolean", help: "allow such pages to send credentials (cookies)" },
  {
    name: "allow-host",
    type: "list",
    placeholder: "NAME",
    pattern: hostName,
    allowed: "host names, with a port if need be",
    help: "name clients may use in the Host header",
  },
  {
    name: "allow-url-token",
    type: "boolean",
    help: "accept the token in the URL of a terminal (access_token) also off loopback, for clients that cannot send it otherwise",
  },
  { name: "closed-docs", type: "boolean", help: "ask for the token at /docs and /openapi.json too" },
  { name: "allow-open", type: "boolean", help: "allow --no-token on an address others can reach" },
  {
    name: "fs-root",
    type: "list",
    placeholder: "DIR",
    path: true,
    help: "folder that sessions, attachments and files of agents must be in (repeatable; without one, anywhere)",
  },
  {
    name: "agent-user",
    type: "string",
    placeholder: "NAME",
    pattern: /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/,
    allowed: "the name of a user",
    help: "user that agents run as, so that they reach nothing of the daemon (Linux; needs root)",
    defaultText: "that of the daemon",
  },
  {
    name: "agent-dir",
    type: "string",
    placeholder: "DIR",
    path: true,
    help: "where agents of --agent-user have their homes, programs and attachments",
    defaultText: "beside the data directory, with the user's name",
  },
  {
    name: "default-agent",
    type: "string",
    placeholder: "AGENT",
    pattern: /^[A-Za-z0-9._:-]{1,128}$/,
    allowed: "an agent id",
    help: "agent for clients, and for `run`, that name none",
  },
  {
    name: "agent-path",
    type: "list",
    placeholder: "AGENT=PATH",
    pattern: /^[A-Za-z0-9._-]{1,128}=\/.+$/,
    allowed: "an agent and the absolute path of its program, such as claude=/opt/claude",
    help: "program of an agent, in place of a managed one or one on PATH",
  },
  {
    name: "agents-file",
    type: "string",
    placeholder: "FILE",
    path: true,
    help: "more ACP agents, as a file of the ACP registry's format",
  },
  {
    name: "install-source",
    type: "list",
    placeholder: "npm|vendor",
    pattern: /^(npm|vendor)$/,
    allowed: "npm, vendor",
    defaultText: "npm, then vendor",
    help: "where agents are installed from, in this order",
  },
  {
    name: "config",
    type: "string",
    placeholder: "FILE",
    path: true,
    notInFile: true,
    defaultText: "$XDG_CONFIG_HOME/sandbox-agent/config.json, if it exists",
    help: "JSON file with these settings, keys in camelCase",
  },
  { name: "fsync", type: "boolean", help: "survive power loss, not only crashes; slower" },
  {
    name: "idle-stop-ms",
    type: "number",
    placeholder: "MS",
    default: limits.idleStopMs,
    min: 1,
    max: 2 ** 31 - 1,
    help: "stop an agent's process when it has been idle this long",
  },
  {
    name: "stalled-reader-seconds",
    type: "number",
    placeholder: "N",
    default: limits.stalledReaderSeconds,
    min: 1,
    max: 86_400,
    help: "close an event stream whose client reads nothing for this long",
  },
  {
    name: "interval",
    type: "list",
    placeholder: "NAME=MS",
    pattern: new RegExp(`^(${intervalNames.join("|")})=[1-9]\\d{0,8}$`),
    allowed: `one of ${intervalNames.join(", ")} and milliseconds, such as heartbeatMs=5000`,
    help: `how long or how often the daemon waits: ${intervalNames.join(", ")}`,
    defaultText: "fit for most",
  },
  {
    name: "retention-days",
    type: "number",
    placeholder: "N",
    off: true,
    min: 1,
    max: 36_500,
    defaultText: "off",
    help: "drop events older than this",
  },
  {
    name: "retention-bytes",
    type: "number",
    placeholder: "N",
    off: true,
    min: 1,
    defaultText: "off",
    help: "drop the oldest events when all logs together are larger than this",
  },
  {
    name: "max-store-bytes",
    type: "number",
    placeholder: "N",
    off: true,
    min: 1,
    defaultText: "off",
    help: "refuse new messages when the store is this large",
  },
  {
    name: "log-level",
    type: "string",
    values: ["debug", "info", "warn", "error"],
    default: "info",
    help: "log level",
  },
  {
    name: "log-format",
    type: "string",
    values: ["json", "pretty"],
    defaultText: "pretty on a terminal, else json",
    help: "log format",
  },
] as const satisfies readonly ServerFlag[]

export const envOf = (name: string): string => `SANDBOX_AGENT_${name.replaceAll("-", "_").toUpperCase()}`
export const keyOf = (name: string): string => camelCase(name)

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S
type Always<F, V> = F extends { default: unknown } ? V : V | undefined
type Value<F> = F extends { type: "boolean" }
  ? boolean
  : F extends { type: "list" }
    ? string[]
    : F extends { type: "number" }
      ? Always<F, number>
      : F extends { values: readonly (infer V)[] }
        ? Always<F, V>
        : Always<F, string>

export type ServerFlagName = (typeof serverFlags)[number]["name"]
/** A value for each flag, by its name in camelCase. */
export type ServerValues = { [F in (typeof serverFlags)[number] as Camel<F["name"]>]: Value<F> }
