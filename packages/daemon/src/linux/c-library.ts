import type { FFIFunction, Library } from "bun:ffi"

/** glibc, then musl by its own name. */
const libraries = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]

/** Functions of the C library of Linux; throws where there is none to be had. */
export function openLibrary<Signatures extends Record<string, FFIFunction>>(
  signatures: Signatures,
): Library<Signatures>["symbols"] {
  const { dlopen } = process.getBuiltinModule("bun:ffi" as "module") as unknown as typeof import("bun:ffi")
  const failures: unknown[] = []
  for (const name of libraries) {
    try {
      return dlopen(name, signatures).symbols
    } catch (error) {
      failures.push(error)
    }
  }
  throw new Error(failures.map(String).join("; "))
}
