/** Attacks on the sign-in of apps: codes and tokens of others, addresses of others, forms of other sites, documents inside the network. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { AppMemory, browserWith, callback, decided, signedInProgram, signInWith } from "../flows/support/AppWithOAuth.ts"
import { clientOf, type Json } from "../flows/support/Client.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"

const verifier = "v".repeat(43)
const challenge = createHash("sha256").update(verifier).digest("base64url")

const stage = Effect.gen(function*() {
  const program = yield* signedInProgram
  const { baseUrl, browser, postForm } = program
  const stranger = browserWith(baseUrl, "")
  const registered = (metadata: object) =>
    Effect.map(
      stranger.get("/oauth/register", {
        method: "POST",
        body: JSON.stringify(metadata),
        headers: { "content-type": "application/json" }
      }),
      ({ status, text }) => ({ status, body: JSON.parse(text) as Json })
    )
  const client: string = (yield* registered({ client_name: "App", redirect_uris: [callback] })).body.client_id
  const asked = (changes: Readonly<Record<string, string | null>> = {}) => {
    const given = {
      client_id: client,
      redirect_uri: callback,
      response_type: "code",
      state: "s",
      code_challenge: challenge,
      code_challenge_method: "S256",
      resource: `${baseUrl}/mcp`,
      ...changes
    }
    return new URL(
      `/oauth/authorize?${new URLSearchParams(Object.entries(given).flatMap(([k, v]) => v === null ? [] : [[k, v]]))}`,
      baseUrl
    )
  }
  const begun = (changes: Readonly<Record<string, string | null>>) =>
    browser.get(`${asked(changes).pathname}${asked(changes).search}`)
  const code = Effect.map(decided(browser, asked()), ({ returned }) => returned?.searchParams.get("code") ?? "no code")
  const exchange = (fields: Readonly<Record<string, string>>) =>
    postForm("/oauth/token", {
      grant_type: "authorization_code",
      client_id: client,
      redirect_uri: callback,
      code_verifier: verifier,
      ...fields
    })
  const refresh = (token: string, fields: Readonly<Record<string, string>> = {}) =>
    postForm("/oauth/token", { grant_type: "refresh_token", client_id: client, refresh_token: token, ...fields })
  const works = (token: string) => Effect.map(clientOf(baseUrl, token).get("/monitors"), ({ status }) => status === 200)
  const audited = Effect.map(program.api("/audit"), ({ body }) => body.data.map(({ operation }: Json) => operation))
  return { ...program, stranger, registered, client, asked, begun, code, exchange, refresh, works, audited }
})

describe("an app that wants access", () => {
  it.scopedLive("is never sent to an address that it has not registered, and what it asks is judged before a person is", () =>
    Effect.gen(function*() {
      const { begun } = yield* stage
      const elsewhere = [
        "https://evil.example/callback",
        "http://127.0.0.1:33418/other",
        "http://127.0.0.1:33418/callback?x=1",
        "http://127.0.0.1:33418/callback/../evil",
        "http://localhost:33418/callback",
        "http://127.0.0.1.evil.example/callback",
        "javascript:alert(1)",
        "//evil.example"
      ]
      for (const redirect_uri of elsewhere) {
        const refused = yield* begun({ redirect_uri })
        expect([redirect_uri, refused.status, refused.location]).toEqual([redirect_uri, 400, null])
      }
      expect((yield* begun({ client_id: "app_unknown" })).status).toBe(400)
      const errorOf = (changes: Readonly<Record<string, string | null>>) =>
        Effect.map(begun(changes), ({ location }) => new URL(location ?? "none:").searchParams.get("error"))
      expect(yield* errorOf({ code_challenge: null })).toBe("invalid_request")
      expect(yield* errorOf({ code_challenge_method: "plain" })).toBe("invalid_request")
      expect(yield* errorOf({ code_challenge_method: null })).toBe("invalid_request")
      expect(yield* errorOf({ response_type: "token" })).toBe("unsupported_response_type")
      expect(yield* errorOf({ resource: "https://other.example/mcp" })).toBe("invalid_target")
      // The port of an app on the person's own machine is free.
      expect((yield* begun({ redirect_uri: "http://127.0.0.1:50001/callback" })).location).toMatch(/^\/connect\//)
    }))

  it.scopedLive("cannot use a code twice, of another app, with another verifier or for another address", () =>
    Effect.gen(function*() {
      const { api, audited, code, exchange, registered, works } = yield* stage
      const other: string = (yield* registered({ client_name: "Other", redirect_uris: [callback] })).body.client_id
      for (
        const wrong of [
          { client_id: other },
          { code_verifier: "w".repeat(43) },
          { code_verifier: "" },
          { redirect_uri: "http://127.0.0.1:1/callback" },
          { resource: "https://other.example/" }
        ]
      ) {
        const refused = yield* exchange({ code: yield* code, ...wrong })
        expect([wrong, refused.status]).toEqual([wrong, 400])
        expect(refused.body.access_token).toBeUndefined()
      }
      const good = yield* code
      const { body } = yield* exchange({ code: good })
      expect(yield* works(body.access_token)).toBe(true)
      const again = yield* exchange({ code: good })
      expect([again.status, again.body.error]).toEqual([400, "invalid_grant"])
      expect(yield* works(body.access_token)).toBe(false)
      expect(yield* audited).toContain("authorization_code_reused")
      expect((yield* api("/grants")).body.data).toEqual([])
    }))

  it.scopedLive("loses its access when a refresh token is used again after its successor", () =>
    Effect.gen(function*() {
      const { audited, code, exchange, refresh, registered, works } = yield* stage
      const first = (yield* exchange({ code: yield* code })).body
      const other: string = (yield* registered({ client_name: "Other", redirect_uris: [callback] })).body.client_id
      expect((yield* refresh(first.refresh_token, { client_id: other })).status).toBe(400)
      expect((yield* refresh(`${first.refresh_token.slice(0, -1)}!`)).status).toBe(400)
      const second = (yield* refresh(first.refresh_token)).body
      // An app that lost the answer asks once more.
      const third = (yield* refresh(first.refresh_token)).body
      const fourth = (yield* refresh(third.refresh_token)).body
      for (const { access_token } of [first, second, third, fourth]) expect(yield* works(access_token)).toBe(true)
      const reused = yield* refresh(first.refresh_token)
      expect([reused.status, reused.body.error]).toEqual([400, "invalid_grant"])
      for (const { access_token } of [first, second, third, fourth]) expect(yield* works(access_token)).toBe(false)
      expect((yield* refresh(fourth.refresh_token)).status).toBe(400)
      expect(yield* audited).toContain("refresh_token_reused")
    }))
})

describe("the page of a decision", () => {
  it.scopedLive("shows names as text, cannot be framed, and takes forms of this service only", () =>
    Effect.gen(function*() {
      const { asked, browser, registered, stranger } = yield* stage
      const name = "<script>alert(1)</script>\u202e\u0000Evil"
      const client_id: string = (yield* registered({ client_name: name, redirect_uris: [callback] })).body.client_id
      const begun = yield* browser.get(`/oauth/authorize${asked({ client_id }).search}`)
      const path = begun.location ?? ""
      const page = yield* browser.get(path)
      expect(page.text).toContain("&lt;script>alert(1)&lt;/script> Evil")
      expect(page.text).not.toContain("<script")
      const policy = page.headers.get("content-security-policy") ?? ""
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("form-action 'self' http://127.0.0.1:33418")
      expect(page.headers.get("cache-control")).toContain("no-store")

      const body = "decision=allow&access=write&tools=Monitors"
      expect((yield* browser.post(path, body, "cross-site")).status).toBe(403)
      const unsigned = yield* stranger.post(path, body)
      expect([unsigned.status, unsigned.location]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`])
      const foreign = yield* browser.post(path, `${body}&workspace=ws_of_another`)
      expect([foreign.status, foreign.location]).toEqual([422, null])
      // A refusal keeps the choices: pressed again, the form gives no more.
      const again = yield* browser.post(path, "decision=allow&access=read&tools=Monitors&tools=Components")
      expect(again.text.match(/name="(?:workspace|access|tools)" value="[^"]*" checked/g)).toEqual([
        "name=\"access\" value=\"read\" checked",
        "name=\"tools\" value=\"Monitors\" checked",
        "name=\"tools\" value=\"Components\" checked"
      ])

      const { returned } = yield* decided(browser, asked({ client_id }))
      expect(returned?.searchParams.get("code")).toMatch(/^bell_oac_/)
      const { path: decidedPath } = yield* decided(browser, asked({ client_id }))
      expect((yield* browser.get(decidedPath)).status).toBe(404)
      expect((yield* browser.get("/connect/unknown")).status).toBe(404)
    }))
})

describe("a registration", () => {
  it.scopedLive("takes only addresses that belong to an app, and is limited by address", () =>
    Effect.gen(function*() {
      const { postForm, registered, stranger } = yield* stage
      for (
        const uri of [
          "http://evil.example/callback",
          "javascript://evil.example/%0aalert(1)",
          "data://text/html",
          "https://app.example/callback#fragment",
          "https://user:secret@app.example/",
          "https://app.example/\u0000",
          "/relative",
          `https://app.example/${"a".repeat(600)}`
        ]
      ) {
        const { body, status } = yield* registered({ client_name: "App", redirect_uris: [uri] })
        expect([uri, status, body.error]).toEqual([uri, 400, "invalid_redirect_uri"])
      }
      expect((yield* registered({ redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"] })).status).toBe(201)
      expect((yield* registered({ redirect_uris: [callback], grant_types: ["client_credentials"] })).status).toBe(400)
      expect((yield* postForm("/oauth/token", { grant_type: "password", client_id: "x", username: "a", password: "b" })).status)
        .toBe(400)
      const asked = { origin: "https://app.example", "access-control-request-method": "POST" }
      const preflight = yield* stranger.get("/oauth/token", { method: "OPTIONS", headers: asked })
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
      let last = 201
      for (let n = 0; n < 40 && last === 201; n++) last = (yield* registered({ redirect_uris: [callback] })).status
      expect(last).toBe(429)
    }))
})

describe("an app with a document", () => {
  it.scopedLive("is known by it, and a document is read from nowhere inside the network", () =>
    Effect.gen(function*() {
      const { baseUrl, begun, browser } = yield* stage
      let looks = 0
      const target = yield* httpTarget((request, response) => {
        looks++
        const self = `http://127.0.0.1:${request.socket.localPort}${request.url}`
        const document = { client_id: self, client_name: "Desk", redirect_uris: [callback] }
        if (request.url === "/moved.json") return response.writeHead(302, { location: "/app.json" }).end()
        if (request.url === "/large.json") return response.end(JSON.stringify({ ...document, more: "x".repeat(20_000) }))
        if (request.url === "/other.json") return response.end(JSON.stringify({ ...document, client_id: `${self}x` }))
        if (request.url === "/secret.json") {
          return response.end(JSON.stringify({ ...document, token_endpoint_auth_method: "client_secret_post" }))
        }
        response.end(JSON.stringify(document))
      })
      const { origin } = new URL(target)
      for (const path of ["/moved.json", "/large.json", "/other.json", "/secret.json"]) {
        expect([path, (yield* begun({ client_id: `${origin}${path}` })).status]).toEqual([path, 400])
      }
      for (const url of ["http://10.0.0.1/app.json", "http://169.254.169.254/latest/meta-data", "http://[::1]:1/app.json"]) {
        const refused = yield* begun({ client_id: url })
        expect([url, refused.status]).toEqual([url, 400])
        expect(refused.text).toContain("cannot be reached from here")
      }
      looks = 0
      const app = new AppMemory("Desk")
      app.information = { client_id: `${origin}/app.json` }
      yield* signInWith(app, baseUrl)
      const { page, returned } = yield* decided(browser, app.sentTo)
      expect(page.text).toContain(`${origin}/app.json`)
      expect(page.text).not.toContain("chose its name itself")
      expect(yield* signInWith(app, baseUrl, returned?.searchParams.get("code") ?? "")).toBe("AUTHORIZED")
      // One look serves an hour.
      expect(looks).toBe(1)
    }))
})
