import type { Query } from "../http/address.ts"
import { allBytes, bodyBytes } from "../http/body-bytes.ts"
import type { EventStream } from "../http/event-stream.ts"
import type { Bytes, CallOptions, Http } from "../http/http.ts"
import type { OnProgress, Progress } from "../http/progress.ts"
import { withProgress } from "../http/sent-bytes.ts"
import type { AnswerOf, BodyOf, FileChange, FileEntry, FileStat, QueryOf, StreamOf } from "../types.ts"
import { endingStream, endlessStream, type StreamOptions } from "./streams.ts"
import {
  type DownloadOptions,
  download,
  type Uploaded,
  type UploadOptions,
  type UploadSource,
  upload,
} from "./transfers.ts"

type Rest<Id extends "listFsEntries" | "readFsFile" | "writeFsFile" | "archiveFs" | "watchFs" | "searchFs"> = Omit<
  QueryOf<Id>,
  "path" | "pattern"
>
type InSession = { sessionId?: string }

/** What the head of an answer says of a file. */
export interface FileHead {
  size: number
  etag?: string
  mime?: string
  modifiedAt?: Date
}

export interface ReadOptions extends CallOptions, Rest<"readFsFile"> {
  onProgress?: OnProgress
  /** First byte and last, both included. */
  range?: { start: number; end?: number }
}

export interface WriteOptions extends CallOptions, Rest<"writeFsFile"> {
  onProgress?: OnProgress
  /** Only over a file of this tag. */
  ifMatch?: string
  /** Only where there is none. */
  ifNoneMatch?: "*"
}

/** Files of the machine that the daemon runs on. Relative paths need a `sessionId`, whose directory they are told from. */
export class Files {
  readonly #http: Http

  /** @internal */
  constructor(http: Http) {
    this.#http = http
  }

  /** A page of the entries of a folder. */
  list(
    path?: string,
    { signal, timeoutMs, ...query }: CallOptions & Rest<"listFsEntries"> = {},
  ): Promise<{ entries: FileEntry[]; nextCursor?: string }> {
    const call = { what: `Listing ${path ?? "files"}`, method: "GET" as const, path: "/v1/fs/entries" }
    return this.#http.whole({ ...call, query: { path, ...query }, signal, timeoutMs }, async (response) => {
      const entries = (await response.json()) as FileEntry[]
      const nextCursor = response.headers.get("x-next-cursor") ?? undefined
      return { entries, ...(nextCursor !== undefined && { nextCursor }) }
    })
  }
  stat(path: string, { signal, timeoutMs, ...query }: CallOptions & InSession & { follow?: boolean } = {}) {
    return this.#json<FileStat>(`Looking at ${path}`, "GET", "/v1/fs/stat", { path, ...query }, { signal, timeoutMs })
  }

  /** The whole file, or the range of it. */
  read(path: string, options: ReadOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const call = { ...this.#readCall(path, options), method: "GET" as const }
    return this.#http.whole(call, (response) => allBytes(response, call.what, options.onProgress))
  }
  async readText(path: string, options: ReadOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.read(path, options))
  }
  /** The file as it is read: any size, and no faster than you take it. The signal counts to its end. */
  async readStream(path: string, options: ReadOptions = {}): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const call = { ...this.#readCall(path, options), method: "GET" as const }
    return bodyBytes(await this.#http.open(call), call.what, this.#http.limits, options.onProgress)
  }
  async head(path: string, options: ReadOptions = {}): Promise<FileHead> {
    const response = await this.#http.head({ ...this.#readCall(path, options), method: "HEAD" })
    const { headers } = response
    const modified = headers.get("last-modified")
    return {
      size: Number(headers.get("content-length")),
      etag: headers.get("etag") ?? undefined,
      mime: headers.get("content-type") ?? undefined,
      ...(modified !== null && { modifiedAt: new Date(modified) }),
    }
  }

  /**
   * Replaces the file in one step; its folders are made. A stream is sent as it comes; a page, which cannot, gathers it first. The time
   * of the call counts from what was sent last.
   */
  write(path: string, body: Bytes, options: WriteOptions = {}): Promise<AnswerOf<"writeFsFile">> {
    const { signal, timeoutMs, ifMatch, ifNoneMatch, onProgress, ...query } = options
    return this.#http.json({
      what: `Writing ${path}`,
      method: "PUT",
      path: "/v1/fs/file",
      query: { path, ...query },
      bytes: onProgress === undefined ? body : withProgress(body, onProgress),
      headers: {
        "content-type": "application/octet-stream",
        ...(ifMatch !== undefined && { "if-match": ifMatch }),
        ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
      },
      signal,
      timeoutMs,
      slow: true,
    })
  }

  /** Unpacks a tar, tar.gz or tar.zst into a folder. */
  uploadArchive(
    path: string | undefined,
    archive: Bytes,
    options: CallOptions & InSession & { onProgress?: OnProgress } = {},
  ) {
    const { signal, timeoutMs, onProgress, ...query } = options
    return this.#http.json<AnswerOf<"uploadFsBatch">>({
      what: `Unpacking into ${path ?? "the directory"}`,
      method: "POST",
      path: "/v1/fs/upload-batch",
      query: { path, ...query },
      bytes: onProgress === undefined ? archive : withProgress(archive, onProgress),
      headers: { "content-type": "application/x-tar" },
      signal,
      timeoutMs,
      slow: true,
    })
  }
  /** A folder as an archive, made while it is read. */
  async archive(
    path?: string,
    { signal, timeoutMs, onProgress, ...query }: CallOptions & { onProgress?: OnProgress } & Rest<"archiveFs"> = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const call = { what: `Packing ${path ?? "the directory"}`, method: "GET" as const, path: "/v1/fs/archive" }
    const answer = await this.#http.open({ ...call, query: { path, ...query }, signal, timeoutMs })
    return bodyBytes(answer, call.what, this.#http.limits, onProgress)
  }

  /**
   * A file or folder of this machine to that path (on Node, Bun and Deno), or files from anywhere into the folder of that path. Of a
   * folder, what is in it lands in `to`. `skipped` names what the daemon left out.
   */
  upload(from: UploadSource, to: string, options: UploadOptions = {}): Promise<Uploaded> {
    return upload(this, from, to, options)
  }
  /** A file or folder to that path of this machine (on Node, Bun and Deno). A file appears when it is whole. */
  download(path: string, to: string, options: DownloadOptions = {}): Promise<Progress> {
    return download(this, path, to, options)
  }

  /** What changes in a folder; after `ready` and `resync`, list it. Goes on through broken connections, with `resync`. */
  watch(path?: string, { signal, onState, ...query }: StreamOptions & Rest<"watchFs"> = {}): EventStream<FileChange> {
    const call = { what: `Watching ${path ?? "the directory"}`, path: "/v1/fs/watch", query: { path, ...query } }
    return endlessStream<FileChange>(this.#http, call, { signal, onState })
  }
  /** Files by name or lines by text, as they are found, then `done`. */
  search(pattern: string, options: StreamOptions & { path?: string } & Rest<"searchFs"> = {}) {
    const { signal, onState, ...query } = options
    const call = { what: "Searching", path: "/v1/fs/search", query: { pattern, ...query } }
    const isLast = ({ type }: StreamOf<"searchFs">) => type === "done"
    return endingStream<StreamOf<"searchFs">>(this.#http, call, isLast, { signal, onState })
  }

  mkdir(
    path: string,
    { signal, timeoutMs, ...query }: CallOptions & InSession & { parents?: boolean; mode?: string } = {},
  ) {
    const what = `Making ${path}`
    return this.#json<AnswerOf<"makeFsDirectory">>(
      what,
      "POST",
      "/v1/fs/mkdir",
      { path, ...query },
      { signal, timeoutMs },
    )
  }
  move(request: BodyOf<"moveFsEntry">, options?: CallOptions): Promise<AnswerOf<"moveFsEntry">> {
    return this.#post(`Moving ${request.from}`, "/v1/fs/move", request, options)
  }
  copy(request: BodyOf<"copyFsEntry">, options?: CallOptions): Promise<AnswerOf<"copyFsEntry">> {
    return this.#post(`Copying ${request.from}`, "/v1/fs/copy", request, options)
  }
  chmod(request: BodyOf<"chmodFsEntry">, options?: CallOptions): Promise<AnswerOf<"chmodFsEntry">> {
    return this.#post(`Changing the mode of ${request.path}`, "/v1/fs/chmod", request, options)
  }
  remove(path: string, { signal, timeoutMs, ...query }: CallOptions & InSession & { recursive?: boolean } = {}) {
    const what = `Removing ${path}`
    return this.#json<AnswerOf<"deleteFsEntry">>(
      what,
      "DELETE",
      "/v1/fs/entry",
      { path, ...query },
      { signal, timeoutMs },
    )
  }

  #readCall(path: string, { signal, timeoutMs, range, onProgress: _, ...query }: ReadOptions) {
    const headers = range === undefined ? undefined : { range: `bytes=${range.start}-${range.end ?? ""}` }
    const what = `Reading ${path}`
    return { what, path: "/v1/fs/file", query: { path, ...query }, headers, signal, timeoutMs, slow: true }
  }
  #json<T>(what: string, method: "GET" | "POST" | "DELETE", path: string, query: Query, options: CallOptions) {
    return this.#http.json<T>({ ...options, what, method, path, query })
  }
  #post<T>(what: string, path: string, json: unknown, options?: CallOptions): Promise<T> {
    return this.#http.json({ ...options, what, method: "POST", path, json, slow: true })
  }
}
