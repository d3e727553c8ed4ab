import { crc32, deflateRawSync, gzipSync } from "node:zlib"

export interface Entry {
  name: string
  content?: string | Uint8Array
  mode?: number
  /** Of a tar: `0` file, `1` hard link, `2` link, `3` device, `5` folder. */
  type?: string
  target?: string
}

/** A tar.gz as it is, with whatever names it is given. */
export function tarGz(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, content = "", mode = 0o644, type = "0", target = "" }) => {
    const body = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100)
    header.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124)
    header.write("        ", 148)
    header.write(type, 156)
    header.write(target, 157, 100)
    header.write("ustar\x0000", 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

export function zip(entries: readonly Entry[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content = "", mode = 0o100644 } of entries) {
    const [raw, title] = [Buffer.from(content), Buffer.from(name)]
    const packed = deflateRawSync(raw)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt32LE(crc32(raw), 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(raw.length, 18)
    shared.writeUInt16LE(title.length, 22)
    bodies.push(Buffer.from("PK\x03\x04", "latin1"), shared, title, packed)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(at, 10)
    // Made on Unix, so that the mode counts.
    directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), shared, tail, title)
    at += 4 + shared.length + title.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", 0, "latin1")
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...bodies, listed, end])
}
