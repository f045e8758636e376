// Takes the pictures of README.md from the demo, in an installed Chromium. Usage: node infra/demo/pictures.mjs [folder]
// The pictures differ a little each time: the demo's history ends today.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"
import { SMTPServer } from "smtp-server"
import { startDemo } from "./demo.mjs"
import { palettePng } from "./palettePng.mjs"
import { makeCall, signIn } from "./signIn.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const [folder = join(here, "images")] = process.argv.slice(2)
const port = 8080
const waitMs = 120_000

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"]
  .find((path) => path !== undefined && existsSync(path))
if (executablePath === undefined) throw new Error("Set CHROMIUM to the path of a Chromium browser")

const sizes = {
  desktop: { width: 1280, height: 800 },
  tall: { width: 1280, height: 1040 },
  phone: { width: 390, height: 844 }
}

const until = async (read, fits) => {
  for (const from = Date.now();;) {
    const value = await read()
    if (fits(value)) return value
    if (Date.now() - from > waitMs) throw new Error(`Waited ${waitMs} ms in vain; the last value was ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

const dataDir = mkdtempSync(join(tmpdir(), "belltower-pictures-"))
// Without a mail server, each view begins with the advice to set one.
const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData: (stream, _session, done) => stream.on("end", () => done()).resume()
})
await new Promise((resolve) => mail.listen(0, "127.0.0.1", resolve))
const settings = { SMTP_URL: `smtp://127.0.0.1:${mail.server.address().port}` }
const demo = await startDemo({ folder: dataDir, port, settings })
const cookie = await signIn(await demo.link())
const call = makeCall(demo.baseUrl, cookie)

// An outage that just began is what the product is for.
demo.setFailing("/checkout", true)
const checkout = demo.monitors.checkout
const { openIncidentId } = await until(() => call("GET", `/monitors/${checkout}`), ({ state }) => state === "down")
await call("POST", `/incidents/${openIncidentId}/updates`, {
  status: "identified",
  message: "The payment gateway times out. We are switching to the second one."
})
const page = demo.pages.find(({ url }) => url.endsWith("/acme")) ?? demo.pages[0]

const pictures = [
  { name: "overview", path: "/app", size: "desktop", mode: "light" },
  { name: "monitors", path: "/app/monitors", size: "desktop", mode: "dark" },
  { name: "monitor", path: `/app/monitors/${checkout}?range=30d`, size: "tall", mode: "light" },
  { name: "look", path: `/app/pages/${page.id}`, size: "desktop", mode: "dark" },
  { name: "status-page", path: `/s/${page.slug}`, size: "desktop", mode: "light" },
  { name: "incident-phone", path: `/app/incidents/${openIncidentId}`, size: "phone", mode: "light" }
]

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath })
for (const { mode, name, path, size } of pictures) {
  const context = await browser.newContext({ viewport: sizes[size], colorScheme: mode, locale: "en-GB", reducedMotion: "reduce" })
  await context.addCookies(
    cookie.split("; ").map((one) => {
      const [key, ...value] = one.split("=")
      return { name: key, value: value.join("="), url: demo.baseUrl }
    })
  )
  const tab = await context.newPage()
  await tab.goto(`${demo.baseUrl}${path}`, { waitUntil: "load" })
  // Charts draw themselves after the page is there.
  await tab.waitForTimeout(1500)
  const picture = palettePng(await tab.screenshot())
  writeFileSync(join(folder, `${name}.png`), picture)
  console.log(`${name}.png: ${Math.round(picture.length / 1000)} kB`)
  await context.close()
}
await browser.close()
await demo.close()
mail.close()
rmSync(dataDir, { recursive: true, force: true })
process.exit(0)
