// Plain Node, no test runner: node node-smoke.mjs <the built module> <the server> <where to ask for a cut>
import { pathToFileURL } from "node:url"
import { scenario } from "./scenario.js"

const [built, url, cutter] = process.argv.slice(2)
const result = await scenario(await import(pathToFileURL(built).href), url, () => fetch(cutter, { method: "POST" }))
console.log(JSON.stringify(result))
