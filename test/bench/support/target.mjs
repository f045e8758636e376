// An http target in a process of its own, so that what it costs is not counted: answers 200 and a small body. `/hang` never
// answers, `/outage` answers 503, `/ab` answers 256 KiB of two letters in no order. Usage: node target.mjs [address] [port]
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"

const body = "hello world ".repeat(20)
const flips = new Map()

/** The letters a and b in random order: no engine can remember all the states that a pattern may be in. */
const ab = randomBytes(262_144).map((byte) => 97 + (byte & 1))

/** 200 and 503 by turns for each address below `/flip/`, else 200. */
const statusOf = (url) => {
  if (url === "/outage") return 503
  if (!url.startsWith("/flip/")) return 200
  const asked = flips.get(url) ?? 0
  flips.set(url, asked + 1)
  return asked % 2 === 0 ? 200 : 503
}

const server = createServer((request, response) => {
  if (request.url === "/hang") return
  response.statusCode = statusOf(request.url)
  response.setHeader("content-type", "text/plain")
  response.end(request.url === "/ab" ? ab : body)
})
server.keepAliveTimeout = 1000
server.listen(
  Number(process.argv[3] ?? 0),
  process.argv[2] ?? "127.0.0.1",
  () => process.stdout.write(`${server.address().port}\n`)
)
process.on("disconnect", () => process.exit(0))
