/** People with a browser in the dashboard: an outage seen live, incidents, pages, schedules, imports, and every view for everybody. */
import { describe, expect, it, layer } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { gunzipSync, gzipSync } from "node:zlib"
import { chromium } from "../support/browser/Browser.ts"
import { bulkEditStories } from "./stories/bulkEdit.ts"
import { chartStories } from "./stories/chart.ts"
import { editorStories } from "./stories/editor.ts"
import { formStories } from "./stories/forms.ts"
import { keyboardStories } from "./stories/keyboard.ts"
import { liveStories } from "./stories/live.ts"
import { monitorListStories } from "./stories/monitorList.ts"
import { nightIncidentStories } from "./stories/nightIncident.ts"
import { onCallStories } from "./stories/onCall.ts"
import { postmortemStories } from "./stories/postmortem.ts"
import { pushStories } from "./stories/push.ts"
import { statusPageStories } from "./stories/statusPage.ts"
import { themeStories } from "./stories/theme.ts"
import { writingStories } from "./stories/writing.ts"
import { demoBrowser, type Watched } from "./support/DemoBrowser.ts"
import { rareViews } from "./support/RareViews.ts"
import { call, story } from "./support/Story.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: the dashboard in a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/** The faults that axe finds in a page. */
const violationsOf = async ({ page }: Watched): Promise<ReadonlyArray<string>> => {
  await page.evaluate(readFileSync(axe, "utf8"))
  return page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ target }) => target.join(" ")).join(", ")))`
  )
}

/** The first link of the main part that leads to a view. */
const linkIn = async ({ page }: Watched, path: string, pattern: RegExp): Promise<string> => {
  await page.goto(path)
  const links = await page.locator("main a").evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""))
  return links.find((link) => pattern.test(link)) ?? `no link like ${pattern} in ${path}`
}

/** An incident that is open, with all its actions. */
const openIncident = async (watched: Watched): Promise<string> => {
  await watched.page.goto("/app")
  const { id } = await call(watched, "POST", "/incidents", {
    title: "Slow search at night",
    message: "We look.",
    impact: "major"
  })
  return `/app/incidents/${id}`
}

const places = [
  "/app",
  "/app/monitors",
  "/app/monitors?group=tag&tag=shop",
  "/app/monitors?search=nothing-has-this-name",
  "/app/monitors/new",
  "/app/incidents",
  "/app/deploys",
  "/app/maintenance",
  "/app/pages",
  "/app/upstreams",
  "/app/channels",
  "/app/deliveries",
  "/app/escalation",
  "/app/on-call",
  "/app/on-call?at=2026-11-20T03:00",
  "/app/on-call/new",
  "/app/escalation/new",
  "/app/providers",
  "/app/members",
  "/app/keys",
  "/app/apps",
  "/app/audit",
  "/app/usage",
  "/app/images",
  "/app/import",
  "/app/import?source=gatus",
  "/app/plan",
  "/app/workspace-digest",
  "/app/contact",
  "/app/workspaces",
  "/app/digest",
  "/app/security",
  "/app/security/2fa",
  "/app/mail"
]

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("a person with a browser", () => {
  layer(demoBrowser, { excludeTestServices: true, timeout: "170 seconds" })((it) => {
    it.effect("sees an outage without reloading, and acknowledges it on a phone in two taps", () =>
      story(async ({ demo, open }) => {
        demo.setFailing("/checkout", false)
        const desktop = await open()
        await desktop.page.goto("/app")
        await desktop.page.evaluate("window.same = true")
        demo.setFailing("/checkout", true)
        await desktop.page.getByRole("link", { name: /^Checkout is down/ }).first().waitFor()
        expect(await desktop.page.evaluate("window.same")).toBe(true)
        const incident = await desktop.page.locator("#incidents a.title").first().getAttribute("href")

        const phone = await open({ device: "phone" })
        await phone.page.goto(incident ?? "")
        await phone.page.getByRole("button", { name: "Acknowledge" }).first().click()
        await phone.page.getByText("Incident acknowledged").or(phone.page.getByText(/acknowledged/i)).first().waitFor()
        // The other screen learns it by itself.
        await desktop.page.getByText(/acknowledged by/).first().waitFor()
        demo.setFailing("/checkout", null)
        expect([...desktop.errors, ...phone.errors]).toEqual([])
      }))

    it.effect("keeps what was typed and focused while the view changes", () =>
      story(async ({ demo, open }) => {
        const { errors, page } = await open()
        const headers = { origin: demo.baseUrl }
        const made = await page.request.post("/api/v1/incidents", {
          headers,
          data: { title: "Slow search", message: "We look." }
        })
        const { id } = await made.json()
        await page.goto(`/app/incidents/${id}`)
        const text = page.locator("#update textarea").first()
        await text.fill("Half a sentence")
        // Somebody else takes it.
        await page.request.post(`/api/v1/incidents/${id}/ack`, { headers, data: {} })
        await page.getByRole("button", { name: /^Undo acknowledgement|^Unacknowledge|^Take back/ }).or(
          page.getByText(/[Aa]cknowledged by/)
        )
          .first().waitFor()
        expect(await text.inputValue()).toBe("Half a sentence")
        expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA")
        await page.request.post(`/api/v1/incidents/${id}/resolve`, { headers, data: {} })
        expect(errors).toEqual([])
      }))

    it.effect("copies what a form would do as an API call", () =>
      story(async ({ open }) => {
        const { errors, page } = await open()
        await page.goto("/app/keys")
        await page.locator("#new-key input[name=name]").fill("it's mine")
        await page.locator("#new-key").getByText("Copy as API call").click()
        // The script that writes it may come after the click.
        const curl = () => page.locator("#new-key-curl").textContent()
        await expect.poll(curl).toContain("it'\\''s mine")
        expect(await curl()).toContain("/api/v1/api-keys")
        // Pressed twice, the button has its own words again afterwards.
        await page.context().grantPermissions(["clipboard-write"])
        await page.clock.install()
        const copy = page.locator("[data-copy=new-key-curl]")
        await copy.click()
        await expect.poll(() => copy.textContent()).toBe("Copied")
        await copy.click()
        await page.clock.runFor(5000)
        expect(await copy.textContent()).toBe("Copy")
        expect(errors).toEqual([])
      }))

    it.effect("finds views and monitors by keyboard", () =>
      story(async ({ open }) => {
        const { errors, page } = await open()
        await page.goto("/app")
        await page.keyboard.press("Control+k")
        await page.getByRole("combobox").fill("Audit")
        await page.getByRole("combobox").fill("Channels")
        await page.keyboard.press("Enter")
        await page.waitForURL(/\/app\/channels$/)
        await page.keyboard.press("?")
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
        await page.keyboard.press("Escape")
        await page.keyboard.press("g")
        await page.keyboard.press("m")
        await page.waitForURL(/\/app\/monitors$/)
        expect(errors).toEqual([])
      }))

    it.effect("moves in from another service, sees what would be made, and follows the import", () =>
      story(async ({ open }) => {
        const { errors, page } = await open()
        await page.goto("/app/import?source=gatus")
        await page.locator("#preview-form-document").fill("endpoints:\n  - {name: moved, url: \"https://moved.example.com\"}")
        await page.getByRole("button", { name: "Preview" }).click()
        await page.getByText(/1 to create/).waitFor()
        await page.getByRole("button", { name: "Import all" }).click()
        await page.getByText("Succeeded").waitFor()
        await page.goto("/app/monitors?search=moved")
        await page.getByRole("link", { name: "moved" }).first().waitFor()
        expect(errors).toEqual([])
      }))

    it.effect("moves in from a file of an Uptime Kuma", () =>
      story(async ({ open }) => {
        const { errors, page } = await open()
        await page.goto("/app/import?source=uptimekuma")
        const database = readFileSync(new URL("../support/files/kuma-account.db.gz", import.meta.url))
        const file = { name: "kuma.db", mimeType: "application/octet-stream", buffer: gunzipSync(database) }
        await page.getByLabel("File", { exact: true }).setInputFiles(file)
        await page.getByText("kuma.db is in the field below.").waitFor()
        await page.getByRole("button", { name: "Preview" }).click()
        await page.getByText(/^\d+ to create, of 43 found$/).waitFor()
        await page.getByText("docker monitors are not supported.").waitFor()
        await page.goto("/app/import?source=uptimekuma")
        await page.getByLabel("File", { exact: true }).setInputFiles({ ...file, buffer: Buffer.alloc(9_000_000) })
        await page.getByText(/^The file is too large/).waitFor()
        expect(await page.locator("#preview-form-document").inputValue()).toBe("")
        expect(errors).toEqual([])
      }))

    it.effect("can do everything without a script", () =>
      story(async ({ open }) => {
        const { page } = await open({ scripts: false })
        await page.goto("/app/usage")
        await page.getByLabel("Time zone").fill("Mars/Base")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("alert").waitFor()
        expect(await page.getByLabel("Time zone").inputValue()).toBe("Mars/Base")
        await page.getByLabel("Time zone").fill("Europe/Paris")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("Workspace saved").waitFor()
      }))

    postmortemStories(it)
    writingStories(it)
    nightIncidentStories(it)
    pushStories(it)
    statusPageStories(it)
    onCallStories(it)
    bulkEditStories(it)
    monitorListStories(it)
    themeStories(it)
    formStories(it)
    liveStories(it)
    chartStories(it)
    editorStories(it)
    keyboardStories(it)

    it.effect("meets no barrier and no error in any view, light or dark, wide or narrow", () =>
      story(async ({ demo, open }) => {
        const light = await open()
        const checkout = `/app/monitors/${demo.monitors["checkout"]}`
        const backup = `/app/monitors/${demo.monitors["backup"]}`
        const more = [
          ...await rareViews(light, demo),
          backup,
          `${backup}/runs`,
          await linkIn(light, `${backup}/runs`, /\/runs\/run_/),
          checkout,
          `${checkout}/checks`,
          `${checkout}/uptime`,
          "/app/monitors/new?kind=script",
          "/app/monitors/new?kind=heartbeat",
          "/app/monitors/new?kind=heartbeat&by=schedule",
          "/app/maintenance/new",
          await linkIn(light, `${checkout}/checks`, /\/checks\/chk_/),
          `/app/pages/${demo.pages[0]?.id ?? ""}`,
          await openIncident(light),
          await linkIn(light, "/app/incidents", /\/incidents\/inc_/),
          await linkIn(light, "/app/on-call", /\/on-call\/sch_/),
          await linkIn(light, "/app/escalation", /\/escalation\/pol_/)
        ]
        const dark = await open({ dark: true, device: "phone" })
        const found: Array<string> = []
        for (const path of [...places, ...more]) {
          for (const watched of [light, dark]) {
            const answer = await watched.page.goto(path)
            if (answer?.status() !== 200) found.push(`${path}: ${answer?.status()}`)
            for (const violation of await violationsOf(watched)) found.push(`${path}: ${violation}`)
          }
          const tooWide = await dark.page.evaluate("document.documentElement.scrollWidth > innerWidth")
          if (tooWide === true) found.push(`${path}: scrolls sideways on a phone`)
        }
        expect([...found, ...light.errors, ...dark.errors]).toEqual([])
        // All views twice take minutes on a crowded machine.
      }), 600_000)
  })
})

describe("the scripts of the dashboard", () => {
  const names = readdirSync("dist/assets").filter((name) => name.endsWith(".js"))
  const textOf = (name: string) => readFileSync(`dist/assets/${name}`, "utf8")

  /** The scripts that some of them load, beside those of the editor. */
  const reached = (from: ReadonlyArray<string>, found = new Set<string>()): ReadonlySet<string> => {
    for (const name of from) {
      if (found.has(name)) continue
      found.add(name)
      const loads = [...textOf(name).matchAll(/"\.\/([\w-]+\.js)"/g)].map(([, one = ""]) => one)
      reached(loads.filter((one) => !one.startsWith("Editor-")), found)
    }
    return found
  }
  const bytesOf = (given: Iterable<string>): number =>
    [...given].reduce((sum, name) => sum + gzipSync(readFileSync(`dist/assets/${name}`), { level: 9 }).length, 0)

  it("weigh at most 75 KB in all beside the editor, and 40 KB on first view, compressed", () => {
    const entry = names.filter((name) => name.startsWith("app-"))
    const all = reached(entry)
    expect(all.size).toBeGreaterThan(10)
    expect(bytesOf(all)).toBeLessThan(75 * 1024)
    expect(bytesOf(entry)).toBeLessThan(40 * 1024)
  })

  it("weigh at most 270 KB with the editor and all of its languages", () => {
    expect(bytesOf(names)).toBeLessThan(270 * 1024)
  })
})
