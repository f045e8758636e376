/** The views of one monitor: what they show is what the interface answers. */
import { expect, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { createServer } from "node:http"
import { WorkspaceId } from "../../schema/Ids.ts"
import { newOwner, type Visitor } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programOf } from "../support/program/Program.ts"
import { call } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"

/** A target that fails, with a body that tries to be markup. */
const target = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((_, response) => {
      response.writeHead(503, { "x-served-by": "edge-7" })
      response.end("<script>alert('shop')</script>")
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** A monitor that is down, and its first failed check, which has evidence. */
const failing = Effect.fn("failing")(function*(visitor: Visitor) {
  const { url } = yield* target
  const { body: monitor } = yield* visitor.api("POST", "/monitors", { name: "Shop front", url, failureThreshold: 1 })
  const found = yield* until(
    visitor.api("GET", `/monitors/${monitor.id}`),
    ({ body }) => body.state === "down" && body.checks.length > 0
  )
  return { id: String(monitor.id), check: String(found.body.checks.at(-1).id) }
})

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "120 seconds" })(
  "the views of a monitor",
  (it) => {
    it.scoped("show the runs of a job, and of one that failed the log first", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { body: monitor } = yield* visitor.api("POST", "/monitors", { name: "Backup", periodSec: 600 })
        const job = new URL(monitor.pingUrl).pathname
        yield* visitor.submit(`${job}/start?rid=nightly`)
        yield* call(`${job}/3?rid=nightly`, { method: "POST", body: "<b>tar</b>: disk full" })
        yield* call(job, { method: "POST", body: "all is well" })
        const overview = yield* visitor.get(`/app/monitors/${monitor.id}`)
        expect(overview.text).toContain("Recent runs")
        const { body } = yield* visitor.api("GET", `/monitors/${monitor.id}/runs?state=down`)
        const path = `/app/monitors/${monitor.id}/runs`
        for (const { text } of [overview, yield* visitor.get(`${path}?state=down`), yield* visitor.get(`${path}?search=DISK`)]) {
          expect(text).toContain(`href="${path}/${body.data[0].id}"`)
          expect(text).toContain("nightly")
        }
        expect((yield* visitor.get(`${path}?search=disc`)).text).toContain("No such runs")
        const { text } = yield* visitor.get(`${path}/${body.data[0].id}`)
        expect(text).toContain("Failed with exit code 3")
        expect(text).toMatch(/tar[^]*disk full/)
        expect(text).not.toContain("<b>tar</b>")
        expect(text.indexOf(`id="log"`)).toBeLessThan(text.indexOf(`id="facts"`))
        expect((yield* visitor.get(`${path}/run_00000000000000000000000000`)).status).toBe(404)
      }))

    it.scoped("show its state with the cause, its states and latencies over a range, and its checks", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { check, id } = yield* failing(visitor)
        const { text } = yield* visitor.get(`/app/monitors/${id}?range=7d`)
        expect(text).toMatch(/<h2>Down for /)
        expect(text).toContain("Expected status 200-299, got 503 Service Unavailable")
        expect(text).toMatch(/range=7d" aria-current="true"/)
        expect(text).toContain(`href="/app/monitors/${id}/checks/${check}"`)
        expect(text).toContain("<code>get_monitor_history</code>")
        expect(text).toMatch(/<svg class="plot-x"[^>]*aria-label="States over time: down once\./)
        const figures = yield* visitor.get(`/app/monitors/${id}/figures`)
        expect(figures.status).toBe(200)
        const regions = yield* visitor.get(`/app/monitors/${id}/regions`)
        expect(regions.text).toContain("<b>main</b>")
        const { body } = yield* visitor.api("GET", `/monitors/${id}/history?range=24h`)
        expect(body.states.at(-1)).toMatchObject({ state: "down", to: null })
        expect(body.regions.map(({ region }: { readonly region: string }) => region)).toEqual(["main"])
        expect(body.regions[0].data.at(-1)).toMatchObject({ p50: null, checks: 1, failures: 1, phases: null })
      }))

    it.scoped("mark incidents, deploys and maintenance in the chart, and list them", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { id } = yield* failing(visitor)
        const { body: incidents } = yield* until(visitor.api("GET", `/incidents?monitorId=${id}`), ({ body }) =>
          body.data.length > 0)
        const { body: page } = yield* visitor.api("POST", "/pages", { name: "Shop" })
        const { body: component } = yield* visitor.api("POST", `/pages/${page.id}/components`, {
          name: "Front",
          monitorIds: [id]
        })
        const now = yield* Clock.currentTimeMillis
        const window = (title: string, given: object) =>
          visitor.api("POST", "/maintenance", {
            title,
            message: "We upgrade.",
            scheduledStart: new Date(now - 60_000).toISOString(),
            scheduledEnd: new Date(now + 3_600_000).toISOString(),
            ...given
          })
        const { body: own } = yield* window("Upgrade of the front", { componentIds: [component.id] })
        const { body: whole } = yield* window("Upgrade of the page", { pageIds: [page.id] })
        const { body: other } = yield* visitor.api("POST", `/pages/${page.id}/components`, { name: "Docs", manual: true })
        yield* window("Upgrade of the docs", { componentIds: [other.id] })
        yield* visitor.api("POST", "/deploys", { version: "2026.11.3", url: "https://git.test/r/3", monitorIds: [id] })
        const { body: windows } = yield* visitor.api("GET", `/incidents?kind=maintenance&monitorId=${id}`)
        expect(windows.data.map((one: { readonly id: string }) =>
          one.id
        )).toEqual([whole.id, own.id])
        const { text } = yield* visitor.get(`/app/monitors/${id}`)
        const [listed = ""] = /<div id="happened">[\s\S]*?<\/ul>/.exec(text) ?? []
        for (const href of [`/app/incidents/${incidents.data[0].id}`, `/app/incidents/${own.id}`, "https://git.test/r/3"]) {
          expect(listed).toContain(`href="${href}"`)
        }
        expect(listed).not.toContain("Upgrade of the docs")
        expect(text).toMatch(/class="sign (?:incident|maintenance|deploy)"/)
      }))

    it.scoped("show the uptime of a year by day in the reader's zone", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { id } = yield* failing(visitor)
        const { body } = yield* visitor.api("GET", `/monitors/${id}/uptime?days=366&timezone=Pacific/Auckland`)
        expect([body.timezone, body.days.length]).toEqual(["Pacific/Auckland", 366])
        expect(body.days.at(-2).uptime).toBeNull()
        expect(body.days.at(-1).uptime.percent).toBeLessThan(100)
        const { status, text } = yield* visitor.get(`/app/monitors/${id}/uptime`)
        expect(status).toBe(200)
        expect(text).toContain("Days with downtime")
        expect(text).toMatch(/<figure class="uptime-month">/)
        const refused = yield* visitor.api("GET", `/monitors/${id}/uptime?timezone=Mars/Base`)
        expect(refused.status).toBe(422)
        const { body: waiting } = yield* visitor.api("POST", "/monitors", { name: "Backup", periodSec: 3600 })
        expect((yield* visitor.get(`/app/monitors/${waiting.id}/uptime`)).text).toContain("Nothing observed yet")
      }))

    it.scoped("end their history in the past if they are asked to", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { id } = yield* failing(visitor)
        const { body } = yield* visitor.api("GET", `/monitors/${id}/history?range=7d&until=2026-01-15T12:00:00Z`)
        expect([body.to, body.states, body.regions]).toEqual(["2026-01-15T12:00:00.000Z", [], []])
        const { body: ahead } = yield* visitor.api("GET", `/monitors/${id}/history?until=2099-01-15T12:00:00Z`)
        expect(ahead.states.at(-1)).toMatchObject({ state: "down", to: null })
      }))

    it.scoped("lead from a check to its evidence, whose texts stay texts", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { check, id } = yield* failing(visitor)
        const { text } = yield* visitor.get(`/app/monitors/${id}/checks/${check}`)
        expect(text).toContain("Down: 503 Service Unavailable")
        expect(text).toContain("x-served-by")
        expect(text).toContain("as the target sent it")
        expect(text).toContain("&lt;script>alert('shop')&lt;/script>")
        expect(text).not.toContain("<script>alert")
        expect(text).toContain("First byte")
        const down = yield* visitor.get(`/app/monitors/${id}/checks?outcome=down`)
        const up = yield* visitor.get(`/app/monitors/${id}/checks?outcome=up`)
        expect([down.text.includes(check), up.text.includes(check)]).toEqual([true, false])
        expect(up.text).toContain("No checks with this outcome")
      }))

    it.scoped("explain the state, and simulate other settings without changing anything", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { id } = yield* failing(visitor)
        const path = `/app/monitors/${id}/explain`
        expect((yield* visitor.get(path)).text).toContain("Why this state")
        const nameless = { name: "Nowhere", url: "http://nowhere.invalid/", failureThreshold: 1 }
        const { body: lost } = yield* visitor.api("POST", "/monitors", nameless)
        // The check that decided is stored after the state.
        const isNamed = ({ text }: { readonly text: string }) => /Failed in<\/dt>\s*<dd[^>]*>DNS</.test(text)
        yield* until(visitor.get(`/app/monitors/${lost.id}/explain`), isNamed)
        const form = { _form: "simulate", _back: path, monitorId: id }
        const answer = yield* visitor.submit("/app/do/simulate_monitor", { ...form, "failureThreshold:number": "5" })
        expect(answer.status).toBe(200)
        expect(answer.text).toContain("With these settings")
        expect(answer.text).toContain("What happened")
        const refused = yield* visitor.submit("/app/do/simulate_monitor", { ...form, "failureThreshold:number": "50" })
        expect(refused.status).toBe(422)
        expect(refused.text).toContain("value=\"50\"")
        const { body } = yield* visitor.api("GET", `/monitors/${id}`)
        expect(body.failureThreshold).toBe(1)
      }))

    it.scoped("give a heartbeat's durations and what its job has to call, but not to viewers", () =>
      Effect.gen(function*() {
        const { id: workspace, visitor } = yield* newOwner()
        const { body: monitor } = yield* visitor.api("POST", "/monitors", { name: "Backup", periodSec: 3600 })
        yield* visitor.api("POST", `/heartbeat/${String(monitor.pingUrl).split("/").at(-1)}`, { durationMs: 81_500 })
        yield* until(visitor.api("GET", `/monitors/${monitor.id}`), ({ body }) => body.checks.length > 0)
        const { text } = yield* visitor.get(`/app/monitors/${monitor.id}`)
        expect(text).toContain("81.5 sec")
        for (const name of ["crontab", "systemd timer", "Kubernetes", "GitHub Actions", "Shell", "Python", "Node", "Go", "PHP"]) {
          expect(text).toContain(`<summary>${name}</summary>`)
        }
        expect(text).toContain(monitor.pingUrl)
        const viewer = yield* signedIn(WorkspaceId.make(workspace), "viewer")
        const seen = yield* visitor.get(`/app/monitors/${monitor.id}`, viewer.headers)
        expect([seen.status, seen.text.includes("81.5 sec"), seen.text.includes("/hb/")]).toEqual([200, true, false])
      }))

    it.scoped("of a job with a schedule say it in words, with its next times and what changes of clocks do", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const form = yield* visitor.get("/app/monitors/new?kind=heartbeat&by=schedule")
        expect(form.text).toContain("When clocks go forward, a time that they skip is not expected.")
        expect([form.text.includes("name=\"schedule\""), form.text.includes("periodSec")]).toEqual([true, false])
        const sent = {
          _form: "monitor",
          _back: "/app/monitors/new?kind=heartbeat&by=schedule",
          kind: "heartbeat",
          name: "Backup"
        }
        const refused = yield* visitor.submit("/app/do/create_monitor", {
          ...sent,
          schedule: "30 25 * * *",
          timezone: "Europe/Berlin"
        })
        expect([refused.status, refused.text.includes("30 25 * * *"), refused.text.includes("no line of cron")]).toEqual([
          422,
          true,
          true
        ])
        const made = yield* visitor.submit("/app/do/create_monitor", {
          ...sent,
          schedule: "30 2 * * *",
          timezone: "Europe/Berlin"
        })
        expect(made.status).toBeLessThan(400)
        const { body } = yield* visitor.api("GET", "/monitors?search=Backup")
        const { text } = yield* visitor.get(`/app/monitors/${body.data[0].id}`)
        expect(text).toContain("A ping is expected every day at 02:30 (Europe/Berlin)")
        expect(text.match(/02:30 in Europe\/Berlin/g)).toHaveLength(5)
        expect(text).toContain("Next ping expected")
        expect(text).toContain("30 2 * * * r=")
        const edit = yield* visitor.get(`/app/monitors/${body.data[0].id}/edit`)
        expect([edit.text.includes("value=\"30 2 * * *\""), edit.text.includes("value=\"Europe/Berlin\"")]).toEqual([true, true])
        const other = yield* visitor.get(`/app/monitors/${body.data[0].id}/edit?by=period`)
        expect([other.text.includes("periodSec:seconds"), other.text.includes("name=\"schedule\"")]).toEqual([true, false])
      }))

    it.scoped("of another workspace are not found", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { check, id } = yield* failing(visitor)
        const { visitor: stranger } = yield* newOwner()
        for (const path of ["", "/checks", `/checks/${check}`, "/uptime", "/regions", "/explain", "/figures"]) {
          const { status, text } = yield* stranger.get(`/app/monitors/${id}${path}`)
          expect([path, status, text.includes("Shop front")]).toEqual([path, 404, false])
        }
      }))
  }
)
