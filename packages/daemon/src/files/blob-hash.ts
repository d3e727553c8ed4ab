/** The name of bytes that are kept once, whoever brings them. */
export const blobHash = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
