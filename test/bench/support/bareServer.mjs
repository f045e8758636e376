// A bare node:http server that answers every request as a ping is answered, and keeps nothing; prints its port.
import { createServer } from "node:http"

const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(`{"ok":true,"at":"${new Date().toISOString()}"}`)
})
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
