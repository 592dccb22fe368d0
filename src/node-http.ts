// Node's HTTP, without its newer half: to `import` any of it evaluates all of its names, and its `WebSocket` loads the client that
// `fetch` is, which nothing here uses. That would be 80 ms of every start.

export const { Agent, createServer, METHODS, request, STATUS_CODES } = process.getBuiltinModule("node:http");
