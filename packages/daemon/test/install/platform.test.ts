import { expect, test } from "vitest"
import {
  detectPlatform,
  libcOf,
  type PlatformProbe,
  pickPlatform,
  platformKeys,
  readPlatform,
} from "../../src/install/platform.ts"

const probe = (more: Partial<PlatformProbe>): PlatformProbe => ({
  platform: "linux",
  arch: "x64",
  loaders: [],
  maps: "",
  cpuinfo: "flags : sse2 avx avx2 bmi2",
  ...more,
})

test.each<[string, Partial<PlatformProbe>, "glibc" | "musl"]>([
  ["Debian, by what is mapped", { maps: "7f00 r-xp /usr/lib/x86_64-linux-gnu/libc.so.6" }, "glibc"],
  ["Debian, by its loader", { loaders: ["ld-linux-x86-64.so.2"] }, "glibc"],
  ["Debian with musl-tools", { loaders: ["ld-linux-aarch64.so.1", "ld-musl-aarch64.so.1"] }, "glibc"],
  ["Alpine, by what is mapped", { maps: "7f00 r-xp /lib/ld-musl-x86_64.so.1" }, "musl"],
  ["Alpine, a static executable", { loaders: ["ld-musl-x86_64.so.1", "alpine-release"] }, "musl"],
  ["Alpine with gcompat", { loaders: ["ld-musl-x86_64.so.1", "ld-linux-x86-64.so.2", "alpine-release"] }, "musl"],
  [
    "Alpine with glibc, our executable on glibc",
    { maps: "/lib/ld-linux-x86-64.so.2", loaders: ["ld-musl-x86_64.so.1"] },
    "glibc",
  ],
  ["nothing to go by", {}, "glibc"],
])("libc: %s", (_name, more, libc) => {
  expect(libcOf(probe(more))).toBe(libc)
  expect(readPlatform(probe(more)).libc).toBe(libc)
})

test("a processor without AVX2 is told, and only where processors are", () => {
  expect(readPlatform(probe({ cpuinfo: "flags : sse2 avx" })).baseline).toBe(true)
  expect(readPlatform(probe({})).baseline).toBeUndefined()
  expect(readPlatform(probe({ arch: "arm64", cpuinfo: "Features : fp asimd" })).baseline).toBeUndefined()
  expect(readPlatform(probe({ platform: "darwin", cpuinfo: "" }))).toEqual({ os: "darwin", arch: "x64" })
})

test("builds are picked best first; a static one serves both kinds of libc", () => {
  const musl = readPlatform(probe({ loaders: ["ld-musl-x86_64.so.1"], cpuinfo: "flags : sse2" }))
  expect(platformKeys(musl)).toEqual(["linux-x64-baseline-musl", "linux-x64-musl", "linux-x64-static"])
  expect(pickPlatform({ "linux-x64-musl": "m", "linux-x64": "g" }, musl)).toBe("m")
  expect(pickPlatform({ "linux-x64-static": "s" }, musl)).toBe("s")
  expect(pickPlatform({ "linux-x64": "g" }, musl)).toBeUndefined()
})

test.each([
  ["freebsd", "x64"],
  ["linux", "riscv64"],
])("%s-%s is told to have no build", (platform, arch) => {
  expect(() => readPlatform(probe({ platform, arch }))).toThrow(`no agent has a build for ${platform}-${arch}`)
})

test("this machine is known", () => {
  expect(detectPlatform()).toMatchObject({ os: process.platform, arch: process.arch })
})
