/** Packages of providers, which are not installed here: what is used of them. */
declare module "e2b" {
  export const Sandbox: import("./e2b.ts").E2bSdk
}
declare module "@vercel/sandbox" {
  export const Sandbox: import("./vercel.ts").VercelSdk
}
declare module "@daytona/sdk" {
  export const Daytona: import("./daytona.ts").DaytonaSdk
}
declare module "@cloudflare/sandbox" {
  export const getSandbox: (namespace: unknown, id: string) => import("./cloudflare.ts").CloudflareSandbox
  export class Sandbox {}
}
