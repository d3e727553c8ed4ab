/** It becomes a header when the bytes are served. */
export const mimePattern = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *;[\x20-\x7e]*)?$/
export const mimeLength = 200

export const isMime = (text: string): boolean => text.length <= mimeLength && mimePattern.test(text)
