import type { Page } from "playwright-core"
import { SandboxAgentError, StoreError } from "../../src/errors.ts"
import { Listeners } from "../../src/store/listeners.ts"
import type {
  Lease,
  ListQuery,
  SessionBatch,
  SessionRef,
  SessionStore,
  StoredBlob,
  StoredNativeState,
} from "../../src/store/session-store.ts"
import type { SessionInfo } from "../../src/types.ts"

type Answer<T> =
  | { value: T; error?: undefined }
  | { error: { kind: "store"; code?: StoreError["code"]; message: string } }

/** A store that is in a page (`store-page.js`): every call is made there. */
export class PageStore implements SessionStore {
  private static readonly all = new Map<number, PageStore>()
  private readonly listeners = new Listeners()

  private constructor(
    private readonly page: Page,
    private readonly number: number,
  ) {}

  static listen(page: Page): Promise<unknown> {
    return page.exposeFunction("told", (number: number, session: { sandbox: string; id: string }) =>
      PageStore.all.get(number)?.listeners.tell(session),
    )
  }

  static async open(page: Page, name: string): Promise<PageStore> {
    const number = await page.evaluate<number>(`window.start(${JSON.stringify(name)})`)
    const store = new PageStore(page, number)
    PageStore.all.set(number, store)
    return store
  }

  lease = (sandbox: string, holder: string, forMs: number) =>
    this.#call<Lease | undefined>("lease", sandbox, holder, forMs)
  release = (lease: Lease) => this.#call<void>("release", lease)
  open = (lease: Lease, sessions: readonly SessionInfo[]) =>
    this.#call<Awaited<ReturnType<SessionStore["open"]>>>("open", lease, sessions)
  append = (lease: Lease, batches: readonly SessionBatch[]) => this.#call<void>("append", lease, batches)
  saveBlob = (lease: Lease, uid: string, blob: StoredBlob) => this.#call<void>("saveBlob", lease, uid, blob)
  blob = (ref: SessionRef, hash: string) => this.#call<StoredBlob | undefined>("blob", ref, hash)
  saveNativeState = (lease: Lease, uid: string, state: StoredNativeState) =>
    this.#call<void>("saveNativeState", lease, uid, state)
  nativeState = (ref: SessionRef) => this.#call<StoredNativeState | undefined>("nativeState", ref)
  markDeleted = (lease: Lease, ids: readonly string[]) => this.#call<void>("markDeleted", lease, ids)
  list = (query?: ListQuery) => this.#call<Awaited<ReturnType<SessionStore["list"]>>>("list", query)
  get = (ref: SessionRef) => this.#call<Awaited<ReturnType<SessionStore["get"]>>>("get", ref)
  events = (ref: SessionRef, range?: object) =>
    this.#call<Awaited<ReturnType<SessionStore["events"]>>>("events", ref, range)
  search = (text: string, query?: object) =>
    this.#call<Awaited<ReturnType<SessionStore["search"]>>>("search", text, query)
  drop = (before: Date) => this.#call<number>("drop", before)
  close = () => this.#call<void>("close")
  onStored = (listener: (session: { sandbox: string; id: string }) => void) => this.listeners.add(listener)

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #call<T>(method: string, ...words: unknown[]): Promise<T> {
    // As text the function is the page's own; the values travel as they are, dates included.
    const answer = await this.page.evaluate<Answer<T>, [number, string, unknown[]]>(
      // @ts-expect-error: `call` is in the page
      ([number, name, given]) => globalThis.call(number, name, given),
      [this.number, method, words],
    )
    if (answer.error === undefined) return answer.value
    const { kind, code, message } = answer.error
    throw code === undefined ? new SandboxAgentError(kind, message) : new StoreError(code, message)
  }
}
