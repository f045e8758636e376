/** The views claim nothing that is not so: a state beside a failed check, what needs AI, who is paged, and printed commands. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { banner } from "../../src/commands/Banner.ts"
import { formIn, unescaped } from "../support/browser/FormIn.ts"
import { newOwner } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"
import { submitted } from "./Forms.ts"

const settings = { BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }

const newIncident = Effect.gen(function*() {
  const { visitor } = yield* newOwner()
  const { body } = yield* visitor.api("POST", "/incidents", { title: "Slow", message: "We look into it." })
  return { visitor, path: `/app/incidents/${body.id}` }
})

/** The forms that ask AI, in the views of an incident. */
const asked = Effect.gen(function*() {
  const { path, visitor } = yield* newIncident
  const incident = yield* visitor.get(path)
  const postmortem = yield* visitor.get(`${path}/postmortem`)
  return [formIn(incident.text, "analyze") !== null, formIn(postmortem.text, "ai") !== null]
})

layer(programOf(settings), { excludeTestServices: true, timeout: "120 seconds" })("the views", (it) => {
  it.scoped("keep a failed check apart from a monitor that is still up, and show it in the tone of its result", () =>
    Effect.gen(function*() {
      let status = 200
      const url = yield* httpTarget((_, response) => response.writeHead(status).end())
      const { visitor } = yield* newOwner()
      const { body } = yield* visitor.api("POST", "/monitors", { name: "Shop", url: `${url}/`, failureThreshold: 10 })
      const path = `/app/monitors/${body.id}`
      yield* until(visitor.api("GET", `/monitors/${body.id}`), (found) => found.body.state === "up")
      const good = yield* submitted(visitor, path, `run-check-${body.id}`)
      expect(good.text).toMatch(/class="notice is-good"[\s\S]*Checked just now: up/)
      status = 503
      const failed = yield* submitted(visitor, path, `run-check-${body.id}`)
      expect(failed.text).toMatch(/class="notice is-bad"[\s\S]*Checked just now: down/)
      const error = "The last check failed: Expected status 200-299, got 503 Service Unavailable"
      const shown = yield* until(visitor.get(path), ({ text }) => text.includes("The last check failed"))
      expect(shown.text).toMatch(/<h2>Up for /)
      expect(shown.text).toContain(`${error}.`)
      expect((yield* visitor.get("/app/monitors")).text).toContain(error)
      const { body: explained } = yield* visitor.api("GET", `/monitors/${body.id}/explain`)
      expect(explained.summary).toMatch(/^Up since .*\. The last check failed: 503 Service Unavailable\./)
    }))

  it.effect("offer nothing that needs AI without a provider", () =>
    Effect.gen(function*() {
      expect(yield* asked).toEqual([false, false])
    }))

  it.scoped("run a check of settings that have no name yet", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.writeHead(503).end())
      const { visitor } = yield* newOwner()
      const view = yield* visitor.get("/app/monitors/new?kind=http")
      const [form = ""] = /<form[^>]*id="monitor"[\s\S]*?<\/form>/.exec(view.text) ?? []
      const [, address = ""] = /formaction="(\/app\/do\/preview_check[^"]*)"/i.exec(form) ?? []
      expect(form).toMatch(/formnovalidate/i)
      const answer = yield* visitor.submit(unescaped(address), {
        _form: "monitor",
        _stay: "true",
        kind: "http",
        name: "",
        "url:url": `${url}/`
      })
      expect(answer.text).toMatch(/class="outcome is-bad"[^>]*>Expected status 200-299, got 503/)
    }))

  it.effect("print commands that exist in an installation, and expiries with their year", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const plan = yield* visitor.get("/app/plan")
      expect(plan.text).toContain("node dist/belltower.js apply belltower.yaml")
      expect(plan.text).not.toContain("npx belltower")
      expect(banner("http://localhost:8080", { signInPath: null, capturesMail: false })).toContain(
        "node dist/belltower.js sign-in-link <address>"
      )
      expect(banner("http://localhost:8080", { signInPath: "/auth/link/x", capturesMail: false })).not.toContain("sign-in-link")
      yield* visitor.api("POST", "/api-keys", { name: "deploys", scopes: ["read"], expiresInMinutes: 43_200 })
      const year = new Date(Date.now() + 30 * 86_400_000).getUTCFullYear()
      const { text } = yield* visitor.get("/app/keys")
      expect(/data-label="Expires"><time[^>]*>([^<]*)/.exec(text)?.[1]).toContain(String(year))
    }))
})

layer(
  programOf({
    ...settings,
    BELLTOWER_AI_PROVIDER: "openai",
    BELLTOWER_AI_URL: "http://127.0.0.1:9/v1/",
    BELLTOWER_AI_MODEL: "m"
  }),
  {
    excludeTestServices: true,
    timeout: "120 seconds"
  }
)("the views with an AI provider", (it) => {
  it.effect("offer what it can write", () =>
    Effect.gen(function*() {
      expect(yield* asked).toEqual([true, true])
    }))
})
