/** What Mintlify shows above a page, and a reader of the file sees first. */
export const headOf = (title: string, description: string): string =>
  `---\ntitle: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(description)}\n---\n`

const signs = (text: string): string => text.replaceAll(/[<{}]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Text of ours between the tags and braces of MDX; inside of code they are only signs. */
export const escapeMdx = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : signs(part)))
    .join("")
