/** The views claim nothing that is not so: a state beside a failed check, what needs AI, who is paged, and printed commands. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { WorkspaceId } from "../../schema/Ids.ts"
import { banner } from "../../src/commands/Banner.ts"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { formIn, unescaped } from "../support/browser/FormIn.ts"
import { newOwner, newVisitor } from "../support/browser/Visitor.ts"
import { newSession } from "../support/database/SessionRows.ts"
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

const callback = "http://127.0.0.1:33418/callback"

/** An app that asks to write, before the person has decided: the page that they see, and how it exchanges its code. */
const askedFor = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const metadata = JSON.stringify({ client_name: "Desk", redirect_uris: [callback] })
  const { client_id } = yield* Effect.promise(async () =>
    (await fetch(`http://${host}:${port}/oauth/register`, {
      method: "POST",
      body: metadata,
      headers: { "content-type": "application/json" }
    })).json()
  )
  const verifier = "v".repeat(43)
  const query = new URLSearchParams({
    client_id,
    redirect_uri: callback,
    response_type: "code",
    scope: "read write",
    state: "s",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256"
  })
  const owner = yield* newOwner()
  const { token } = yield* newSession(WorkspaceId.make(owner.id), "viewer")
  const viewer = yield* newVisitor
  viewer.cookies.set("__Host-belltower_session", token)
  const path = (yield* viewer.get(`/oauth/authorize?${query}`)).location ?? "nowhere"
  const exchange = (code: string) =>
    viewer.submit("/oauth/token", {
      grant_type: "authorization_code",
      client_id,
      redirect_uri: callback,
      code_verifier: verifier,
      code
    })
  return { viewer, path, exchange, workspace: owner.id }
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

  it.effect("give an app of a viewer no access to write, and do not offer it", () =>
    Effect.gen(function*() {
      const { exchange, path, viewer, workspace } = yield* askedFor
      const page = yield* viewer.get(path)
      expect(page.text).toContain("you are a viewer, so the app only reads")
      expect(page.text).not.toContain("Read and write")
      expect(page.text).toMatch(/value="read" checked/)
      const allowed = yield* viewer.submit(path, { decision: "allow", access: "write", tools: "Monitors", workspace })
      const answer = JSON.parse((yield* exchange(new URL(allowed.location ?? "none:").searchParams.get("code") ?? "")).text)
      expect(answer.scope).toBe("read")
      const { body } = yield* viewer.api("GET", "/grants")
      expect(body.data.map(({ scopes }: { readonly scopes: unknown }) => scopes)).toEqual([["read"]])
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
