// The targets of the demo's monitors: servers on this machine, some of which fail on schedule.
import dnsPacket from "dns-packet"
import { createSocket } from "node:dgram"
import { createServer } from "node:http"
import http2 from "node:http2"
import net from "node:net"
import { WebSocketServer } from "ws"

const forced = new Map()

/** Makes a path fail, or not, whatever its schedule says; null returns to the schedule. */
export const setFailing = (path, fails) => (fails === null ? forced.delete(path) : forced.set(path, fails))

/** Whether a path that fails `bad` of every `of` seconds fails now. */
const failsNow = (path, bad, of) => forced.get(path) ?? (Date.now() / 1000) % of < bad

const listening = (server) =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve(server.address().port))
  })

const json = (response, status, value) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(value))
}

const web = (request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1")
  const answers = {
    "/shop": () => {
      response.writeHead(200, { "content-type": "text/html", server: "shop/2.4" })
      response.end("<!doctype html><title>Acme Shop</title><h1>Welcome to Acme</h1><button id=buy>Buy</button>")
    },
    "/api": () => json(response, 200, { status: "ok", version: "4.12.0", queue: { depth: 3 } }),
    // Down for two of every seven minutes.
    "/checkout": () =>
      failsNow("/checkout", 120, 420)
        ? json(response, 503, { error: "payment gateway timed out" })
        : json(response, 200, { status: "ok", provider: "up" }),
    // Slow for one of every five minutes.
    "/search": () => setTimeout(() => json(response, 200, { hits: 42 }), failsNow("/search", 60, 300) ? 900 : 60),
    "/status.json": () =>
      json(response, 200, { payments: "operational", mail: failsNow("/status.json", 90, 600) ? "degraded" : "operational" }),
    "/dns.json": () =>
      json(response, 200, {
        version: "1.0",
        services: [[["example"], [`http://${request.headers.host}/rdap/`]]]
      }),
    "/rdap/domain/acme.example": () =>
      json(response, 200, {
        objectClassName: "domain",
        ldhName: "acme.example",
        events: [{ eventAction: "expiration", eventDate: new Date(Date.now() + 240 * 86_400_000).toISOString() }]
      })
  }
  const answer = answers[pathname]
  if (answer === undefined) json(response, 404, { error: "not found" })
  else answer()
}

/** The standard gRPC health check: always SERVING (grpc.health.v1). */
const grpc = () => {
  const server = http2.createServer()
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true })
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }))
    stream.resume()
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]))
  })
  return server
}

/** Starts all targets; resolves to their ports. */
export const startTargets = async () => {
  const webServer = createServer(web)
  const webPort = await listening(webServer)
  new WebSocketServer({ server: webServer, path: "/socket" }).on("connection", (socket) => {
    socket.on("message", (data) => socket.send(`echo ${data}`))
  })
  const tcpPort = await listening(net.createServer((socket) => {
    socket.on("error", () => {})
    socket.end("220 mail.acme.example ESMTP\r\n")
  }))
  const grpcPort = await listening(grpc())
  const resolver = createSocket("udp4")
  resolver.on("message", (packet, { address, port }) => {
    const { id, questions = [] } = dnsPacket.decode(packet)
    const [question] = questions
    const answers = question?.type === "A" ? [{ name: question.name, type: "A", ttl: 60, data: "192.0.2.10" }] : []
    resolver.send(
      dnsPacket.encode({ type: "response", id, flags: dnsPacket.AUTHORITATIVE_ANSWER, questions, answers }),
      port,
      address
    )
  })
  const dnsPort = await new Promise((resolve) => resolver.bind(0, "127.0.0.1", () => resolve(resolver.address().port)))
  return { webPort, tcpPort, grpcPort, dnsPort }
}
