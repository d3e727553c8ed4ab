import { type Command, connectionFlags } from "./command.ts"
import type { Flag } from "./flag.ts"

const session: Flag = {
  name: "session-id",
  type: "string",
  placeholder: "ID",
  help: "session whose directory relative paths of the sandbox start from",
}

/** What fingers expect of files; `fs ls`, `fs cat` and `fs rm` are endpoints by another name. */
export const fileCommands: readonly Command[] = [
  {
    words: ["fs", "put"],
    summary: "Copy a file, a folder or stdin into the sandbox",
    description:
      "A folder is sent as an archive, made by the `tar` of this machine; files of the same name are replaced. A file goes into a folder that is there under its own name. On a terminal the progress is shown.",
    arguments: [
      { name: "local", help: "a file or folder here; - reads stdin" },
      { name: "path", help: "destination" },
    ],
    flags: [session, ...connectionFlags],
    examples: ["sandbox-agent fs put ./app /workspace/app", "git diff | sandbox-agent fs put - /tmp/changes.diff"],
    load: async () => (await import("./files.ts")).filesPut,
  },
  {
    words: ["fs", "get"],
    summary: "Copy a file or a folder out of the sandbox",
    description: "A folder comes as an archive and is unpacked by the `tar` of this machine.",
    arguments: [
      { name: "path", help: "a file or folder of the sandbox" },
      { name: "local", optional: true, help: "destination; - is stdout (default: this folder, under the same name)" },
    ],
    flags: [session, ...connectionFlags],
    examples: ["sandbox-agent fs get /workspace/app ./app", "sandbox-agent fs get /var/log/app.log - | less"],
    load: async () => (await import("./files.ts")).filesGet,
  },
  {
    words: ["fs", "tree"],
    summary: "Show a folder of the sandbox as a tree",
    description: "Without what .gitignore files name and without hidden files.",
    arguments: [{ name: "path", optional: true }],
    flags: [
      { name: "depth", type: "number", placeholder: "N", help: "how many levels of folders" },
      { name: "all", type: "boolean", help: "also hidden and ignored files" },
      session,
      ...connectionFlags,
    ],
    examples: ["sandbox-agent fs tree /workspace --depth 2"],
    load: async () => (await import("./files.ts")).filesTree,
  },
]
