// A TCP line in front of a server that can become slow.
import { createConnection, createServer } from "node:net"

/** How much may be on its way in one direction of a connection before its sender has to wait, in pieces. */
const mostOnTheWay = 64

/** Passes on what comes, each piece `delayMs()` later. */
const pass = (from, to, delayMs) => {
  let onTheWay = 0
  let lastAt = 0
  const later = (act) => {
    const now = performance.now()
    // In order, also when the delay shrinks.
    lastAt = Math.max(lastAt, now + delayMs())
    if (lastAt <= now && onTheWay === 0) return act()
    onTheWay++
    if (onTheWay >= mostOnTheWay) from.pause()
    setTimeout(() => {
      onTheWay--
      if (onTheWay < mostOnTheWay) from.resume()
      act()
    }, lastAt - now)
  }
  from.on("data", (piece) => later(() => void (to.destroyed || to.write(piece))))
  from.on("end", () => later(() => to.end()))
  from.on("error", () => to.destroy())
  from.on("close", () => later(() => to.destroy()))
}

/** Listens at a free port of `host` and passes everything to `port` there. `slow(ms)` delays what comes from now on, both ways. */
export const startLine = (host, port) => {
  let delay = 0
  const delayMs = () => delay
  const server = createServer((client) => {
    const upstream = createConnection({ host, port })
    client.setNoDelay()
    upstream.setNoDelay()
    pass(client, upstream, delayMs)
    pass(upstream, client, delayMs)
  })
  const line = {
    port: 0,
    slow: (ms) => void (delay = ms),
    stop: () => server.close()
  }
  return new Promise((resolve) =>
    server.listen(0, host, () => {
      line.port = server.address().port
      resolve(line)
    })
  )
}
