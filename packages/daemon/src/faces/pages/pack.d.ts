declare module "@sandbox-agent/inspector/pack" {
  const path: string
  export default path
}
