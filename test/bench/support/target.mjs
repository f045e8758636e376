// An http target in a process of its own, so that what it costs is not counted: answers 200 and a small body.
import { createServer } from "node:http"

const body = "hello world ".repeat(20)
const flips = new Map()

/** 200 and 503 by turns for each address below `/flip/`, else 200. */
const statusOf = (url) => {
  if (!url.startsWith("/flip/")) return 200
  const asked = flips.get(url) ?? 0
  flips.set(url, asked + 1)
  return asked % 2 === 0 ? 200 : 503
}

const server = createServer((request, response) => {
  response.statusCode = statusOf(request.url)
  response.setHeader("content-type", "text/plain")
  response.end(body)
})
server.keepAliveTimeout = 1000
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`))
process.on("disconnect", () => process.exit(0))
