/**
 * A file of our extension as CommonJS, which Pi loads as it is: of anything else it first makes that itself, which takes it
 * most of a second. For files with default exports, and imports at the beginning of a line.
 */
export function commonJsOf(source: string): string {
  const script = new Bun.Transpiler({ loader: "ts", target: "node" }).transformSync(source)
  return script
    .replace(/^import (\w+) from "(.+)";$/gm, 'const $1 = require("$2");')
    .replace(/^import \{(.+)\} from "(.+)";$/gm, 'const {$1} = require("$2");')
    .replace(/^export default /gm, "module.exports = ")
    .replace(/require\("(\.\/.+)\.ts"\)/g, 'require("$1.cjs")')
}
