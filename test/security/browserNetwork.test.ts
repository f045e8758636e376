/**
 * Attacks by pages of browser monitors on networks that they must not reach: by WebRTC, QUIC, service workers, speculation and other
 * ways than plain requests, and on files. Once as production runs the browser, and once with its flags and its proxy alone, as where
 * the machine gives no network of its own. The same page in a browser without defences shows that its attacks work.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { createSocket } from "node:dgram"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WorkspaceId } from "../../schema/Ids.ts"
import { everyPermit } from "../../src/domain/check/address/PermitsAt.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { runBrowser } from "../../src/probe/browser/BrowserRun.ts"
import { makeHelperIds } from "../../src/probe/isolation/HelperIds.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { Scripts } from "../../src/probe/script/Scripts.ts"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { listening, probing, tcpTarget } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"

const slow = 120_000
const viewport = { width: 800, height: 600 }

/** A private machine: what arrives there by UDP and TCP. */
const privateMachine = Effect.gen(function*() {
  const heard = { udp: 0, tcp: 0 }
  const socket = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createSocket>>((resume) => {
      const made = createSocket("udp4").on("message", () => heard.udp++)
      made.bind(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) => Effect.sync(() => made.close())
  )
  const tcp = yield* tcpTarget((connection) => {
    heard.tcp++
    connection.on(
      "data",
      () => connection.end("HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 6\r\n\r\nsecret")
    )
  })
  return { heard, udp: (socket.address() as AddressInfo).port, tcp }
})

const forgedCandidates = (udp: number, tcp: number) => [
  `candidate:1 1 udp 2122260223 127.0.0.1 ${udp} typ host`,
  `candidate:2 1 tcp 1518280447 127.0.0.1 ${tcp} typ host tcptype passive`
]

const iceServers = (udp: number, tcp: number) => [
  { urls: [`stun:127.0.0.1:${udp}`, `stun:localhost:${udp}`] },
  ...[`turn:127.0.0.1:${udp}?transport=udp`, `turn:127.0.0.1:${tcp}?transport=tcp`, `turns:127.0.0.1:${tcp}?transport=tcp`].map(
    (urls) => ({ urls, username: "u", credential: "p" })
  )
]

/** Everything by which a page can make a browser connect. */
const attackingPage = (udp: number, tcp: number) =>
  `<!doctype html><title>Evil</title>
<link rel="preconnect" href="http://127.0.0.1:${tcp}"><link rel="dns-prefetch" href="//127.0.0.1:${tcp}">
<link rel="prefetch" href="http://127.0.0.1:${tcp}/prefetch"><link rel="modulepreload" href="http://127.0.0.1:${tcp}/module">
<link rel="stylesheet" href="http://127.0.0.1:${tcp}/style"><link rel="icon" href="http://127.0.0.1:${tcp}/icon">
<link rel="manifest" href="http://127.0.0.1:${tcp}/manifest"><style>@import url(http://127.0.0.1:${tcp}/import);</style>
<script type="speculationrules">{"prefetch":[{"urls":["http://127.0.0.1:${tcp}/spec"],"eagerness":"immediate"}],
"prerender":[{"urls":["/prerendered"],"eagerness":"immediate"}]}</script>
<iframe src="data:text/html,<img src=http://127.0.0.1:${tcp}/data><script>fetch('http://127.0.0.1:${tcp}/inner',{mode:'no-cors'})</script>"></iframe>
<iframe src="file:///etc/passwd"></iframe><object data="file:///etc/passwd"></object><iframe src="view-source:file:///etc/passwd"></iframe>
<iframe src="chrome://version"></iframe><video src="http://127.0.0.1:${tcp}/video" autoplay></video><img src="ftp://127.0.0.1:${tcp}/">
<embed src="http://127.0.0.1:${tcp}/embed"><a id="ping" ping="http://127.0.0.1:${tcp}/ping" href="#x">x</a>
<form id="form" target="frame" action="http://127.0.0.1:${tcp}/form" method="post"></form><iframe name="frame"></iframe>
<script>
const quiet = (work) => { try { const made = work(); if (made && made.catch) made.catch(() => {}) } catch {} }
const servers = ${JSON.stringify(iceServers(udp, tcp))}
quiet(async () => {
  for (const one of servers) quiet(async () => {
    const peer = new RTCPeerConnection({ iceServers: [one] })
    peer.createDataChannel("x")
    await peer.setLocalDescription(await peer.createOffer())
  })
  const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()]
  a.createDataChannel("x")
  await a.setLocalDescription(await a.createOffer())
  await b.setRemoteDescription(a.localDescription)
  await b.setLocalDescription(await b.createAnswer())
  await a.setRemoteDescription(b.localDescription)
  for (const candidate of ${
    JSON.stringify(forgedCandidates(udp, tcp))
  }) quiet(() => a.addIceCandidate({ candidate, sdpMid: "0", sdpMLineIndex: 0 }))
})
quiet(() => new WebTransport("https://127.0.0.1:${udp}/"))
quiet(() => new WebTransport("https://127.0.0.1:${udp}/", { serverCertificateHashes: [{ algorithm: "sha-256", value: new Uint8Array(32) }] }))
quiet(() => new WebSocket("ws://127.0.0.1:${tcp}/"))
quiet(() => new WebSocket("wss://127.0.0.1:${tcp}/"))
quiet(() => new EventSource("http://127.0.0.1:${tcp}/events"))
quiet(() => navigator.sendBeacon("http://127.0.0.1:${tcp}/beacon", "x"))
quiet(() => fetch("http://127.0.0.1:${tcp}/keepalive", { method: "POST", keepalive: true, mode: "no-cors" }))
quiet(() => fetch("http://localhost:${tcp}/", { mode: "no-cors", targetAddressSpace: "loopback" }))
quiet(() => fetch("file:///etc/passwd").then((r) => r.text()).then((text) => console.log("file " + text)))
quiet(() => window.open("http://127.0.0.1:${tcp}/popup"))
quiet(() => window.open("file:///etc/passwd"))
quiet(() => new Worker(URL.createObjectURL(new Blob(["importScripts('http://127.0.0.1:${tcp}/worker'); fetch('http://127.0.0.1:${tcp}/')"]))))
quiet(() => new SharedWorker("data:text/javascript,fetch('http://127.0.0.1:${tcp}/shared',{mode:'no-cors'})"))
quiet(() => navigator.serviceWorker.addEventListener("controllerchange", () => fetch("/through-worker")))
quiet(() => navigator.serviceWorker.register("/worker.js"))
quiet(() => document.getElementById("ping").click())
quiet(() => document.getElementById("form").submit())
for (const frame of document.querySelectorAll("iframe, object")) setTimeout(() => quiet(() => console.log("frame " + frame.contentDocument.body.innerText)), 1500)
</script>`

const workerOf = (tcp: number) =>
  `self.addEventListener("install", (event) => { self.skipWaiting() })
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()))
self.addEventListener("fetch", (event) => {
  fetch("http://127.0.0.1:${tcp}/from-worker", { mode: "no-cors" }).catch(() => {})
  if (event.request.url.endsWith("/through-worker")) event.respondWith(fetch("/worked"))
})`

/** The attacker's site, at an address that is open, and that browsers call secure. */
const attackerSite = (udp: number, tcp: number) =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? "")
      if (request.url === "/worker.js") {
        return response.writeHead(200, { "content-type": "text/javascript" }).end(workerOf(tcp))
      }
      return response.writeHead(200, {
        "content-type": "text/html",
        link: `<http://127.0.0.1:${tcp}/early>; rel=preconnect`,
        "content-security-policy-report-only": `img-src 'none'; report-uri http://127.0.0.1:${tcp}/csp`,
        "reporting-endpoints": `default="http://127.0.0.1:${tcp}/reports"`
      }).end(request.url === "/" ? attackingPage(udp, tcp) : "ok")
    })
    const port = yield* listening(server, "127.0.0.2")
    return { url: `http://127.0.0.2:${port}`, asked }
  })

const setUp = Effect.gen(function*() {
  const machine = yield* privateMachine
  const site = yield* attackerSite(machine.udp, machine.tcp)
  return { ...machine, site }
})

const codeFor = (url: string) => `
  await page.goto("${url}/")
  await sleep(5000)
  for (const url of ["file:///etc/passwd", "view-source:file:///etc/passwd", "chrome://version", "data:text/html,x", "javascript:1", "about:blank", "filesystem:x", "blob:x"]) {
    try { await page.goto(url); console.log("went to " + url) } catch {}
  }
  await page.goto("${url}/late")
`

/** Files and other pages as a run shows them, which are none of the attacker's. */
const betrayed = /root:x|went to|Chromium\\t|frame root/

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("A page of a browser monitor", () => {
  it.scopedLive("reaches a private machine by UDP and TCP in a browser without defences", () =>
    Effect.gen(function*() {
      const { heard, site } = yield* setUp
      const { goTo } = yield* openPage(chromium ?? "")
      yield* Effect.fork(goTo(`${site.url}/`))
      yield* until(Effect.sync(() => heard.udp > 0 && heard.tcp > 10), (reached) => reached)
      yield* until(Effect.sync(() => site.asked.includes("/worked")), (worked) => worked)
    }), slow)

  it.scopedLive("reaches nothing private and no file as production runs it", () =>
    Effect.gen(function*() {
      const { heard, site } = yield* setUp
      const target = { kind: "browser", code: codeFor(site.url), viewport, degradedAfterMs: null } as const
      const seen = yield* probeOnce(assignmentTo(target, { timeoutMs: 40_000 })).pipe(
        Effect.provide(probing({ allow: "127.0.0.2" }))
      )
      const evidence = yield* seen.evidence
      expect([seen.error, heard]).toEqual([null, { udp: 0, tcp: 0 }])
      // It ran all of it.
      expect(site.asked).toEqual(expect.arrayContaining(["/", "/worked", "/late"]))
      expect(evidence?.browser?.refused.map(({ host }) => host)).toContain("127.0.0.1")
      expect(JSON.stringify(evidence)).not.toMatch(betrayed)
    }), slow)

  it.scopedLive("reaches nothing private and no file by the browser's flags and its proxy alone", () =>
    Effect.gen(function*() {
      const { heard, site } = yield* setUp
      const guard = yield* EgressGuard
      const scripts = yield* Scripts
      const isolation = { name: "nothing", node: process.execPath, command: () => [], lacks: ["network"] as const }
      const setup = { path: chromium ?? "", isolation, ids: makeHelperIds("browsers"), isSandboxed: process.getuid?.() !== 0 }
      const { browser, end, message } = yield* runBrowser(setup, guard, scripts, {
        code: codeFor(site.url),
        env: "{}",
        timeoutMs: 40_000,
        viewport,
        workspaceId: Schema.decodeSync(WorkspaceId)(makeId("ws", 1_700_000_000_000, randomBytes(10))),
        tls: { verify: true } as Parameters<typeof runBrowser>[3]["tls"],
        permits: everyPermit
      })
      expect([end, message, heard]).toEqual(["passed", null, { udp: 0, tcp: 0 }])
      expect(site.asked).toEqual(expect.arrayContaining(["/", "/worked", "/late"]))
      expect(browser.refused.map(({ host }) => host)).toContain("127.0.0.1")
      expect(JSON.stringify(browser)).not.toMatch(betrayed)
    }).pipe(Effect.provide(probing({ allow: "127.0.0.2" }))), slow)
})
