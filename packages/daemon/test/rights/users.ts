import { findUser } from "../../src/supervisor/users.ts"

/** Tests of other users need the right to become one, and one to become: without either they are left out. */
export const isRoot = process.geteuid?.() === 0 && findUser("nobody") !== undefined && Bun.which("setpriv") !== null

/** Words before a command that run it as a user without any rights of its own. */
export const unprivileged = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
