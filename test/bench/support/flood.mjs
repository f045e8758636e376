// Keeps requests under way at a program, each after the answer to the one before, until it is ended.
// Usage: node flood.mjs <url> <key> <concurrent requests> <own address> [body of a POST]
import { Agent, request } from "node:http"

const [url, apiKey, atOnce, localAddress, body] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(atOnce) })
const headers = { authorization: `Bearer ${apiKey}`, ...(body && { "content-type": "application/json" }) }
/** How soon a request that failed is sent again, ms. */
const pauseMs = 100

const next = () => {
  const sent = request(url, { agent, headers, localAddress, method: body ? "POST" : "GET" }, (response) => {
    response.resume()
    response.once("close", next)
  })
  sent.once("error", () => setTimeout(next, pauseMs))
  sent.end(body)
}
for (let started = 0; started < Number(atOnce); started++) next()
