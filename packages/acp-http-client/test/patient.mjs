// Plain Node: node patient.mjs <the built module> <the server>. What its `fetch` waits for is made short.
import { pathToFileURL } from "node:url"

const [built, url] = process.argv.slice(2)
const { AcpHttpClient } = await import(pathToFileURL(built).href)

globalThis.Response // from here on Node has it
const place = Symbol.for("undici.globalDispatcher.1")
const { constructor: Agent } = globalThis[place]
globalThis[place] = new Agent({ headersTimeout: 100, bodyTimeout: 100 })

const states = []
let hear
const heard = new Promise((resolve) => {
  hear = resolve
})
const client = new AcpHttpClient({
  url: `${url}/acp`,
  onStream: ({ state }) => states.push(state),
  onNotification: ({ params }) => hear(params.update.content.text),
})
await client.initialize()
const prompting = client.prompt({ sessionId: "s", prompt: [{ type: "text", text: "long" }] }).catch(String)
await fetch(`${url}/held`)
/** Of Node's own, begun after ours. */
const impatient = []
for (const path of ["late-headers", "late-body", "late-headers", "late-body"])
  impatient.push(
    await fetch(`${url}/${path}`)
      .then((response) => response.text())
      .catch((error) => error.cause.code),
  )
await fetch(`${url}/say`)
const said = await Promise.race([heard, prompting])
await fetch(`${url}/answer`)
const answer = await prompting
await client.close()
console.log(JSON.stringify({ impatient, states, said, answer }))
