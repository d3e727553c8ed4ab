import { closeSync } from "node:fs"
import { openLibrary } from "./c-library.ts"

const signatures = {
  inotify_init1: { args: ["int"], returns: "int" },
  inotify_add_watch: { args: ["int", "ptr", "u32"], returns: "int" },
  inotify_rm_watch: { args: ["int", "int"], returns: "int" },
} as const

const NONBLOCK_CLOEXEC = 0o2004000
export const inotify = {
  modify: 0x2,
  attributes: 0x4,
  written: 0x8,
  movedFrom: 0x40,
  movedTo: 0x80,
  create: 0x100,
  delete: 0x200,
  deleteSelf: 0x400,
  moveSelf: 0x800,
  overflow: 0x4000,
  ignored: 0x8000,
  folder: 0x40000000,
} as const
const ONLY_FOLDERS = 0x1000000
const NOT_UNLINKED = 0x4000000
/** Without it the kernel empties the mask of a folder that is watched already for a moment, and events of that moment are lost. */
const ADD = 0x20000000
const MASK = ONLY_FOLDERS | NOT_UNLINKED | ADD | 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800

export interface InotifyEvent {
  watch: number
  mask: number
  /** The same for both names of a move. */
  cookie: number
  /** One character for each byte. */
  name: string
}

let library: ReturnType<typeof openLibrary<typeof signatures>> | undefined

/** The kernel's own word on what changes in folders. Linux alone. */
export class Inotify {
  readonly #library: NonNullable<typeof library>
  readonly #fd: number
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #closed = false

  constructor() {
    library ??= openLibrary(signatures)
    this.#library = library
    this.#fd = this.#library.inotify_init1(NONBLOCK_CLOEXEC)
    if (this.#fd < 0) throw new Error("the system gives no further inotify instance (fs.inotify.max_user_instances)")
  }

  /** The number of the watch, the same for the same folder by any name; -1: the system watches no more. */
  add(folder: Uint8Array): number {
    return this.#library.inotify_add_watch(this.#fd, Buffer.concat([folder, Buffer.alloc(1)]), MASK)
  }

  remove(watch: number): void {
    this.#library.inotify_rm_watch(this.#fd, watch)
  }

  /** What has happened, in order, as soon as there is anything. */
  async *events(): AsyncGenerator<InotifyEvent[]> {
    this.#reader = Bun.file(this.#fd).stream().getReader() as ReadableStreamDefaultReader<Uint8Array>
    for (;;) {
      const { done, value } = await this.#reader.read()
      if (done || this.#closed) return
      yield eventsIn(value)
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    const end = () => closeSync(this.#fd)
    if (this.#reader === undefined) end()
    else this.#reader.cancel().then(end, end)
  }
}

function eventsIn(bytes: Uint8Array): InotifyEvent[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const events: InotifyEvent[] = []
  for (let at = 0; at + 16 <= bytes.length; ) {
    const length = view.getUint32(at + 12, true)
    const name = Buffer.from(bytes.subarray(at + 16, at + 16 + length))
      .toString("latin1")
      .replace(/\0+$/, "")
    events.push({
      watch: view.getInt32(at, true),
      mask: view.getUint32(at + 4, true),
      cookie: view.getUint32(at + 8, true),
      name,
    })
    at += 16 + length
  }
  return events
}
