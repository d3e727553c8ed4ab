/** What is used of it: the same as the WebSocket of browsers. */
declare module "ws" {
  export const WebSocket: import("./socket-maker.ts").SocketMaker
}
