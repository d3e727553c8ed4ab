/** Tests of other users need the right to become one. */
export const isRoot = process.geteuid?.() === 0

/** Words before a command that run it as a user without any rights of its own. */
export const unprivileged = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
