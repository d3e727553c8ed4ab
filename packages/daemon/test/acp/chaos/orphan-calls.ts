import { Database } from "bun:sqlite"

/** Looks at every commit it can catch, until its input ends; says how often a call named a message that was not there. */
const db = new Database(process.argv[2] ?? "", { readonly: true })
const orphans = db.query(
  "SELECT count(*) AS n FROM acp_call c WHERE message IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.uid = c.uid AND m.id = c.message)",
)
const calls = db.query("SELECT count(*) AS n FROM acp_call WHERE message IS NOT NULL")
const count = (query: typeof orphans): number => (query.get() as { n: number }).n
let caught = 0
let ended = false
process.stdin.on("end", () => {
  ended = true
})
process.stdin.resume()
console.log("ready")
while (!ended) {
  for (let n = 0; n < 200; n++) caught += count(orphans)
  await new Promise((resolve) => setImmediate(resolve))
}
console.log(JSON.stringify({ caught, calls: count(calls) }))
