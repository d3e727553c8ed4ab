import { describe, expect, test } from "vitest"
import { type Asked, AskingStage, text } from "./asking.ts"

async function asking(): Promise<AskingStage> {
  const stage = new AskingStage()
  await stage.open()
  return stage
}

const shell = (rawInput: unknown, more: object = {}): Asked => ({ title: "Shell", kind: "execute", rawInput, ...more })
const edit = (...paths: string[]): Asked => ({
  title: "Edit",
  kind: "edit",
  content: paths.map((path) => ({ type: "diff", path, newText: String(Math.random()) })),
})
const at = (...paths: string[]) => ({ locations: paths.map((path) => ({ path })) })
const move = (from: string, to: string): Asked => ({ title: "Move", kind: "move", ...at(from, to) })
const write = (rawInput: object): Asked => ({ title: "Write", kind: "edit", rawInput })

describe("always does not cover", () => {
  test.each<[string, Asked, Asked]>([
    ["another command", shell({ command: "ls" }), shell({ command: "rm" })],
    ["other arguments", shell({ command: "git", args: ["status"] }), shell({ command: "git", args: ["push", "-f"] })],
    ["arguments cut otherwise", shell({ command: "rm", args: ["a b"] }), shell({ command: "rm", args: ["a", "b"] })],
    ["words cut otherwise", shell({ command: ["rm", "a b"] }), shell({ command: ["rm", "a", "b"] })],
    ["arguments in an odd form", shell({ command: "x", args: [{ a: 1 }] }), shell({ command: "x", args: [{ a: 2 }] })],
    ["another folder", shell({ command: "make", cwd: "/tmp/a" }), shell({ command: "make", cwd: "/home" })],
    ["other input", shell({ command: "bash", stdin: "ls" }), shell({ command: "bash", stdin: "rm -rf /" })],
    [
      "other variables",
      shell({ command: "make", env: { A: "1" } }),
      shell({ command: "make", env: { LD_PRELOAD: "x" } }),
    ],
    ["a second command", shell({ command: "ls", cmd: "ls" }), shell({ command: "ls", cmd: "rm" })],
    ["a command by another name", shell({ script: "ls" }), shell({ script: "rm -rf /" })],
    ["a command that is all the arguments", shell("ls"), shell("rm")],
    ["a command that only the content tells", shell(undefined, text("ls")), shell(undefined, text("rm -rf /"))],
    ["other content beside a command", shell({ command: "sh" }, text("ls")), shell({ command: "sh" }, text("rm"))],
    [
      "a command that looks like another with more",
      shell({ command: 'a {"cwd":"/"}' }),
      shell({ command: "a", cwd: "/" }),
    ],
    ["a further file", edit("/tmp/a"), edit("/tmp/a", "/etc/passwd")],
    [
      "a further file in the arguments",
      write({ path: "/tmp/a", edits: [{ path: "/tmp/a" }] }),
      write({ path: "/tmp/a", edits: [{ path: "/etc/passwd" }] }),
    ],
    [
      "a file by an unknown name",
      write({ path: "/tmp/a", target: "/tmp/a" }),
      write({ path: "/tmp/a", target: "/etc/passwd" }),
    ],
    ["one of two files that was asked for with another", edit("/tmp/a", "/tmp/b"), edit("/tmp/b", "/tmp/c")],
    ["two files with the name of one", edit("/tmp/a + /tmp/b"), edit("/tmp/a", "/tmp/b")],
    ["another target", move("/tmp/a", "/tmp/b"), move("/tmp/a", "/etc/passwd")],
    ["other content", { title: "Tool", kind: "other", ...text("a") }, { title: "Tool", kind: "other", ...text("b") }],
    [
      "another address",
      { title: "Get", kind: "fetch", rawInput: { url: "a" } },
      { title: "Get", kind: "fetch", rawInput: { url: "b" } },
    ],
    ["another place", { title: "Tool", ...at("/a") }, { title: "Tool", ...at("/b") }],
    [
      "a command that says it is a tool",
      mcp({ server: "s", tool: "t", arguments: {} }),
      mcp({ server: "s", tool: "t", command: "rm" }),
    ],
  ])("%s", async (_, first, second) => {
    await using stage = await asking()
    const shown = await stage.always(first)
    expect(await stage.isAsked(second)).toBe(true)
    expect(shown).not.toEqual(stage.shown)
  })
})

function mcp(rawInput: object): Asked {
  return { title: "Call", kind: "execute", rawInput }
}

describe("always covers", () => {
  test.each<[string, Asked, Asked]>([
    ["the same command", shell({ command: "same", args: ["a b"] }), shell({ command: "same", args: ["a b"] })],
    [
      "it with another description",
      shell({ command: "said", description: "a" }, text("a")),
      shell({ command: "said", description: "b" }, text("b")),
    ],
    [
      "it in another terminal",
      shell({ command: "in" }, { content: [{ type: "terminal", terminalId: "1" }] }),
      shell({ command: "in" }, { content: [{ type: "terminal", terminalId: "2" }] }),
    ],
    [
      "every change of a file",
      edit("/tmp/one"),
      { ...edit("/tmp/one"), rawInput: { file_path: "/tmp/one", old_string: "a", new_string: "b" } },
    ],
    ["every change of the same files", edit("/tmp/x", "/tmp/y"), edit("/tmp/y", "/tmp/x")],
    [
      "every call of a tool of an MCP server",
      mcp({ server: "lab", tool: "act", arguments: { a: 1 } }),
      mcp({ server: "lab", tool: "act", arguments: { a: 2 } }),
    ],
  ])("%s", async (_, first, second) => {
    await using stage = await asking()
    await stage.always(first)
    expect(await stage.isAsked(second)).toBe(false)
  })
})

test("a person sees all that a rule is made of", async () => {
  await using stage = await asking()
  const seen = async (asked: Asked) => (await stage.isAsked(asked)) && stage.shown
  expect(await seen(shell({ command: "git", args: ["push", "-f x"], cwd: "/repo" }))).toMatchObject({
    command: "git push '-f x'",
    cwd: "/repo",
  })
  expect(await seen(shell({ command: "bash", stdin: "rm" }))).toMatchObject({ command: "bash", input: { stdin: "rm" } })
  expect(await seen(move("/tmp/p", "/tmp/q"))).toMatchObject({ path: "/tmp/p", paths: ["/tmp/p", "/tmp/q"] })
  expect(await seen(edit("/tmp/p", "/tmp/q"))).toMatchObject({ paths: ["/tmp/p", "/tmp/q"] })
  const link = { type: "content", content: { type: "resource_link", uri: "file:///x", name: "x" } }
  expect(await seen({ title: "Tool", content: [link] })).toMatchObject({ content: [link] })
})
