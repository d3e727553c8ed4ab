import { limits } from "@sandbox-agent/schema/limits"
import { PostMessageSchema } from "@sandbox-agent/schema/message"
import { expect, test } from "vitest"
import { messageOf } from "../../../src/faces/acp/projection/prompt.ts"
import { wrongs } from "./protocol-schema.ts"

const text = (value: string) => ({ type: "text", text: value })
const image = { type: "image", data: "aGk=", mimeType: "image/png" }
const link = (uri: string, more: object = {}) => ({ type: "resource_link", uri, name: "a.ts", ...more })
const resource = (contents: object) => ({ type: "resource", resource: contents })

const table: [string, object[], string, object[]][] = [
  ["text", [text("hello")], "hello", []],
  ["blocks of text", [text("one"), text("two")], "one\ntwo", []],
  ["a sentence around a link", [text("see "), link("file:///a.ts"), text(" now")], "see [@a.ts](file:///a.ts) now", []],
  ["a link alone", [link("https://example.com/a")], "[@a.ts](https://example.com/a)", []],
  ["an image", [text("look"), image], "look", [{ data: "aGk=", mime: "image/png" }]],
  [
    "an image that has a name",
    [{ ...image, uri: "file:///tmp/my%20cat.png" }],
    "",
    [{ data: "aGk=", mime: "image/png", filename: "my cat.png" }],
  ],
  [
    "an image on this machine",
    [{ ...image, data: "", uri: "file:///tmp/a%20b.png" }],
    "",
    [{ path: "/tmp/a b.png", mime: "image/png" }],
  ],
  [
    "an image elsewhere",
    [{ ...image, data: "", uri: "https://example.com/a.png" }],
    "",
    [{ url: "https://example.com/a.png", mime: "image/png" }],
  ],
  [
    "a link to an image",
    [link("file:///tmp/a.png", { mimeType: "image/png" })],
    "[@a.ts](file:///tmp/a.png)",
    [{ path: "/tmp/a.png", mime: "image/png" }],
  ],
  [
    "a sound, as a file",
    [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }],
    "",
    [{ data: "aGk=", mime: "audio/wav" }],
  ],
  [
    "a text resource",
    [text("explain "), resource({ uri: "file:///src/a.ts", text: "let x", mimeType: null }), text(" please")],
    'explain [@a.ts](file:///src/a.ts) please\n<context ref="file:///src/a.ts">\nlet x\n</context>',
    [],
  ],
  [
    "bytes",
    [resource({ uri: "file:///a/b.pdf", blob: "aGk=", mimeType: "application/pdf" })],
    "",
    [{ data: "aGk=", mime: "application/pdf", filename: "b.pdf" }],
  ],
  [
    "a resource of an unknown scheme",
    [link("zed:///agent/thread/1?name=%")],
    "[@a.ts](zed:///agent/thread/1?name=%)",
    [],
  ],
]
test.each(table)("%s", (_, prompt, message, attachments) => {
  expect(prompt.flatMap((block) => wrongs("ContentBlock", block))).toEqual([])
  const posted = messageOf(prompt)
  expect(JSON.parse(JSON.stringify(posted))).toEqual({ message, attachments })
  expect(PostMessageSchema.safeParse(posted).success).toBe(true)
})

const bad: [string, unknown, RegExp][] = [
  ["no list", { type: "text" }, /^prompt: an array/],
  ["an empty list", [], /nothing in it/],
  ["blanks", [text(" \n")], /nothing in it/],
  ["an unknown block", [text("a"), { type: "video" }], /^prompt\[1\]\.type: /],
  ["a block that is none", [null], /^prompt\[0\]: /],
  ["a text without text", [{ type: "text" }], /^prompt\[0\]\.text: /],
  ["bytes that are not base64", [{ ...image, data: "%%%" }], /^prompt\[0\]\.data: /],
  ["a media type that is none", [{ ...image, mimeType: "png\r\nx: y" }], /^prompt\[0\]\.mimeType: /],
  ["an image of nothing", [{ ...image, data: "" }], /^prompt\[0\]: neither/],
  ["an image of an address nobody can open", [{ ...image, data: "", uri: "ftp://example.com/a" }], /neither/],
  ["a resource of nothing", [resource({ uri: "a" })], /^prompt\[0\]\.resource/],
]
test.each(bad)("refuses %s", (_, prompt, detail) => {
  expect(() => messageOf(prompt)).toThrow(detail)
  expect(() => messageOf(prompt)).toThrow(expect.objectContaining({ code: "invalid_request" }))
})

test("refuses what is beyond the limits", () => {
  const tooLarge = expect.objectContaining({ code: "payload_too_large" })
  expect(() => messageOf([text("x".repeat(limits.messageTextBytes + 1))])).toThrow(tooLarge)
  expect(() => messageOf(Array(limits.messageAttachments + 1).fill(image))).toThrow(tooLarge)
  const data = Buffer.alloc(limits.attachmentBytes + 3).toString("base64")
  expect(() => messageOf([{ ...image, data }])).toThrow(tooLarge)
  const most = Buffer.alloc(limits.attachmentBytes).toString("base64")
  expect(messageOf([{ ...image, data: most }]).attachments).toHaveLength(1)
})
