/** An app without a key, such as Claude, from its address alone to tools, and its end: with the official SDK's OAuth client. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { AppMemory, browserWith, callback, connected, decided, signedInProgram, signInWith } from "./support/AppWithOAuth.ts"
import { clientOf, type Json, newAgent } from "./support/Client.ts"

describe("an app without a key", () => {
  it.scopedLive("finds the sign-in, gets tools, refreshes, and is disconnected", () =>
    Effect.gen(function*() {
      const { api, baseUrl, browser } = yield* signedInProgram
      const app = new AppMemory("Claude")
      expect(yield* signInWith(app, baseUrl)).toBe("REDIRECT")
      expect(app.information).toMatchObject({ client_name: "Claude", token_endpoint_auth_method: "none" })
      expect(app.sentTo?.searchParams.get("code_challenge_method")).toBe("S256")

      const { page, returned } = yield* decided(browser, app.sentTo)
      expect(page.text).toContain("<b>Claude</b> wants to use Belltower for you")
      expect(page.text).toContain("127.0.0.1:33418")
      expect(returned?.href.startsWith(callback)).toBe(true)
      expect(returned?.searchParams.get("state")).toBe("state-of-the-app")
      expect(returned?.searchParams.get("iss")).toBe(baseUrl)

      expect(yield* signInWith(app, baseUrl, returned?.searchParams.get("code") ?? "")).toBe("AUTHORIZED")
      expect(app.given).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "read write" })
      const agent = yield* connected(app, baseUrl)
      expect(yield* agent.tools).toEqual(expect.arrayContaining(["create_monitor", "list_monitors", "end_grant"]))
      expect(yield* agent.tools).not.toContain("create_api_key")
      const me = yield* agent.call("whoami")
      expect(me.body.key).toMatchObject({ name: "Claude", scopes: ["read", "write"] })
      const made = yield* agent.call("create_monitor", { name: "Shop", url: "http://127.0.0.1:9/", paused: true })
      expect(made.isError).toBe(false)
      expect((yield* agent.call("create_api_key", { name: "more" })).body.error.code).toBe("forbidden")

      const before = app.given
      const parallel = yield* Effect.all([signInWith(app, baseUrl), signInWith(app, baseUrl)], { concurrency: 2 })
      expect(parallel).toEqual(["AUTHORIZED", "AUTHORIZED"])
      expect(app.given?.access_token).not.toBe(before?.access_token)
      expect((yield* (yield* connected(app, baseUrl)).call("list_monitors")).body.data).toHaveLength(1)

      const { body: { data: grants } } = yield* api("/grants")
      expect(grants).toMatchObject([{ id: me.body.key.id, app: "Claude", redirectHost: "127.0.0.1:33418" }])
      expect((yield* api("/api-keys")).body.data.map(({ id }: Json) => id)).not.toContain(me.body.key.id)
      expect((yield* browser.get("/app/apps")).text).toContain("<b>Claude</b>")
      const { body: { data: entries } } = yield* api("/audit")
      const audited = entries.map(({ actor, operation, via }: Json) => [operation, actor.name, via])
      expect(audited).toContainEqual(["create_monitor", "Claude", "mcp"])
      expect(audited.map(([operation]: ReadonlyArray<string>) => operation)).toContain("grant_access")

      expect(
        (yield* api(`/grants/${me.body.key.id}`, {
          method: "DELETE",
          headers: { origin: baseUrl, "sec-fetch-site": "same-origin" }
        })).status
      ).toBe(200)
      const after = yield* clientOf(baseUrl, app.given?.access_token).get("/monitors")
      expect(after.status).toBe(401)
      // Neither token works any more, so the app has to ask again.
      expect(yield* signInWith(app, baseUrl)).toBe("REDIRECT")
      expect((yield* api("/grants")).body.data).toEqual([])
    }))

  it.scopedLive("gets only what the person chooses, or nothing", () =>
    Effect.gen(function*() {
      const { baseUrl, browser } = yield* signedInProgram
      const app = new AppMemory("Reader")
      yield* signInWith(app, baseUrl)
      const declined = yield* decided(browser, app.sentTo, { decision: "decline" })
      expect(declined.returned?.searchParams.get("error")).toBe("access_denied")
      expect(declined.returned?.searchParams.get("state")).toBe("state-of-the-app")

      yield* signInWith(app, baseUrl)
      const { returned } = yield* decided(browser, app.sentTo, { access: "read", tools: ["Monitors"] })
      yield* signInWith(app, baseUrl, returned?.searchParams.get("code") ?? "")
      const agent = yield* connected(app, baseUrl)
      const tools = yield* agent.tools
      expect(tools).toContain("list_monitors")
      expect(tools).not.toContain("create_monitor")
      expect(tools).not.toContain("list_pages")
      const refused = yield* agent.call("create_monitor", { name: "Shop", url: "http://127.0.0.1:9/" })
      expect(refused).toMatchObject({ isError: true, body: { error: { code: "forbidden" } } })
    }))

  it.scopedLive("has its person sign in first, and gives its access back itself", () =>
    Effect.gen(function*() {
      const { api, baseUrl, browser, postForm } = yield* signedInProgram
      const app = new AppMemory("Claude")
      yield* signInWith(app, baseUrl)
      const stranger = browserWith(baseUrl, "")
      const begun = yield* stranger.get(`${app.sentTo?.pathname}${app.sentTo?.search}`)
      const page = yield* stranger.get(begun.location ?? "/")
      expect(page.text).toContain("Sign in first")
      expect(page.text).toContain(`name="next" value="${begun.location}"`)
      const { returned } = yield* decided(browser, app.sentTo)
      yield* signInWith(app, baseUrl, returned?.searchParams.get("code") ?? "")
      const client_id = app.information?.client_id ?? ""
      const revoked = yield* postForm("/oauth/revoke", { token: app.given?.refresh_token ?? "", client_id })
      expect(revoked.status).toBe(200)
      expect((yield* clientOf(baseUrl, app.given?.access_token).get("/monitors")).status).toBe(401)
      expect((yield* api("/grants")).body.data).toEqual([])
    }))
})

describe("a person without a workspace", () => {
  it.scopedLive("creates one for the app, or claims one that an agent set up, and returns to the decision", () =>
    Effect.gen(function*() {
      const { baseUrl, newPerson } = yield* signedInProgram
      const agent = yield* newAgent(baseUrl)
      const claimed = (yield* agent.get("/workspace")).body
      const ways = { "bea@example.com": { name: "Acme" }, "cy@example.com": { claim: agent.claimUrl } }
      for (const [email, fields] of Object.entries(ways)) {
        const browser = yield* newPerson(email)
        const app = new AppMemory("Claude")
        yield* signInWith(app, baseUrl)
        const first = yield* decided(browser, app.sentTo)
        expect([first.page.status, first.answer.status]).toEqual([200, 422])
        expect(first.page.text).toContain("Create a workspace for it")
        const path = `${first.path}/workspace`
        expect((yield* browser.post(path, "")).status).toBe(422)
        expect(
          (yield* browser.post(path, new URLSearchParams({ claim: "https://elsewhere.example/claim/none" }).toString())).status
        )
          .toBe(404)
        const made = yield* browser.post(path, new URLSearchParams(fields).toString())
        expect([made.status, made.location]).toEqual([303, first.path])

        const { page, returned } = yield* decided(browser, app.sentTo)
        expect(page.text).toContain("name" in fields ? "<span>Acme</span>" : claimed.id)
        yield* signInWith(app, baseUrl, returned?.searchParams.get("code") ?? "")
        const me = yield* (yield* connected(app, baseUrl)).call("whoami")
        expect(me.body.workspace.claimed).toBe(true)
      }
    }))
})

describe("a client with a key", () => {
  it.scopedLive("is not asked to sign in, whether its key is right or wrong", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* signedInProgram
      const entered = yield* clientOf(baseUrl).post("/agent/bootstrap", { agentName: "scout" })
      const right = new AppMemory("Editor")
      const agent = yield* connected(right, baseUrl, { authorization: `Bearer ${entered.body.apiKey}` })
      expect((yield* agent.call("whoami")).body.key.name).toBe("scout")
      expect(right.sentTo).toBeUndefined()

      const wrong = { authorization: `Bearer bell_live_${"0".repeat(40)}` }
      const asked = yield* browserWith(baseUrl, "").get("/mcp", { method: "POST", body: "{}", headers: wrong })
      expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([
        401,
        "Bearer realm=\"belltower\", error=\"invalid_token\""
      ])
      const found = yield* browserWith(baseUrl, "").get("/.well-known/oauth-protected-resource/mcp", { headers: wrong })
      expect(found.status).toBe(404)
      const memory = new AppMemory("Editor")
      const failed = yield* Effect.either(
        Effect.tryPromise(() => Effect.runPromise(Effect.scoped(connected(memory, baseUrl, wrong))))
      )
      expect(failed._tag).toBe("Left")
      expect(memory.sentTo).toBeUndefined()
    }))
})
