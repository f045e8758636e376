// The sites that are watched, in a process of its own: in a network namespace, it is what that namespace sees of them.
// Each answers 200 after 20 ms, and 503 while it is down. The parent sends `{ site, isDown }`, or null for the number of answers of
// each. Usage: node sites.mjs <port>
import { createServer } from "node:http"

const answerMs = 20

const down = new Set()
const answers = new Map()
const server = createServer((request, response) => {
  const status = down.has(request.url) ? 503 : 200
  setTimeout(() => {
    if (response.destroyed) return
    answers.set(request.url, (answers.get(request.url) ?? 0) + 1)
    response.writeHead(status).end()
  }, answerMs)
})
process.on("message", (message) => {
  if (message === null) process.send({ answers: [...answers] })
  else if (message.isDown) down.add(message.site)
  else down.delete(message.site)
})
process.on("disconnect", () => process.exit(0))
server.listen(Number(process.argv[2]), "0.0.0.0", () => process.send({ port: server.address().port }))
