/** The browser check: what scripts can do with a page, what its evidence shows, and what neither script nor page can reach. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { WorkspaceId } from "../../schema/Ids.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { ChromiumPath } from "../../src/probe/browser/Chromium.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { chromium, wholeChromium } from "../support/browser/Browser.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { httpsTarget, httpTarget, makeCertificates, probing } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"

const slow = 120_000

const viewport = { width: 1000, height: 700 }

const lookAt = (code: string, rest: Parameters<typeof assignmentTo>[1] = {}, window = viewport) =>
  probeOnce(assignmentTo({ kind: "browser", code, viewport: window, degradedAfterMs: null }, { timeoutMs: 20_000, ...rest }))

const evidenceAt = (code: string, rest?: Parameters<typeof assignmentTo>[1], window = viewport) =>
  Effect.flatMap(
    lookAt(code, rest, window),
    (seen) => Effect.map(seen.evidence, (evidence) => ({ seen, script: evidence!.script!, browser: evidence!.browser! }))
  )

const workspace = () => Schema.decodeSync(WorkspaceId)(makeId("ws", 1_700_000_000_000, randomBytes(10)))

const site = (pages: Readonly<Record<string, string>>) =>
  httpTarget((request, response) => {
    const body = pages[request.url?.split("?")[0] ?? ""]
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html" }).end(body ?? "gone")
  })

/** The width and height of a JPEG: of its frame header (ITU T.81, B.2.2). */
const sizeOf = (base64: string): readonly [number, number] => {
  const bytes = Buffer.from(base64, "base64")
  for (let at = 2; at < bytes.length;) {
    const marker = bytes.readUInt16BE(at)
    if (marker === 0xffc0 || marker === 0xffc2) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return [0, 0]
}

/** The profiles of browsers, which are outside of their file systems only without isolation, and the processes of browsers. */
const profiles = (): ReadonlyArray<string> => readdirSync(tmpdir()).filter((name) => name.startsWith("belltower-browser-"))
const browsers = (): number =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/belltower-browser-")
    } catch {
      return false
    }
  }).length

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("a browser check", () => {
  it.scopedLive(
    "walks through pages in steps, and shows its actions, their times, the page and its console",
    () =>
      Effect.gen(function*() {
        const url = yield* site({
          "/": `<title>Shop</title><form action="/search"><input name="q"><select id="s"><option>a<option value="2">b</select>
          <button disabled>Buy later</button><button>Find it</button></form>`,
          "/search": `<title>Results</title><h1 hidden>3 results</h1><script>
          console.warn("slow list"); setTimeout(() => document.querySelector("h1").hidden = false, 300); setTimeout(() => { throw new Error("broken") })
          </script><a href="/x" data-id="7">first</a><img src="/missing.png">`
        })
        const { browser, script, seen } = yield* evidenceAt(`
        await step("open", async () => {
          const { status } = await page.goto("${url}/")
          assert.equal(status, 200)
          assert.equal(await page.title(), "Shop")
        })
        await step("search", async () => {
          await page.fill("input[name=q]", "socks & shoes")
          assert.equal(await page.value("input"), "socks & shoes")
          await page.select("#s", "b")
          await page.click("text=find it")
          await page.waitForUrl("/search?q=socks")
          await page.waitFor("text=3 results")
        })
        assert.equal(await page.text("h1"), "3 results")
        assert.equal(await page.attribute("a", "data-id"), "7")
        assert.equal(await page.count("a"), 1)
        assert.equal(await page.isVisible("text=4 results"), false)
        assert(await page.screenshot("list"))
        await step(async () => assert(await page.screenshot()))
        console.log(await page.url())
      `)
        expect(seen).toMatchObject({ outcome: "up", error: null, cause: null })
        expect(script.steps.map(({ error, name }) => [name, error])).toEqual([["open", null], ["search", null], ["Step 3", null]])
        expect(script.steps[1]!.ms).toBeGreaterThan(250)
        expect(script.logs[0]!.text).toBe(`${url}/search?q=socks+%26+shoes`)
        expect(browser).toMatchObject({ title: "Results", refused: [] })
        expect(browser.actions.map(({ action }) => action).slice(0, 5)).toEqual([
          `goto ${url}/`,
          "title",
          "fill input[name=q]",
          "value input",
          "select #s"
        ])
        expect(browser.actions.every(({ error, ms }) => error === null && ms >= 0)).toBe(true)
        expect(browser.requests).toMatchObject([{ url: `${url}/`, status: 200 }, { status: 200 }])
        expect(browser.console.map(({ level, text }) => [level, text.split("\n")[0]])).toEqual([
          ["warn", "slow list"],
          ["error", "Error: broken"]
        ])
        expect(browser.screenshots.map(({ jpeg, name }) => [name, sizeOf(jpeg)])).toEqual([
          ["list", [1000, 700]],
          ["Screenshot 2", [1000, 700]]
        ])
      }).pipe(Effect.provide(probing())),
    slow
  )

  it.scopedLive("that fails says which action of which step, and shows the page as it was", () =>
    Effect.gen(function*() {
      const url = yield* site({ "/": "<title>Down for maintenance</title><p>Back soon" })
      const { browser, seen } = yield* evidenceAt(
        `await step("pay", async () => { await page.goto("${url}/?token=abcdef"); await page.click("#buy", { timeoutMs: 500 }) })`,
        {},
        { width: 2560, height: 1440 }
      )
      expect(seen).toMatchObject({
        outcome: "down",
        cause: "assertion",
        error: "Step \"pay\": page.click: nothing that can be clicked matches #buy within 0.5 s"
      })
      expect(browser.title).toBe("Down for maintenance")
      expect(JSON.stringify(browser)).not.toContain("abcdef")
      expect(browser.screenshots.map(({ jpeg, name }) => [name, sizeOf(jpeg)])).toEqual([["at the end", [1280, 720]]])
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive(
    "reaches nothing private: neither by its address, nor by a name, a redirect, a frame, an image, a socket or a script",
    () =>
      Effect.gen(function*() {
        const asked: Array<string> = []
        const inner = yield* httpTarget((request, response) => {
          asked.push(request.url ?? "")
          response.end("secret")
        })
        const { port } = new URL(inner)
        const outer = yield* httpTarget((request, response) => {
          if (request.url === "/redirect") return response.writeHead(302, { location: `${inner}/redirected` }).end()
          response.writeHead(200, { "content-type": "text/html" })
          return response.end(
            `<title>Evil</title><img src="${inner}/image"><iframe src="http://rebound.test:${port}/frame"></iframe>
          <script>
            fetch("${inner}/fetch", { mode: "no-cors" }).catch(() => {})
            fetch("http://[::ffff:127.0.0.1]:${port}/mapped", { mode: "no-cors" }).catch(() => {})
            fetch("http://localhost:${port}/localhost", { mode: "no-cors" }).catch(() => {})
            fetch("http://2130706433:${port}/decimal", { mode: "no-cors" }).catch(() => {})
            fetch("http://0177.0.0.1:${port}/octal", { mode: "no-cors" }).catch(() => {})
            fetch("http://[::1]:${port}/loopback", { mode: "no-cors" }).catch(() => {})
            fetch("http://app.localhost:${port}/name", { mode: "no-cors" }).catch(() => {})
            navigator.sendBeacon("${inner}/beacon", "x")
            new EventSource("${inner}/events")
            fetch("http://0x7f.1:${port}/hex", { mode: "no-cors" }).catch(() => {})
            fetch("http://[64:ff9b::7f00:1]:${port}/nat64", { mode: "no-cors" }).catch(() => {})
            new WebSocket("ws://127.0.0.1:${port}/socket")
            const link = document.createElement("link"); link.rel = "preconnect"; link.href = "${inner}"; document.head.append(link)
            const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}?transport=tcp" }] })
            peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer))
          </script>`
          )
        }, "127.0.0.2")
        const outerPort = new URL(outer).port
        // Only the address of the outer server is open. Every other name leads to the inner one.
        const resolve = (
          host: string,
          done: (failure: null, addresses: ReadonlyArray<{ address: string; family: number }>) => void
        ) => done(null, [{ address: host === "open.test" ? "127.0.0.2" : "127.0.0.1", family: 4 }])
        const { browser, seen } = yield* evidenceAt(`
        await page.goto("http://open.test:${outerPort}/")
        await sleep(1500)
        assert.equal(await page.title(), "Evil")
        try { await page.goto("${inner}/direct") } catch (error) { console.log(error.message) }
        try { await page.goto("http://open.test:${outerPort}/redirect") } catch (error) { console.log(error.message) }
        try { await page.goto("file:///etc/passwd") } catch (error) { console.log(error.message) }
        await page.goto("http://rebound.test:${port}/named")
      `).pipe(Effect.provide(probing({ allow: "127.0.0.2", resolve })))
        expect(asked).toEqual([])
        expect(seen).toMatchObject({
          outcome: "down",
          error: expect.stringContaining("rebound.test (127.0.0.1) is not a public address")
        })
        expect(browser.refused.map(({ host }) => host)).toEqual(
          expect.arrayContaining(["127.0.0.1", "64:ff9b::7f00:1", "rebound.test"])
        )
      }),
    slow
  )

  it.scopedLive("gives a script no more of the browser than the page's actions", () =>
    Effect.gen(function*() {
      const url = yield* site({ "/": "<p>x" })
      const { script, seen } = yield* evidenceAt(`
        console.log(Object.keys(page).length, typeof process, typeof require, Object.isFrozen(page))
        await page.goto("${url}/")
        try { await page.click("text=x", "; drop") } catch (error) { console.log(error.message) }
        try { await page.count("p[") } catch (error) { console.log(error.message) }
        await page.press("F13")
      `)
      expect(script.logs.map(({ text }) => text)).toEqual([
        "15 undefined undefined true",
        "page.click: wrong arguments",
        expect.stringContaining("page.count: ")
      ])
      expect(seen.error).toContain("page.press: there is no key F13")
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive(
    "ends at its timeout, or when its pages use too much memory, and leaves nothing behind",
    () =>
      Effect.gen(function*() {
        const before = profiles()
        const url = yield* site({
          "/": "<script>while (true) {}</script>",
          "/memory":
            `<script>const all = []; setInterval(() => { const part = new Uint8Array(64 * 2 ** 20); part.fill(1); all.push(part) }, 50)</script>`
        })
        expect(yield* lookAt(`await page.goto("${url}/")`, { timeoutMs: 3000 })).toMatchObject({ outcome: "down" })
        expect(yield* lookAt(`await page.goto("${url}/memory"); await sleep(60000)`, { timeoutMs: 60_000 })).toMatchObject({
          outcome: "down",
          cause: "script_limit",
          error: "The browser used more than 1024 MiB of memory"
        })
        yield* until(
          Effect.sync(() => [profiles().filter((name) => !before.includes(name)).length, browsers()]),
          (left) => left.every((count) => count === 0)
        )
      }).pipe(Effect.provide(probing())),
    slow
  )

  it.scopedLive("accepts the certificates that browsers accept, and others only if told so", () =>
    Effect.gen(function*() {
      const { selfSigned } = makeCertificates()
      const url = yield* httpsTarget(selfSigned, (_, response) => response.end("x"))
      expect(yield* lookAt(`await page.goto("${url}/")`)).toMatchObject({
        outcome: "down",
        cause: "tls_error",
        error: expect.stringContaining("ERR_CERT_AUTHORITY_INVALID")
      })
      const accepting = {
        kind: "browser",
        code: `await page.goto("${url}/")`,
        viewport,
        degradedAfterMs: null,
        tlsVerify: false
      } as const
      expect(yield* probeOnce(assignmentTo(accepting, { timeoutMs: 20_000 }))).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())), slow)

  const withWindows = it.scopedLive.skipIf(wholeChromium === undefined && process.env["CI"] === undefined)
  withWindows("runs in a Chromium with windows, too", () =>
    Effect.gen(function*() {
      const url = yield* site({ "/": "<title>Shop</title>" })
      const { browser, seen } = yield* evidenceAt(
        `await page.goto("${url}/"); assert.equal(await page.title(), "Shop"); assert(await page.screenshot("shop"))`
      )
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect(browser.title).toBe("Shop")
    }).pipe(Effect.provide(Layer.provide(probing(), Layer.succeed(ChromiumPath, wholeChromium ?? "")))), slow)

  it.scopedLive("is skipped with the reason where no Chromium is installed", () =>
    Effect.gen(function*() {
      const seen = yield* lookAt("await page.title()", { workspaceId: workspace() })
      expect(seen).toMatchObject({ outcome: "down", cause: "internal_error" })
    }).pipe(Effect.provide(Layer.provide(probing(), Layer.succeed(ChromiumPath, null)))), slow)
})
