import { open } from "node:fs/promises"
import type { InstallLimits } from "@sandbox-agent/schema/install-limits"
import { writeAll } from "../files/write-all.ts"
import { failureOf, SourceFailure } from "./failure.ts"

export interface DownloadOptions {
  bounds: InstallLimits
  signal?: AbortSignal
  onBytes?(bytes: number, total: number | undefined): void
}

/** Takes a file in pieces; never more than allowed, never for ever, never half. Answers its SHA-256. */
export async function downloadTo(path: string, url: string, options: DownloadOptions): Promise<string> {
  const { bounds, onBytes } = options
  const watch = new Watch(bounds, options.signal)
  const file = await open(path, "wx")
  try {
    const response = await follow(url, watch, bounds)
    const total = lengthOf(response)
    if (total !== undefined && total > bounds.downloadBytes) throw tooLarge(url, bounds.downloadBytes)
    const hash = new Bun.CryptoHasher("sha256")
    let bytes = 0
    for await (const piece of pieces(response, watch)) {
      bytes += piece.byteLength
      if (bytes > bounds.downloadBytes) throw tooLarge(url, bounds.downloadBytes)
      hash.update(piece)
      await writeAll(file, piece)
      onBytes?.(bytes, total)
    }
    if (total !== undefined && bytes !== total)
      throw new SourceFailure("broken", `${url}: cut off after ${bytes} of ${total} bytes`)
    await file.sync()
    return hash.digest("hex")
  } catch (error) {
    throw watch.explain(error, url)
  } finally {
    watch.end()
    await file.close()
  }
}

/** A small text, such as a version or a list of digests. */
export async function downloadText(url: string, { bounds, signal }: DownloadOptions): Promise<string> {
  const watch = new Watch(bounds, signal)
  try {
    const response = await follow(url, watch, bounds)
    const parts: Uint8Array[] = []
    let bytes = 0
    for await (const piece of pieces(response, watch)) {
      bytes += piece.byteLength
      if (bytes > bounds.metadataBytes) throw tooLarge(url, bounds.metadataBytes)
      parts.push(piece)
    }
    return Buffer.concat(parts).toString("utf8")
  } catch (error) {
    throw watch.explain(error, url)
  } finally {
    watch.end()
  }
}

/** Where an address leads, without going there. */
export async function redirectOf(url: string, { bounds, signal }: DownloadOptions): Promise<string | undefined> {
  const watch = new Watch(bounds, signal)
  try {
    const response = await fetch(url, { redirect: "manual", signal: watch.signal })
    await response.body?.cancel()
    return response.headers.get("location") ?? undefined
  } catch (error) {
    throw watch.explain(error, url)
  } finally {
    watch.end()
  }
}

async function follow(start: string, watch: Watch, bounds: InstallLimits): Promise<Response> {
  let url = start
  for (let hop = 0; hop <= bounds.redirects; hop++) {
    // As it is on the wire: the length must be comparable with what comes.
    const headers = { "accept-encoding": "identity", "user-agent": "sandbox-agent" }
    const response = await fetch(url, { redirect: "manual", headers, signal: watch.signal })
    const next = response.headers.get("location")
    if (response.status >= 300 && response.status < 400 && next) {
      await response.body?.cancel()
      const target = new URL(next, url)
      if (target.protocol !== "https:" && new URL(url).protocol === "https:")
        throw new SourceFailure("broken", `${url}: leads from https to ${target.protocol}`)
      url = target.href
      continue
    }
    if (response.ok) return response
    await response.body?.cancel()
    const missing = response.status === 404 || response.status === 403 || response.status === 410
    throw new SourceFailure(missing ? "missing" : "broken", `${url}: answered ${response.status}`)
  }
  throw new SourceFailure("broken", `${start}: more than ${bounds.redirects} redirects`)
}

async function* pieces(response: Response, watch: Watch): AsyncGenerator<Uint8Array> {
  watch.expect("stall")
  for await (const piece of response.body ?? []) {
    yield piece
    watch.expect("stall")
  }
}

function lengthOf(response: Response): number | undefined {
  const text = response.headers.get("content-length")
  const length = text === null ? Number.NaN : Number(text)
  return Number.isSafeInteger(length) && !response.headers.has("content-encoding") ? length : undefined
}

const tooLarge = (url: string, bytes: number) =>
  new SourceFailure("too_large", `${url}: larger than the ${bytes} bytes allowed`)

/** Ends a request that does not answer, stops delivering, or goes on for too long. */
class Watch {
  readonly #controller = new AbortController()
  readonly #whole: NodeJS.Timeout
  #step: NodeJS.Timeout | undefined
  #why: string | undefined

  constructor(
    private readonly bounds: InstallLimits,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.#whole = setTimeout(() => this.#stop("took too long"), bounds.downloadMs)
    outer?.addEventListener("abort", this.#given)
    if (outer?.aborted) this.#given()
    this.expect("answer")
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  expect(what: "answer" | "stall"): void {
    clearTimeout(this.#step)
    const ms = what === "answer" ? this.bounds.answerMs : this.bounds.stallMs
    this.#step = setTimeout(
      () => this.#stop(`${what === "answer" ? "no answer" : "nothing more came"} for ${ms} ms`),
      ms,
    )
  }

  end(): void {
    clearTimeout(this.#step)
    clearTimeout(this.#whole)
    this.outer?.removeEventListener("abort", this.#given)
    this.#controller.abort()
  }

  explain(error: unknown, url: string): SourceFailure {
    if (this.#why !== undefined) return new SourceFailure("timeout", `${url}: ${this.#why}`)
    return failureOf(error, url)
  }

  readonly #given = () => this.#stop("the daemon is stopping")

  #stop(why: string): void {
    this.#why ??= why
    this.#controller.abort()
  }
}
