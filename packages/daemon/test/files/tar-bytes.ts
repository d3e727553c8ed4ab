/** Archives as an attacker writes them: block by block, with nothing checked. */
export interface RawEntry {
  name: string
  type?: string
  target?: string
  content?: string | Uint8Array
  mode?: number
  /** What the header says, where it lies. */
  size?: number
  checksum?: number
  magic?: string
  prefix?: string
}

export function rawEntry({ name, type = "0", target = "", content = "", mode = 0o644, ...lies }: RawEntry): Buffer {
  const bytes = Buffer.from(content)
  const block = Buffer.alloc(512)
  block.write(name, 0, 100, "latin1")
  block.write(`${mode.toString(8).padStart(7, "0")}\0`, 100, "latin1")
  block.write("0000000\0", 108, "latin1")
  block.write("0000000\0", 116, "latin1")
  block.write(`${(lies.size ?? bytes.length).toString(8).padStart(11, "0")}\0`, 124, "latin1")
  block.write("00000000000\0", 136, "latin1")
  block.write("        ", 148, "latin1")
  block.write(type, 156, "latin1")
  block.write(target, 157, 100, "latin1")
  block.write(lies.magic ?? "ustar\x0000", 257, "latin1")
  block.write(lies.prefix ?? "", 345, 155, "latin1")
  const sum = lies.checksum ?? block.reduce((all, byte) => all + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return Buffer.concat([block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}

export const rawArchive = (...entries: RawEntry[]): Buffer =>
  Buffer.concat([...entries.map(rawEntry), Buffer.alloc(1024)])

export const pax = (records: Record<string, string>, type = "x"): RawEntry => ({
  name: "PaxHeader",
  type,
  content: Object.entries(records)
    .map(([key, value]) => {
      const rest = ` ${key}=${value}\n`
      const length = Buffer.byteLength(rest)
      let digits = String(length + 1).length
      while (String(length + digits).length !== digits) digits++
      return `${length + digits}${rest}`
    })
    .join(""),
})
