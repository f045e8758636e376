// Pings over keep-alive connections, one request after another on each, from a process of its own; answers "read" with what came
// back. Written on sockets, so that it takes less of the machine than what it measures.
// Usage: node pinger.mjs <port> <connections> [bytes of output with each] < paths, one a line
import { readFileSync } from "node:fs"
import { connect } from "node:net"

const [port, connections, bytes = 0] = process.argv.slice(2).map(Number)
const requests = readFileSync(0, "utf8").trim().split("\n")
  .map((path) =>
    Buffer.from(
      bytes === 0
        ? `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
        : `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${bytes}\r\n\r\n${"a line of output".padEnd(bytes, ".")}`
    )
  )

const counts = { answered: 0, ok: 0 }
let next = 0
let running = true
let open = connections

const ping = () => {
  const socket = connect(port, "127.0.0.1")
  let text = ""
  const send = () => {
    if (!running) {
      open--
      return void socket.end()
    }
    socket.write(requests[next++ % requests.length])
  }
  socket.on("connect", send)
  socket.on("data", (chunk) => {
    text += chunk.latin1Slice()
    const head = text.indexOf("\r\n\r\n")
    if (head === -1) return
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (text.length < head + 4 + length) return
    counts.answered++
    if (text.startsWith("HTTP/1.1 200")) counts.ok++
    text = ""
    send()
  })
  socket.on("error", () => {
    open--
  })
}
for (let i = 0; i < connections; i++) ping()

process.on("message", (what) => {
  if (what === "stop") running = false
  const answer = () => (what === "stop" && open > 0 ? setTimeout(answer, 5) : process.send({ ...counts, at: performance.now() }))
  answer()
})
process.on("disconnect", () => process.exit())
