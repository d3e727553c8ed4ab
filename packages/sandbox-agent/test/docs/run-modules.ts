export interface ModuleToRun {
  name: string
  file: string
  directory: string
}
export interface RanModule {
  name: string
  stdout: string
  stderr: string
}

const said = (values: readonly unknown[]): string =>
  `${values.map((value) => (typeof value === "string" ? value : Bun.inspect(value))).join(" ")}\n`

/**
 * Runs snippets one after the other in this one process, each in a folder of its own, and tells what each printed:
 * a process for each would take longer than all they do.
 */
async function runModules(modules: readonly ModuleToRun[], tell: (ran: RanModule) => void): Promise<void> {
  for (const { name, file, directory } of modules) {
    const ran: RanModule = { name, stdout: "", stderr: "" }
    console.log = (...values) => {
      ran.stdout += said(values)
    }
    console.error = (...values) => {
      ran.stderr += said(values)
    }
    process.stdout.write = (text: string | Uint8Array) => {
      ran.stdout += String(text)
      return true
    }
    process.chdir(directory)
    await import(file).catch((error: unknown) => console.error(error))
    tell(ran)
  }
}

if (import.meta.main) {
  const write = process.stdout.write.bind(process.stdout)
  const modules = JSON.parse(await Bun.file(process.argv[2] ?? "").text()) as ModuleToRun[]
  await runModules(modules, (ran) => write(`${JSON.stringify(ran)}\n`))
  process.exit(0)
}
