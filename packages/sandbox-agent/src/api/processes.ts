import type { ServerEvent } from "acp-http-client"
import { segment } from "../http/address.ts"
import type { EventStream } from "../http/event-stream.ts"
import type { CallOptions, Http } from "../http/http.ts"
import type { components } from "../openapi.gen.ts"
import type { AnswerOf, BodyOf, Process, QueryOf, RanProcess } from "../types.ts"
import { toBase64 } from "./base64.ts"
import { endingStream, endlessStream, parsed, type StreamOptions } from "./streams.ts"

type Schemas = components["schemas"]
type Wait = CallOptions & { waitMs?: number }

/** What a program that runs tells: its output, then its exit. */
export type RunEvent = ({ type: "log" } & Schemas["ProcessLogEntry"]) | ({ type: "exit" } & Schemas["ProcessExit"])
/** What a process tells: its output and ports, what is no longer kept, then its end. */
export type ProcessEvent =
  | ({ type: "log" } & Schemas["ProcessLogEntry"])
  | ({ type: "port" } & Schemas["ProcessPortEvent"])
  | ({ type: "gap" } & Schemas["ProcessGap"])
  | ({ type: "exit" } & Schemas["ProcessEnd"])

/** Programs on the machine that the daemon runs on. */
export class Processes {
  readonly #http: Http

  /** @internal */
  constructor(http: Http) {
    this.#http = http
  }

  /** Runs a program to its end; of long output the beginning and the end are kept. `timeoutMs` ends the program. */
  run(request: BodyOf<"runProcess">, options: { signal?: AbortSignal } = {}): Promise<RanProcess> {
    // The daemon ends the program in time and says so: the answer is waited for a while longer.
    const timeoutMs = (request.timeoutMs ?? this.#http.limits.workMs) + this.#http.limits.requestMs
    return this.#post("Running a program", "/v1/processes/run", request, { ...options, timeoutMs })
  }
  /** The same with all output as it is written. Leaving the stream ends the program. */
  runStream(request: BodyOf<"runProcess">, options: StreamOptions = {}): EventStream<RunEvent> {
    const call = { what: "Running a program", method: "POST" as const, path: "/v1/processes/run", json: request }
    return endingStream<RunEvent>(this.#http, call, isExit, options, named<RunEvent>(call.what))
  }

  getConfig(options?: CallOptions): Promise<AnswerOf<"getProcessConfig">> {
    return this.#get("Asking for limits of processes", "/v1/processes/config", options)
  }
  setConfig(config: BodyOf<"setProcessConfig">, options?: CallOptions): Promise<AnswerOf<"setProcessConfig">> {
    return this.#post("Setting limits of processes", "/v1/processes/config", config, options)
  }

  /** Starts a process that goes on. */
  start(request: BodyOf<"startProcess">, options?: CallOptions): Promise<Process> {
    return this.#post("Starting a process", "/v1/processes", request, options)
  }
  list({ owner, ...options }: CallOptions & QueryOf<"listProcesses"> = {}): Promise<AnswerOf<"listProcesses">> {
    return this.#http.json({
      ...options,
      what: "Listing processes",
      method: "GET",
      path: "/v1/processes",
      query: { owner },
    })
  }
  get(id: string, options?: CallOptions): Promise<Process> {
    return this.#get(`Asking for process ${id}`, process(id), options)
  }
  /** Its entry and its log; with `force` also one that runs. */
  async remove(id: string, { force, ...options }: CallOptions & QueryOf<"deleteProcess"> = {}): Promise<void> {
    const what = `Removing process ${id}`
    await this.#http.head({ ...options, what, method: "DELETE", path: process(id), query: { force }, slow: true })
  }
  /** Resolves when it has ended, or after `waitMs` as it is then. */
  wait(id: string, { waitMs, ...options }: Wait = {}): Promise<Process> {
    const what = `Waiting for process ${id}`
    return this.#http.json({
      ...options,
      what,
      method: "GET",
      path: `${process(id)}/wait`,
      query: { waitMs },
      slow: true,
    })
  }

  logs(id: string, options: CallOptions & Omit<QueryOf<"getProcessLogs">, "follow"> = {}) {
    const { signal, timeoutMs, ...query } = options
    const call = { what: `Reading the log of ${id}`, method: "GET" as const, path: `${process(id)}/logs`, query }
    return this.#http.json<AnswerOf<"getProcessLogs">>({ ...call, signal, timeoutMs })
  }
  /** The log, then live until the process ends; goes on through broken connections. */
  follow(
    id: string,
    { signal, onState, since, ...query }: StreamOptions & Omit<QueryOf<"getProcessLogs">, "follow"> = {},
  ): EventStream<ProcessEvent> {
    const call = { what: `Following process ${id}`, path: `${process(id)}/logs`, query: { ...query, follow: true } }
    const begin = since === undefined ? undefined : String(since)
    return endlessStream<ProcessEvent>(this.#http, call, { signal, onState }, begin, named(call.what), isExit)
  }

  /** Bytes, or text, to its input; `end` closes it. */
  input(
    id: string,
    data: string | Uint8Array,
    { end, ...options }: CallOptions & { end?: boolean } = {},
  ): Promise<AnswerOf<"writeProcessInput">> {
    const written =
      typeof data === "string"
        ? { data, encoding: "utf8" as const }
        : { data: toBase64(data), encoding: "base64" as const }
    return this.#post(`Writing to process ${id}`, `${process(id)}/input`, { ...written, end }, options)
  }
  signal(id: string, request: BodyOf<"signalProcess">, options?: CallOptions): Promise<Process> {
    return this.#post(`Signalling process ${id}`, `${process(id)}/signal`, request, options)
  }
  /** Asks it, and what it started, to end. */
  stop(id: string, options: Wait = {}): Promise<Process> {
    return this.#end("stop", id, options)
  }
  kill(id: string, options: Wait = {}): Promise<Process> {
    return this.#end("kill", id, options)
  }

  #end(how: "stop" | "kill", id: string, { waitMs, ...options }: Wait): Promise<Process> {
    const call = { what: `Ending process ${id}`, method: "POST" as const, path: `${process(id)}/${how}` }
    return this.#http.json({ ...options, ...call, query: { waitMs }, slow: true })
  }
  #get<T>(what: string, path: string, options?: CallOptions): Promise<T> {
    return this.#http.json({ ...options, what, method: "GET", path })
  }
  #post<T>(what: string, path: string, json: unknown, options?: CallOptions): Promise<T> {
    return this.#http.json({ ...options, what, method: "POST", path, json })
  }
}

const process = (id: string): string => `/v1/processes/${segment(id)}`
const isExit = ({ type }: { type: string }): boolean => type === "exit"

/** Here the name of the event says what its data is. */
function named<T>(what: string): (event: ServerEvent) => T {
  return (event) => ({ type: event.event, ...parsed<object>(what, event) }) as T
}
