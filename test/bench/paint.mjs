// When a phone has drawn the largest part of a view (LCP): the demo's views in an installed Chromium, with a CPU four times slower and
// the slow 4G of Lighthouse, nothing cached.
// Usage: node test/bench/paint.mjs [runs]
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { startDemo } from "../../infra/demo/demo.mjs"
import { signIn } from "../../infra/demo/signIn.mjs"

const runs = Number(process.argv[2] ?? 5)
const goalMs = 1000
const port = 8081

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"]
  .find((path) => path !== undefined && existsSync(path))
if (executablePath === undefined) throw new Error("Set CHROMIUM to the path of a Chromium browser")

/** Lighthouse's "slow 4G": 1.6 Mbit/s down, 750 kbit/s up, 150 ms there and back. */
const slow4g = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 }

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const demo = await startDemo({ folder: dataDir, port })
const cookie = await signIn(await demo.link())
const [page] = demo.pages
const views = [
  "/app",
  "/app/monitors",
  `/app/monitors/${demo.monitors.checkout}`,
  "/app/incidents",
  "/app/on-call",
  `/s/${page.slug}`
]

const browser = await chromium.launch({ executablePath })

/** LCP in ms, three seconds after the page has loaded. */
const paintOf = async (path) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true })
  await context.addCookies(
    cookie.split("; ").map((one) => {
      const [name, ...value] = one.split("=")
      return { name, value: value.join("="), url: demo.baseUrl }
    })
  )
  const tab = await context.newPage()
  const session = await context.newCDPSession(tab)
  await session.send("Network.enable")
  await session.send("Network.emulateNetworkConditions", slow4g)
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 })
  await tab.goto(`${demo.baseUrl}${path}`, { waitUntil: "load" })
  const painted = await tab.evaluate(() =>
    new Promise((resolve) => {
      let last = 0
      new PerformanceObserver((list) => {
        for (const { startTime } of list.getEntries()) last = startTime
      }).observe({ type: "largest-contentful-paint", buffered: true })
      setTimeout(() => resolve(last), 3000)
    })
  )
  await context.close()
  return painted
}

const measured = []
for (const path of views) {
  const taken = []
  for (let run = 0; run < runs; run++) taken.push(Math.round(await paintOf(path)))
  taken.sort((one, other) => one - other)
  const view = path.replace(demo.monitors.checkout, ":id")
  measured.push({ view, medianMs: taken[runs >> 1], mostMs: taken.at(-1) })
  console.log(`${view}: LCP median ${taken[runs >> 1]} ms, at most ${taken.at(-1)} ms (goal ${goalMs})`)
}
const slowest = measured.reduce((worst, row) => (row.medianMs > worst.medianMs ? row : worst))
console.log(JSON.stringify({ bench: "paint", runs, goalMs, views: measured.length, slowest }))

await browser.close()
await demo.close()
rmSync(dataDir, { recursive: true, force: true })
process.exit(0)
