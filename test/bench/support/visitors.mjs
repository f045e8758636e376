// Open status pages, each as a socket that reads the stream of changes, from a process of its own; answers "read" with how many are
// open and how many frames came. A number of visitors opens as many more. Written on sockets, so that it takes little of the machine.
// Usage: node visitors.mjs <port> <path>
import { connect } from "node:net"

const [port, path] = process.argv.slice(2)
const atOnce = 200

const counts = { open: 0, frames: 0, bytes: 0, lost: 0 }
let made = 0

/** Clients come from different networks, as the proxy tells. */
const addressOf = (index) => `${11 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.1`

const visit = () =>
  new Promise((resolve) => {
    const address = addressOf(made++)
    const socket = connect(Number(port), "127.0.0.1")
    let greeted = false
    socket.on("connect", () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nX-Forwarded-For: ${address}\r\n\r\n`))
    socket.on("data", (chunk) => {
      counts.bytes += chunk.length
      const first = chunk.indexOf("data: ")
      for (let at = first; at !== -1; at = chunk.indexOf("data: ", at + 1)) {
        counts.frames++
      }
      if (greeted || first === -1) {
        return
      }
      greeted = true
      counts.open++
      resolve()
    })
    socket.on("error", () => {})
    socket.on("close", () => {
      if (greeted) {
        counts.open--
      }
      counts.lost++
      resolve()
    })
  })

const open = async (count) => {
  let left = count
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (left-- > 0) await visit()
  }))
  process.send({ opened: true })
}

process.on("message", (what) => (typeof what === "number" ? void open(what) : process.send({ ...counts })))
process.on("disconnect", () => process.exit())
