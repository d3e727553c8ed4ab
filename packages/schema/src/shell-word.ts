/** The text as one word of a POSIX shell, always in quotes. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The same, in quotes only where a shell would read more than the text: people read these lines too. */
export const shellWord = (text: string): string => (/^[\w@+:,./-]+$/.test(text) ? text : shellQuoted(text))

/** The text as one word of fish, which knows backslashes inside of quotes. */
export const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
